import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { AckPolicy } from '@nats-io/jetstream';
import { createUser } from '@nats-io/nkeys';
import { expect, test, vi } from 'vitest';
import type { AdapterEvent } from '../src/adapter.js';
import { expectEachOnce, request, setUp, within } from './serve.js';
import { tenantId, vendor } from './start-bus.js';

test.concurrent('1,000 commands, 16 at once: each runs once, and each outcome is reported', async (context) => {
  const { on, serve } = await setUp(context);
  let running = 0;
  let most = 0;
  let open = () => {};
  const allPlacesTaken = new Promise<void>((resolve) => (open = resolve));
  const { adapter, runs } = await serve(
    async () => {
      running += 1;
      most = Math.max(most, running);
      if (most === 16) open();
      await allPlacesTaken;
      await delay(5);
      running -= 1;
    },
    { concurrency: 16 },
  );
  await on.askedTwice();
  const sent = await on.send(Array.from({ length: 1_000 }, () => ({})));
  await expectEachOnce(on, sent, runs);
  expect(most).toBe(16);
  expect(runs.filter(({ redelivered }) => redelivered)).toEqual([]);
  expect(adapter.counters).toMatchObject({ running: 0, started: 1_000, repeated: 0, outcomes: { SUCCEEDED: 1_000 } });
});

test.concurrent('a command that NATS delivers again while it runs runs once', async (context) => {
  const { on, serve } = await setUp(context, { ackWaitMs: 500 });
  let end = () => {};
  const { adapter, runs } = await serve(() => new Promise((resolve) => (end = resolve)));
  const sent = await on.send([{}]);
  await vi.waitFor(() => expect(adapter.counters.repeated).toBeGreaterThanOrEqual(2), within);
  end();
  await expectEachOnce(on, sent, runs);
});

test.concurrent('a long run is not delivered again: NATS hears that it goes on', async (context) => {
  // A sign of life every two seconds may be delayed by a machine that stalls.
  const { on, serve } = await setUp(context, { ackWaitMs: 10_000 });
  const { adapter, runs } = await serve(() => delay(21_000));
  await expectEachOnce(on, await on.send([{}]), runs);
  expect(adapter.counters.repeated).toBe(0);
});

test.concurrent('an outcome whose message id somebody else has used arrives all the same', async (context) => {
  const { on, serve } = await setUp(context);
  await serve(async ({ command_id }) => {
    await on.publish('tenants.neighbour.command-updates.vendor_b', '{}', `${command_id} SUCCEEDED`);
  });
  const sent = await on.send(Array.from({ length: 20 }, () => ({})));
  await on.allAcknowledged();
  const ended = (await on.publishedUpdates()).map(({ command_id }) => command_id);
  expect(new Set(ended)).toEqual(new Set(sent.map(({ command_id }) => command_id)));
});

test.concurrent('two processes share the commands of a vendor: a slow one takes only what it can start', async (context) => {
  const { on, serve } = await setUp(context);
  let end = () => {};
  const held = new Promise<void>((resolve) => (end = resolve));
  const slow = await serve(() => held, { concurrency: 4 });
  // Otherwise the fast one may take them all.
  const sent = await on.send([{}]);
  await vi.waitFor(() => expect(slow.runs).toHaveLength(1), within);
  const fast = await serve();
  sent.push(...(await on.send(Array.from({ length: 199 }, () => ({})))));
  await vi.waitFor(() => expect(slow.runs.length + fast.runs.length).toBe(sent.length), within);
  expect(slow.runs.length).toBeLessThanOrEqual(4);
  end();
  await expectEachOnce(on, sent, slow.runs, fast.runs);
});

test.concurrent('stop: the running handler ends, its outcome is acknowledged, the rest stays for others', async (context) => {
  const { on, serve } = await setUp(context);
  let end = () => {};
  const held = new Promise<void>((resolve) => (end = resolve));
  const { adapter, runs } = await serve(() => held, { concurrency: 2 });
  const sent = await on.send([{}, {}, {}, {}]);
  await vi.waitFor(() => expect(runs).toHaveLength(2), within);
  const stopped = adapter.stop();
  end();
  await stopped;
  expect(adapter.counters).toMatchObject({ running: 0, started: 2, outcomes: { SUCCEEDED: 2 } });
  expect(await on.updates()).toHaveLength(2);
  const other = await serve();
  await expectEachOnce(on, sent, runs, other.runs);
});

test.concurrent('stop returns while NATS is away, if nothing is in work', async (context) => {
  const { on, serve } = await setUp(context);
  const { adapter } = await serve();
  await on.nats.suspend();
  await adapter.stop();
  expect(adapter.counters.running).toBe(0);
  await on.nats.resume();
});

test.concurrent('progress comes before the outcome', async (context) => {
  const { on, serve } = await setUp(context);
  await serve(async (_, { progress }) => {
    await progress('DELIVERED');
    void progress('IN_PROGRESS');
    return { done: true };
  });
  await on.send([{}]);
  await on.allAcknowledged();
  expect(await on.updates()).toMatchObject([
    { adapter_status: 'DELIVERED' },
    { device_execution_status: 'IN_PROGRESS' },
    { device_execution_status: 'SUCCEEDED', result: { done: true } },
  ]);
});

test.concurrent('an adapter of the tenant platform reports on the subject of the tenant of the command', async (context) => {
  const { on, serve } = await setUp(context);
  const durable = { durable_name: `platform+${vendor}`, ack_policy: AckPolicy.Explicit };
  await on.manager.consumers.add('TOP_COMMANDS', durable);
  const { adapter } = await serve(undefined, { tenantId: 'platform' });
  const [command] = await on.send([{}]);
  await vi.waitFor(async () => expect(await on.updates()).toMatchObject([{ command_id: command?.command_id }]), within);
  await expect(adapter.request(request())).rejects.toThrow('tenant_id');
  void adapter.request(request({ tenant_id: tenantId }));
  await vi.waitFor(async () => expect(await on.requests()).toHaveLength(1), within);
});

test.concurrent('connects with TLS, by the authority that it is given', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'top-adapter-tls-'));
  context.onTestFinished(() => rmSync(folder, { recursive: true }));
  const key = join(folder, 'key.pem');
  const caFile = join(folder, 'certificate.pem');
  const parameters = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=nats'];
  const files = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-keyout', key, '-out', caFile];
  await promisify(execFile)('openssl', [...parameters, ...files]);
  const configuration = `tls { cert_file: "${caFile}", key_file: "${key}" }`;
  const { on, serve } = await setUp(context, { configuration, tls: { caFile } });
  const { runs } = await serve(undefined, { servers: on.nats.url.replace('nats://', 'tls://'), tls: { caFile } });
  await expectEachOnce(on, await on.send([{}]), runs);
});

test.concurrent('what is no command is named in the log, and blocks nothing', async (context) => {
  const { on, serve } = await setUp(context);
  const { runs, events } = await serve();
  await on.publish(`tenants.${tenantId}.commands.${vendor}`, 'no JSON');
  await on.publish(`tenants.${tenantId}.commands.${vendor}`, '{"command_id":"1"}');
  await expectEachOnce(on, await on.send([{}]), runs);
  expect(events.filter(({ event }) => event === 'invalid')).toHaveLength(2);
});

test.concurrent('waits for the durable, and says what is missing', async (context) => {
  const { on, serve } = await setUp(context);
  await on.deleteDurable();
  const events: AdapterEvent[] = [];
  const starting = serve(undefined, { log: (event) => events.push(event) });
  await vi.waitFor(() => expect(events.map(({ event }) => event)).toContain('not-readable'), within);
  expect(events.find(({ event }) => event === 'not-readable')?.message).toContain(`${tenantId}+${vendor}`);
  await on.createDurable();
  const { runs } = await starting;
  await expectEachOnce(on, await on.send([{}]), runs);
});

/** With a seed, the kit asks JetStream under the prefix that principals have. */
const API_WITHOUT_ACCOUNTS = 'mappings { "TOP.API.>": "$JS.API.>" }';

test.concurrent('a seed where NATS has no accounts: says that NATS asks for no key', async (context) => {
  const { on, serve } = await setUp(context, { configuration: API_WITHOUT_ACCOUNTS });
  const seed = new TextDecoder().decode(createUser().getSeed());
  const { runs, events } = await serve(undefined, { seed });
  expect(events.find(({ level }) => level === 'warn')?.message).toContain('asks for no key');
  await expectEachOnce(on, await on.send([{}]), runs);
});

test.concurrent('waits for NATS', async (context) => {
  const { on, serve } = await setUp(context);
  await on.nats.suspend();
  const events: AdapterEvent[] = [];
  const starting = serve(undefined, { log: (event) => events.push(event) });
  await vi.waitFor(() => expect(events.map(({ event }) => event)).toContain('disconnected'), within);
  await on.nats.resume();
  const { runs } = await starting;
  await expectEachOnce(on, await on.send([{}]), runs);
});
