import { rm } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { openPGlite } from './durable-pglite.js';

/** Runs the embedded database off the main thread, so that a query never delays a request that needs no database. */
const { directory, socketPath } = workerData as { directory: string; socketPath: string };

await rm(socketPath, { force: true });
const database = await openPGlite(directory);
const server = new PGLiteSocketServer({ db: database, path: socketPath });
await server.start();

async function stop(): Promise<void> {
  await server.stop();
  await database.close();
  parentPort?.close();
}

parentPort?.once('message', () => void stop());
parentPort?.postMessage('ready');
