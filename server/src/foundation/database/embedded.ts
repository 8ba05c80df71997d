import { once } from 'node:events';
import { constants, cpSync, existsSync } from 'node:fs';
import { chmod, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { StartupError } from '../startup-error.js';
import { isLocked, lockInDirectory } from './lock-in-directory.js';

/**
 * Starts the embedded database: PGlite in a worker thread. It listens on a private socket in the data directory, and the
 * same driver connects to it. All other code is the same as on Postgres, with these differences:
 * - Connections take turns, and the platform has one: code inside a transaction must run all its queries on that
 *   transaction.
 * - It has no statement_timeout. A connection that is silent within a transaction is cut off if others wait.
 * - It has no autovacuum: database.ts vacuums and analyzes it every minute.
 * - Only one process may open the directory: it is locked.
 */
export async function startEmbeddedDatabase(directory: string) {
  await makePrivate(directory);
  const lock = await lockInDirectory(directory, LOCK, inUse(directory));
  const socketPath = socketIn(directory);
  const files = path.resolve(directory, 'postgres');
  let worker: Worker;
  try {
    await copyPrepared(files);
    setFlagsFromString(LATER_TIER_UP);
    worker = new Worker(new URL('./embedded-worker.js', import.meta.url), {
      workerData: { directory: files, socketPath },
    });
    const exit = once(worker, 'exit').then(([code]) => Promise.reject(new Error(`its worker exited with ${code}`)));
    await Promise.race([once(worker, 'message'), exit]);
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
      // The process cannot answer anything without it. A supervisor restarts the process.
      const reason = failure instanceof Error ? failure.message : `its worker exited with ${code}`;
      console.error(`The embedded database in ${directory} ended: ${reason}.`);
      process.exit(1);
    });
  });
  return {
    socketPath,
    /** Called when a connection has ended: another program may have worked on the database. */
    onLeft: (tell: () => void) => void worker.on('message', (said) => said === 'left' && tell()),
    async stop() {
      isStopping = true;
      worker.postMessage('stop');
      await exited;
      await lock.release();
      if (failure) throw failure;
    },
  };
}

const socketIn = (directory: string) => path.resolve(directory, 'database.sock');

/** Where another process serves the embedded database of this directory; null if none does. */
export const findEmbeddedDatabase = async (directory: string): Promise<string | null> =>
  (await isLocked(directory, LOCK)) ? socketIn(directory) : null;

/** Tells other programs, as long as this process lives, that its bus is inside it. */
export const holdOwnBus = (directory: string) => lockInDirectory(directory, OWN_BUS, inUse(directory));

export const hasOwnBus = (directory: string) => isLocked(directory, OWN_BUS);

const OWN_BUS = 'bus';
/** Two processes on one embedded database corrupt it. */
const LOCK = 'lock';

const inUse = (directory: string) =>
  new StartupError(
    `DATA_DIR ${directory} is in use by another process. Stop it first, or give this one another DATA_DIR.`,
  );

/**
 * V8 compiles a busy function of Postgres a second time, to faster code. By default it does so so early that the start
 * costs 0.7 s more CPU and 40 MB more memory. A budget 100 times as high delays the second compilation until there is
 * load, and does not cost throughput. Without any second compilation a command took 40 % more CPU.
 */
const LATER_TIER_UP = '--wasm-tiering-budget=200000000';

/** The file that the build puts into each empty folder: a package of npm has no empty folders. */
export const KEEP_FOLDER = '.keep';
const PREPARED = fileURLToPath(new URL('./embedded-database', import.meta.url));

/** A new database starts as a copy of the one that the build prepared. It appears whole or not at all, also at a power cut. */
async function copyPrepared(files: string): Promise<void> {
  if (existsSync(path.join(files, 'PG_VERSION'))) return;
  const copy = `${files}.new`;
  await rm(copy, { recursive: true, force: true });
  const filter = (file: string) => path.basename(file) !== KEEP_FOLDER;
  cpSync(PREPARED, copy, { recursive: true, mode: constants.COPYFILE_FICLONE, filter });
  const inside = await readdir(copy, { recursive: true });
  // One after the other: a thousand open files are more than many systems allow.
  for (const name of ['', ...inside]) await writeThrough(path.join(copy, name));
  await rename(copy, files);
  await writeThrough(path.dirname(files));
}

async function writeThrough(file: string): Promise<void> {
  const handle = await open(file);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * The files hold the data of every tenant, and the socket gives superuser rights. PGlite creates files with mode 0666
 * whatever the umask is, so the directories must keep other users out.
 */
async function makePrivate(directory: string): Promise<void> {
  process.umask(0o077);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { mode, uid } = await stat(directory);
  if ((mode & 0o077) === 0) return;
  const isShared = (mode & STICKY) !== 0;
  if (isShared || uid !== process.getuid?.()) {
    throw new StartupError(
      `DATA_DIR ${directory} ${isShared ? 'is shared by all users' : 'belongs to another user'}, who could read and change the database in it. Choose a directory of your own.`,
    );
  }
  await chmod(directory, 0o700);
}

/** True for /tmp, for example. */
const STICKY = 0o1000;
