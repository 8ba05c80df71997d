import { once } from 'node:events';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { signedRequest } from '@tenant-open-platform/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { isAccepted, startLoad } from './support/load.js';
import { type PrivatePlatform, startPrivatePlatform } from './support/private-platform.js';
import { type Adapter, startAdapter } from './support/start-adapter.js';
import { storedCommands, storedWork } from './support/stored.js';
import { expectStreamsAsStored } from './support/streams.js';

let platform: PrivatePlatform;
let bus: NatsConnection;
let adapter: Adapter;

beforeAll(async () => {
  platform = await startPrivatePlatform();
  [adapter, bus] = await Promise.all([startAdapter(platform.nats.url), connect({ servers: platform.nats.url })]);
});

afterAll(async () => {
  await Promise.all([adapter?.stop(), bus?.close()]);
  await platform?.stop();
});

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

test('kill -9 while credentials are created: sent again with the same key, each request returns a secret that is valid', async () => {
  const target = `/api/v1/platform/tenants/${platform.demo.tenant_id}/credentials`;
  const create = (client_id: string) =>
    signedRequest(platform.admin, 'POST', target, {
      node: platform.server().baseUrl,
      body: { client_id, name: 'Crash' },
      headers: { 'Idempotency-Key': client_id },
    });
  for (let round = 0; round < 5; round++) {
    const names = Array.from({ length: 30 }, (_, index) => `crash-${round}-${index}`);
    let answered = 0;
    const { process } = platform.server();
    const closed = once(process, 'close');
    const sent = names.map(async (name) => {
      await create(name);
      answered += 1;
      if (answered > 3 * round) process.kill('SIGKILL');
    });
    await Promise.allSettled(sent);
    await closed;
    await platform.restart();
    for (const client_id of names) {
      const { status, body, raw } = await create(client_id);
      expect(status, raw).toBe(201);
      const profile = { ...platform.demo, client_id, secret: body.secret };
      const me = await signedRequest(profile, 'GET', '/api/v1/open/me', { node: platform.server().baseUrl });
      expect(me.status, me.raw).toBe(200);
    }
  }
}, 120_000);

test('kill -9 twenty times under load: every acknowledged command ends, and the bus has every event once and in order', {
  timeout: 300_000,
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
  /** While requests are answered, commands dispatched or results handled. */
  const phases = [accepted, () => adapter.received.length, accepted, () => completed];
  for (let round = 0; round < ROUNDS; round++) {
    const count = phases[round % phases.length] as () => number;
    const fatal = count() + 1 + 10 * round;
    await vi.waitFor(() => expect(count()).toBeGreaterThanOrEqual(fatal), { timeout: 30_000, interval: 5 });
    const { process } = platform.server();
    const closed = once(process, 'close');
    process.kill('SIGKILL');
    expect(await closed).toEqual([null, 'SIGKILL']);
    await platform.restart();
  }
  const sent = await load.stop();
  await vi.waitFor(
    async () => expect(await storedWork(postgres.url)).toEqual({ commands: 0, outbox: 0, unpublished_events: 0 }),
    {
      timeout: 90_000,
      interval: 250,
    },
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
