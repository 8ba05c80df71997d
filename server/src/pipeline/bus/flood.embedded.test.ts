import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { subjects } from '@tenant-open-platform/contract/bus';
import { atEnd, databaseFolder, startNode } from '@tenant-open-platform/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { commandToAccept } from '../../../test/support/command-to-accept.js';
import { openPool } from '../../../test/support/open-pool.js';
import { silent } from '../../../test/support/silent.js';
import { startBackground } from '../../background.js';
import { readConfig } from '../../config.js';
import { localSignals } from '../../foundation/signals/signals.js';
import { createCommandAccepter } from '../accept.js';
import { startSimulatedFleet } from '../simulated-fleet.js';
import { type Bus, MAX_IN_FLIGHT } from './bus.js';
import { inProcessBus } from './in-process-bus.js';

const FLOOD = 5_000;
const FLOODING = 'platform';
const worker = fileURLToPath(new URL('../../../dist/embedded-worker.js', import.meta.url));

let bus: Bus;
let stops: (() => Promise<void>)[];

/** The embedded database and the bus of a single process, in this process: only it can reach that bus. */
const folder = databaseFolder();
const server = await startNode({ DATA_DIR: folder });
await server.stop();
const { demo } = server;
const path = join(folder, 'flood.sock');
const embedded = new Worker(worker, { workerData: { directory: join(folder, 'postgres'), socketPath: path } });
await once(embedded, 'message');
atEnd(async () => {
  embedded.postMessage('stop');
  await once(embedded, 'exit');
});
const database = openPool('postgres://postgres@localhost', { path, max: 1, max_lifetime: null });

beforeEach(async () => {
  bus = inProcessBus();
  const config = readConfig({ MODE: 'development' });
  const background = await startBackground({ ...silent(), database, bus, signals: localSignals(), config });
  const fleet = await startSimulatedFleet(bus);
  stops = [background.stop, fleet.stop, bus.close];
});

afterEach(async () => {
  for (const stop of stops) await stop();
});

async function newCommand(): Promise<string> {
  const accepted = await createCommandAccepter(database)({
    caller: { tenantId: demo.tenant_id, clientId: demo.client_id },
    command: commandToAccept({ timeout_seconds: 120 }),
  });
  if (accepted.outcome !== 'ACCEPTED') throw new Error(accepted.outcome);
  return accepted.command_id;
}

const statusOf = async (id: string): Promise<string> => {
  const [row] = await database.sql<{ status: string }[]>`select status from commands where command_id = ${id}`;
  return row?.status ?? '';
};

async function storedRequests(): Promise<number> {
  const [row] = await database.sql<{ count: number }[]>`
    select count(*)::int as count from device_requests where tenant_id = ${FLOODING}`;
  return row?.count ?? FLOOD;
}

const floods = {
  updates: {
    subject: subjects.commandUpdate(FLOODING, 'vendor_a'),
    message: () => ({ command_id: randomUUID(), device_execution_status: 'SUCCEEDED' }),
    waiting: async () => (await bus.untakenUpdates()).get(FLOODING),
  },
  'device requests': {
    subject: subjects.deviceRequest(FLOODING, 'vendor_a'),
    message: () => ({ device_id: 'd-1', request_type: 'help', payload: {}, dedupe_id: randomUUID() }),
    waiting: async () => FLOOD - (await storedRequests()),
  },
};

test.each(['updates', 'device requests'] as const)(
  `of ${FLOOD} tiny %s of one tenant many still wait when another tenant's command has succeeded`,
  { timeout: 120_000 },
  async (kind) => {
    const { subject, message, waiting } = floods[kind];
    const body = () => Buffer.from(JSON.stringify(message()));
    await bus.publish(Array.from({ length: FLOOD }, () => ({ subject, id: randomUUID(), body: body() })));
    const id = await newCommand();
    await expect.poll(() => statusOf(id), { timeout: 60_000, interval: 20 }).toBe('SUCCEEDED');
    expect(await waiting()).toBeGreaterThan(2 * MAX_IN_FLIGHT);
  },
);
