import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { StartupError } from '../startup-error.js';
import { lockDataDirectory } from './lock.js';

/** Starts the embedded database. It listens on a private socket in the data directory, for one connection at a time. */
export async function startEmbeddedDatabase(directory: string): Promise<{ socketPath: string; stop(): Promise<void> }> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const lock = await lockDataDirectory(directory);
  const socketPath = path.resolve(directory, 'database.sock');
  const worker = new Worker(new URL('./embedded-worker.js', import.meta.url), {
    workerData: { directory: path.resolve(directory, 'postgres'), socketPath },
  });
  try {
    await new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve());
      worker.once('error', reject);
      worker.once('exit', (code) => reject(new Error(`its worker exited with ${code}`)));
    });
  } catch (error) {
    await lock.release();
    throw new StartupError(
      `The embedded database in ${directory} did not open: ${error instanceof Error ? error.message : error}`,
    );
  }
  let isStopping = false;
  let failure: unknown;
  worker.on('error', (error) => {
    failure = error;
  });
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', (code) => {
      if (isStopping) return resolve();
      // Nothing can be answered without it; whoever runs the process starts it again.
      const reason = failure instanceof Error ? failure.message : `its worker exited with ${code}`;
      console.error(`The embedded database in ${directory} ended: ${reason}.`);
      process.exit(1);
    });
  });
  return {
    socketPath,
    async stop() {
      isStopping = true;
      worker.postMessage('stop');
      await exited;
      await lock.release();
      if (failure) throw failure;
    },
  };
}
