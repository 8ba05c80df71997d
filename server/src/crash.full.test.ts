import { once } from 'node:events';
import { connect } from '@nats-io/transport-node';
import { atEnd, signedRequest } from '@tenant-open-platform/testing';
import { expect, test, vi } from 'vitest';
import { isAccepted, startLoad } from '../test/support/load.js';
import { registerEventReader } from '../test/support/new-principal.js';
import { startPrivatePlatform } from '../test/support/private-platform.js';
import { startAdapter } from '../test/support/start-adapter.js';
import { storedCommands, storedWork } from '../test/support/stored.js';
import { expectStreamsAsStored } from '../test/support/streams.js';
import { untilServed } from '../test/support/until-served.js';

const platform = await startPrivatePlatform();
await registerEventReader(platform.admin);
const [adapter, bus] = await Promise.all([startAdapter(platform.nats.url), connect({ servers: platform.nats.url })]);

atEnd(() => Promise.all([adapter.stop(), bus.close()]));

/** Some commands are answered at once, some never. Some become due while no process runs to dispatch them. */
const inTurn = () => {
  let number = 0;
  return () => {
    number += 1;
    if (number % 10 === 0) return { device_id: 'silent', timeout_seconds: 5 };
    return { timeout_seconds: number % 5 === 0 ? 1 : 60 };
  };
};

const ROUNDS = 20;
/** So many credentials are being created when a process ends. */
const CREATED_AT_ONCE = 30;
const CREATING = 2;

const createCredential = (client_id: string) =>
  signedRequest(platform.admin, 'POST', `/api/v1/platform/tenants/${platform.demo.tenant_id}/credentials`, {
    node: platform.server().baseUrl,
    body: { client_id, name: 'Crash' },
    headers: { 'Idempotency-Key': client_id },
  });

/** A request that is sent again with the same key returns a secret that is valid. */
async function expectCreated(client_id: string): Promise<void> {
  // All at once: some wait longer for their turn than the platform lets them.
  const { status, body, raw } = await untilServed(() => createCredential(client_id));
  expect(status, raw).toBe(201);
  const profile = { ...platform.demo, client_id, secret: body.secret };
  const node = platform.server().baseUrl;
  const me = await untilServed(() => signedRequest(profile, 'GET', '/api/v1/open/me', { node }));
  expect(me.status, me.raw).toBe(200);
}

test('kill -9 twenty times under load: every acknowledged command ends, the bus has every event once and in order, and a credential that is created again with the same key has a secret that is valid', {
  timeout: 900_000,
}, async () => {
  let completed = 0;
  bus.subscribe('tenants.*.events.command.completed', { callback: () => void completed++ });
  const { demo, nats, postgres } = platform;
  const load = startLoad(demo, () => platform.server().baseUrl, {
    writers: 25,
    readers: 6,
    restMs: 100,
    command: inTurn(),
  });
  const accepted = () => load.sent.filter(isAccepted).length;
  const credentials: string[] = [];
  let created = 0;
  const createMany = async (round: number) => {
    const ids = Array.from({ length: CREATED_AT_ONCE }, (_, index) => `crash-${round}-${index}`);
    credentials.push(...ids);
    await Promise.allSettled(ids.map((id) => createCredential(id).then(() => created++)));
  };
  /** While requests are answered, commands dispatched, credentials created or results handled. */
  const phases = [accepted, () => adapter.received.length, () => created, () => completed];
  for (let round = 0; round < ROUNDS; round++) {
    const phase = round % phases.length;
    const count = phases[phase] as () => number;
    const fatal = count() + 1 + (phase === CREATING ? round : 5 * round);
    if (phase === CREATING) void createMany(round);
    await vi.waitFor(() => expect(count()).toBeGreaterThanOrEqual(fatal), { timeout: 60_000, interval: 5 });
    const { process } = platform.server();
    const closed = once(process, 'close');
    process.kill('SIGKILL');
    expect(await closed).toEqual([null, 'SIGKILL']);
    await platform.restart();
  }
  const sent = await load.stop();
  await Promise.all(credentials.map(expectCreated));
  await vi.waitFor(
    async () => expect(await storedWork(postgres.url)).toEqual({ commands: 0, outbox: 0, unpublished_events: 0 }),
    // The sweeper waits up to two minutes for updates that NATS redelivers.
    { timeout: 240_000, interval: 250 },
  );

  const stored = new Map(
    (await storedCommands(postgres.url, demo.tenant_id)).map((command) => [command.idempotency_key, command]),
  );
  for (const { idempotencyKey, answer } of sent.filter(isAccepted)) {
    expect(stored.get(idempotencyKey)?.command_id).toBe(answer?.body.command_id);
  }
  const onStream = await expectStreamsAsStored(nats.url, postgres.url);
  for (const { command_id, status, ...rows } of stored.values()) {
    expect(rows).toMatchObject({ accepted_events: 1, completed_events: 1, outbox_rows: 0 });
    if (status === 'SUCCEEDED') expect(onStream).toContain(command_id);
    if (status === 'EXPIRED') expect(onStream).not.toContain(command_id);
  }
  const ends = new Set([...stored.values()].map(({ status }) => status));
  expect(ends).toEqual(new Set(['SUCCEEDED', 'TIMED_OUT', 'EXPIRED']));
});
