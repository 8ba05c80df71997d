import { type Answer, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { COMMANDS, cancelCommand, completed, newCommand } from '../../test/support/commands.js';
import { startIdlePlatform } from '../../test/support/idle-platform.js';
import { openPool } from '../../test/support/open-pool.js';
import { sweeperOfEverySlot } from '../../test/support/owned-slots.js';
import { createRedeliveringReporter } from '../../test/support/reporter.js';
import { silent } from '../../test/support/silent.js';
import { localSignals } from '../foundation/signals/signals.js';
import { inProcessBus } from './bus/in-process-bus.js';

/** Commands stay ACCEPTED until a test starts a node with a relay. */
const platform = await startIdlePlatform();
const { demo } = platform;
const database = openPool(platform.databaseUrl);

const get = async (id: string, query = ''): Promise<Answer['body']> =>
  (await signedRequest(demo, 'GET', `${COMMANDS}/${id}${query}`)).body;

const eventsOf = async (id: string): Promise<string[]> => {
  const { body } = await signedRequest(demo, 'GET', `/api/v1/open/events?command_id=${id}`);
  return body.items.map(({ event_type }: Answer['body']) => event_type);
};

/** A relay passes over the commands so far, and continues. */
async function relayOn(): Promise<void> {
  await platform.startBeside({});
  expect(await completed(demo, await newCommand(demo, { timeout_seconds: 300 }))).toMatchObject({
    status: 'SUCCEEDED',
  });
}

test('a command that is canceled before its dispatch is canceled for good, and never dispatched', async () => {
  const id = await newCommand(demo, { timeout_seconds: 300 });
  const report = createRedeliveringReporter(database, localSignals(), silent().metrics);
  const outcome = await report({
    tenantId: demo.tenant_id,
    vendor: 'vendor_a',
    sentAt: new Date(),
    update: { command_id: id, device_execution_status: 'SUCCEEDED', result: { done: true } },
  });
  expect(outcome).toBe('TOO_EARLY');
  const { status, body } = await cancelCommand(demo, id);
  expect([status, body.status, body.dispatched_at]).toEqual([200, 'CANCELED', null]);
  await relayOn();
  const record = await get(id);
  expect([record.status, record.dispatched_at, record.late_result]).toEqual(['CANCELED', null, null]);
  expect(await eventsOf(id)).toEqual(['command.accepted', 'command.completed']);
});

test('a command whose deadline passes before its dispatch is EXPIRED, and never dispatched', async () => {
  const id = await newCommand(demo, { timeout_seconds: 1 });
  const sweeping = { ...silent(), database, signals: localSignals(), bus: inProcessBus(), intervalMs: 500 };
  await expect.poll(sweeperOfEverySlot(sweeping)).toBeGreaterThan(0);
  const body = await get(id, '?wait_seconds=30');
  expect([body.status, body.adapter_status, body.device_execution_status, body.public_status]).toEqual([
    'EXPIRED',
    'PENDING',
    'NOT_STARTED',
    'FAILED',
  ]);
  expect([body.status_reason.code, body.dispatched_at]).toEqual(['EXPIRED', null]);
  await relayOn();
  expect((await get(id)).dispatched_at).toBeNull();
  expect(await eventsOf(id)).toEqual(['command.accepted', 'command.completed']);
});
