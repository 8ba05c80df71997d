import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { Profile } from '@tenant-open-platform/testing';
import { type PrivateNats, startPrivateNats } from '@tenant-open-platform/testing/private-nats';
import { type PrivatePostgres, startPrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import { type RunningServer, startServer } from '@tenant-open-platform/testing/start-server';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { isAccepted, startLoad } from '../test/load.js';
import { type Adapter, startAdapter } from '../test/start-adapter.js';
import { storedCommands, storedWork } from '../test/stored.js';
import { expectStreamsAsStored } from '../test/streams.js';

let folder: string;
let postgres: PrivatePostgres;
let nats: PrivateNats;
let bus: NatsConnection;
let adapter: Adapter;
let server: RunningServer;
let demo: Profile;
let environment: Record<string, string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'top-crash-'));
  [postgres, nats] = await Promise.all([startPrivatePostgres(), startPrivateNats()]);
  environment = {
    DATA_DIR: folder,
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    KEYRING: JSON.stringify({ primary: 'test', keys: { test: randomBytes(32).toString('base64') } }),
    REQUESTS_PER_MINUTE: '1000000',
    FAILED_AUTHENTICATIONS_PER_MINUTE: '1000000',
  };
  server = await startServer(environment);
  demo = JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8'));
  [adapter, bus] = await Promise.all([startAdapter(nats.url), connect({ servers: nats.url })]);
});

afterAll(async () => {
  await Promise.all([adapter?.stop(), bus?.close()]);
  await server?.stop();
  await Promise.all([postgres?.stop(), nats?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

/** Some are answered at once, some never, and some are due while no process lives to hand them out. */
const inTurn = () => {
  let number = 0;
  return () => {
    number += 1;
    if (number % 10 === 0) return { device_id: 'silent', timeout_seconds: 5 };
    return { timeout_seconds: number % 5 === 0 ? 1 : 60 };
  };
};

const ROUNDS = 20;

test('kill -9 twenty times under load: every acknowledged command ends, and the bus tells every event once and in order', {
  timeout: 300_000,
}, async () => {
  let completed = 0;
  bus.subscribe('tenants.*.events.command.completed', { callback: () => void completed++ });
  const load = startLoad(demo, () => server.baseUrl, { writers: 25, readers: 6, restMs: 100, command: inTurn() });
  const accepted = () => load.sent.filter(isAccepted).length;
  /** While requests are answered, commands handed out, or results taken. */
  const phases = [accepted, () => adapter.received.length, accepted, () => completed];
  for (let round = 0; round < ROUNDS; round++) {
    const count = phases[round % phases.length] as () => number;
    const fatal = count() + 1 + 10 * round;
    await vi.waitFor(() => expect(count()).toBeGreaterThanOrEqual(fatal), { timeout: 30_000, interval: 5 });
    const closed = once(server.process, 'close');
    server.process.kill('SIGKILL');
    expect(await closed).toEqual([null, 'SIGKILL']);
    server = await startServer(environment);
  }
  const sent = await load.stop();
  await vi.waitFor(async () => expect(await storedWork(postgres.url)).toEqual({ commands: 0, outbox: 0 }), {
    timeout: 90_000,
    interval: 250,
  });

  const stored = new Map(
    (await storedCommands(postgres.url, demo.tenant_id)).map((command) => [command.idempotency_key, command]),
  );
  for (const { idempotencyKey, answer } of sent.filter(isAccepted)) {
    expect(stored.get(idempotencyKey)?.command_id).toBe(answer?.body.command_id);
  }
  const onStream = await expectStreamsAsStored(nats.url, postgres.url);
  for (const { command_id, status, ...rows } of stored.values()) {
    expect(rows).toMatchObject({ accepted_events: 1, completed_events: 1, outbox_rows: 1 });
    if (status === 'SUCCEEDED') expect(onStream).toContain(command_id);
    if (status === 'EXPIRED') expect(onStream).not.toContain(command_id);
  }
  const ends = new Set([...stored.values()].map(({ status }) => status));
  expect(ends).toEqual(new Set(['SUCCEEDED', 'TIMED_OUT', 'EXPIRED']));
});
