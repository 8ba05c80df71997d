import { rm } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';

/** The default of 128 MB assumes a machine of its own. */
const SMALL = ['-c', 'shared_buffers=16MB'];

/** Runs the embedded database off the main thread, so that a query never delays a request that needs no database. */
const { directory, socketPath } = workerData as { directory: string; socketPath: string };

await rm(socketPath, { force: true });
const database = await PGlite.create(directory, { startParams: [...PGlite.defaultStartParams, ...SMALL] });
const server = new PGLiteSocketServer({ db: database, path: socketPath });
await server.start();

async function stop(): Promise<void> {
  await server.stop();
  await database.close();
  parentPort?.close();
}

parentPort?.once('message', () => void stop());
parentPort?.postMessage('ready');
