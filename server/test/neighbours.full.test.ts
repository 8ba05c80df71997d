import { randomUUID } from 'node:crypto';
import { CommandUpdate, subjects } from '@tenant-open-platform/contract/bus';
import { signedRequest } from '@tenant-open-platform/testing';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { natsBus } from '../src/pipeline/bus/nats-bus.js';
import { startCell } from './support/cells.js';
import { COMMANDS, completed, newCommand } from './support/commands.js';
import { ID_OF_N, multiply } from './support/multiply.js';
import { startNeighbours } from './support/neighbours.js';

/** What happens to one tenant, or what it does, is not seen by two others: one of its slot, one of another slot. */
const KEPT = 20_000;
const UPDATES = 5_000;
const PAGES = 200;

const cell = await startCell({ SIMULATED_FLEET: 'true' });

/** A tenant with `KEPT` commands, and two neighbours that work. */
async function startTenant(tenantId: string) {
  await cell.call('POST', 'platform/tenants', { tenant_id: tenantId, name: tenantId });
  const operator = await cell.newProfile(tenantId, 'integration_operator');
  await completed(operator, await newCommand(operator));
  const ended = { command_id: ID_OF_N, idempotency_key: `'key-' || n` };
  await multiply(cell.owner, 'commands', KEPT, ended, `tenant_id = '${tenantId}'`);
  return { operator, neighbours: await startNeighbours(cell, tenantId) };
}

test('a tenant is deleted with everything that it has kept', async () => {
  const { neighbours } = await startTenant('leaving');
  await cell.call('PUT', 'platform/tenants/leaving', { status: 'DISABLED' });
  await cell.call('DELETE', 'platform/tenants/leaving?confirm=leaving');
  const left = async () => (await cell.owner`select from commands where tenant_id = 'leaving' limit 1`).length;
  await vi.waitFor(async () => expect(await left()).toBe(0), { timeout: 120_000 });
  await neighbours.check();
}, 240_000);

test('a tenant reads the longest pages, and its adapter floods the bus', async () => {
  const { operator, neighbours } = await startTenant('busy');
  const bus = await natsBus({ url: cell.nats.url }, pino({ level: 'silent' }));
  const update = CommandUpdate.parse({ command_id: randomUUID(), device_execution_status: 'SUCCEEDED' });
  const flood = bus.publish(
    Array.from({ length: UPDATES }, () => ({
      subject: subjects.commandUpdate('busy', 'vendor_a'),
      id: randomUUID(),
      body: Buffer.from(JSON.stringify(update)),
    })),
  );
  const pages = Array.from({ length: PAGES }, () => signedRequest(operator, 'GET', `${COMMANDS}?limit=500`));
  const statuses = (await Promise.all(pages)).map(({ status }) => status);
  // On a slow machine the last of them may have waited too long.
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  await flood;
  await bus.close();
  await neighbours.check();
}, 240_000);
