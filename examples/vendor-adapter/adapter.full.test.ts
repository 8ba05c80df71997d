import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { createUser } from '@nats-io/nkeys';
import { connect, nkeyAuthenticator } from '@nats-io/transport-node';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startPlatform } from './start-platform.js';

const platform = await startPlatform();

const argv = [process.execPath, '--import', 'tsx', join(import.meta.dirname, 'adapter.ts')];

async function start(tenantId: 'demo' | 'platform', vendor = 'vendor_a') {
  const adapter = await platform.startAdapter({ argv, tenantId, vendor });
  await adapter.logged(`Serving ${vendor} for ${tenantId}.`);
  return adapter;
}

test('carries out commands of its tenant with the key of its principal, and reports the results', async () => {
  const { stop } = await start('demo');
  expect(await platform.outcomeOf(await platform.send({}))).toMatchObject({
    status: 'SUCCEEDED',
    adapter_status: 'DELIVERED',
    device_execution_status: 'SUCCEEDED',
    result: { uptime_seconds: 0 },
  });
  const refused = await platform.send({ command_type: 'set_power', payload: { power: 'on' } });
  expect(await platform.outcomeOf(refused)).toMatchObject({
    status: 'REJECTED',
    device_execution_status: 'REJECTED',
    status_reason: { code: 'DOOR_OPEN' },
  });
  await stop();
});

test('a command that came after its deadline is TIMED_OUT, and its record says that it was not started', async () => {
  // Enough for a slow platform to send it.
  const commandId = await platform.send({ timeout_seconds: 12 });
  expect(await platform.outcomeOf(commandId)).toMatchObject({ status: 'TIMED_OUT', late_result: null });
  const { stop } = await start('demo');
  expect(await platform.lateResultOf(commandId)).toMatchObject({
    adapter_status: 'UNREACHABLE',
    status_reason: { code: 'NOT_STARTED' },
  });
  await stop();
});

test('refuses a command for a device that is not of the tenant', async () => {
  const { stop } = await start('demo');
  expect(await platform.outcomeOf(await platform.send({ device_id: 'acme-1' }))).toMatchObject({
    status: 'REJECTED',
    adapter_status: 'REJECTED',
    device_execution_status: 'NOT_STARTED',
    status_reason: { code: 'UNKNOWN_DEVICE' },
  });
  await stop();
});

test('carries out commands of every tenant with the key of a principal of the tenant platform', async () => {
  const { stop } = await start('platform', 'vendor_b');
  const commandId = await platform.send({ vendor: 'vendor_b' });
  expect(await platform.outcomeOf(commandId)).toMatchObject({ status: 'SUCCEEDED' });
  await stop();
});

test('carries out a command only once if it is published twice', async () => {
  const connection = await connect({
    servers: platform.nats.url.slice('nats://'.length),
    authenticator: nkeyAuthenticator(platform.platformUser.getSeed()),
  });
  onTestFinished(() => connection.close());
  const manager = await jetstreamManager(connection);
  const { log, logged, stop } = await start('demo');
  const command = {
    command_id: randomUUID(),
    tenant_id: 'demo',
    vendor: 'vendor_a',
    device_id: 'demo-again',
    command_type: 'reboot',
    payload: {},
    accepted_at: new Date().toISOString(),
    deadline_at: new Date(Date.now() + 300_000).toISOString(),
    remaining_ms: 300_000,
  };
  const twice = [1, 2].map(() =>
    jetstream(connection).publish('tenants.demo.commands.vendor_a', JSON.stringify(command)),
  );
  await Promise.all(twice);
  await logged('demo-again: reboot');
  await vi.waitFor(
    async () => {
      const { num_pending, num_ack_pending } = await manager.consumers.info('TOP_COMMANDS', 'demo+vendor_a');
      expect([num_pending, num_ack_pending]).toEqual([0, 0]);
    },
    { timeout: 60_000 },
  );
  expect(log().match(/demo-again: reboot/g)).toHaveLength(1);
  await stop();
});

test('on SIGTERM reports the results of commands in progress, and exits', async () => {
  const { logged, stop } = await start('demo');
  const commandId = await platform.send({ device_id: 'demo-last' });
  await logged('demo-last: reboot');
  await stop();
  expect(await platform.outcomeOf(commandId)).toMatchObject({ status: 'SUCCEEDED' });
});

test('a key that is not registered ends the start, and the message says what to check', async () => {
  const seed = platform.seedFile('stranger', createUser());
  const { exited, log } = await platform.startAdapter({ argv, seed });
  expect(await exited).toEqual([1, null]);
  expect(log()).toContain('topctl bus-principals list');
});

test('without a key, or with a file that holds none, the start ends, and the message names the option', async () => {
  const none = join(platform.folder, 'none.nk');
  writeFileSync(none, 'no seed');
  const absent = join(platform.folder, 'absent.nk');
  const cases = [
    ['', 'demands a key: give the option seedFile or seed'],
    [none, `seedFile ${none}: It holds no seed of a user`],
    [absent, `seedFile ${absent}: ENOENT`],
  ] as const;
  for (const [seed, told] of cases) {
    const { exited, log } = await platform.startAdapter({ argv, seed });
    expect(await exited).toEqual([1, null]);
    expect(log()).toContain(told);
  }
});

test('a vendor that the principal does not serve: the log says what is missing, in one line without a stack', async () => {
  const { log, logged } = await platform.startAdapter({ argv, vendor: 'vendor_z' });
  await logged('Cannot read demo+vendor_z on TOP_COMMANDS');
  await logged('Do the options tenantId and vendor name a tenant and a vendor that it serves');
  expect(log()).not.toMatch(/^ {4}at /m);
});
