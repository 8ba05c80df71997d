import { rm } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { openPGlite } from './durable-pglite.js';
import { serveSessions } from './embedded-sessions.js';

/** Runs the embedded database off the main thread, so that a query never delays a request that needs no database. */
const { directory, socketPath } = workerData as { directory: string; socketPath: string };

await rm(socketPath, { force: true });
const database = await openPGlite(directory);
const server = await serveSessions(database, socketPath, () => parentPort?.postMessage('left'));

async function stop(): Promise<void> {
  await server.stop();
  await database.close();
  parentPort?.close();
}

parentPort?.once('message', () => void stop());
parentPort?.postMessage('ready');
