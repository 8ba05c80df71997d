import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { atEnd, databaseFolder, startNode } from '@tenant-open-platform/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { commandToAccept } from '../test/support/command-to-accept.js';
import { openPool } from '../test/support/open-pool.js';
import { silent } from '../test/support/silent.js';
import { startBackground } from './background.js';
import { readConfig } from './config.js';
import { localSignals, topics } from './foundation/signals/signals.js';
import { slotOf } from './foundation/slots.js';
import { createCommandAccepter } from './pipeline/accept.js';
import { inProcessBus } from './pipeline/bus/in-process-bus.js';
import { startSimulatedFleet } from './pipeline/simulated-fleet.js';

const SECONDS = 15;

const folder = databaseFolder();
const server = await startNode({ DATA_DIR: folder });
await server.stop();
const path = join(folder, 'idle.sock');
const embedded = new Worker(fileURLToPath(new URL('../dist/embedded-worker.js', import.meta.url)), {
  workerData: { directory: join(folder, 'postgres'), socketPath: path },
});
await once(embedded, 'message');
atEnd(async () => {
  embedded.postMessage('stop');
  await once(embedded, 'exit');
});

test('an idle embedded platform leaves its database alone, and carries out the next command at once', async () => {
  const statements: string[] = [];
  const debug = (_connection: number, query: string) => void statements.push(query.trim().slice(0, 60));
  const database = openPool('postgres://postgres@localhost', { path, max: 1, max_lifetime: null, debug });
  const bus = inProcessBus();
  const signals = localSignals({ mayGetLost: false });
  const config = readConfig({ MODE: 'development' });
  const background = await startBackground({ ...silent(), database, bus, signals, config });
  const fleet = await startSimulatedFleet(bus);
  onTestFinished(async () => {
    await background.stop();
    await fleet.stop();
    await bus.close();
  });
  // The first round of each loop.
  await vi.waitFor(
    async () => {
      statements.length = 0;
      await delay(3_000);
      expect(statements).toEqual([]);
    },
    { timeout: 60_000 },
  );
  await delay(SECONDS * 1_000);
  // Before: 12 a second. What is left are the reads of adapters.
  expect(statements.length, statements.join('\n')).toBeLessThan(SECONDS * 2);
  const { tenant_id: tenantId, client_id: clientId } = server.demo;
  const command = commandToAccept({ timeout_seconds: 300 });
  const accepted = await createCommandAccepter(database)({ caller: { tenantId, clientId }, command });
  if (accepted.outcome !== 'ACCEPTED') throw new Error(accepted.outcome);
  signals.send([topics.outbox(slotOf(tenantId))]);
  const statusOf = () => database.sql`select status from commands where command_id = ${accepted.command_id}`;
  await vi.waitFor(async () => expect(await statusOf()).toEqual([{ status: 'SUCCEEDED' }]), {
    // Without a signal it would be up to a minute.
    timeout: 30_000,
    interval: 100,
  });
});
