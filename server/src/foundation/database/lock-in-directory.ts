import { once } from 'node:events';
import { rmSync, statSync } from 'node:fs';
import { link, rm, stat } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartupError } from '../startup-error.js';

/** sun_path holds 104 bytes on macOS and 108 on Linux, including the terminating NUL. */
const MAX_SOCKET_PATH_BYTES = 103;

/**
 * Locks something in a directory for this process; `held` is thrown if another process has the lock. It is a listening
 * socket. The kernel closes it with the process, so kill -9 leaves no stale lock to guess about.
 */
export async function lockInDirectory(
  directory: string,
  name: string,
  held: StartupError,
): Promise<{ release(): Promise<void> }> {
  const lockPath = lockPathIn(directory, name);
  const ownPath = lockPathIn(directory, `${name}-${process.pid}`);
  if (Buffer.byteLength(ownPath) > MAX_SOCKET_PATH_BYTES) {
    throw new StartupError(
      `DATA_DIR is too long: ${ownPath} must have at most ${MAX_SOCKET_PATH_BYTES} bytes. Choose a shorter path.`,
    );
  }
  await rm(ownPath, { force: true });
  const server = createServer((socket) => socket.destroy()).unref();
  await once(server.listen(ownPath), 'listening');
  try {
    const { ino } = await stat(ownPath);
    if (!(await tryLink(ownPath, lockPath))) {
      const found = inodeOf(lockPath);
      if (await isHeld(lockPath)) throw held;
      // Another process may have replaced the dead lock while this one was suspended. A live lock can be removed only
      // if this process is suspended between these two system calls for longer than the wait below.
      if (inodeOf(lockPath) === found) rmSync(lockPath, { force: true });
      if (!(await tryLink(ownPath, lockPath))) throw held;
      // Two processes may both have found the dead lock, and the second one removed the first one's new lock: the last
      // lock stays.
      await delay(100);
      if ((await stat(lockPath)).ino !== ino) throw held;
    }
  } catch (error) {
    server.close();
    throw error;
  } finally {
    await rm(ownPath, { force: true });
  }
  return {
    async release() {
      await rm(lockPath, { force: true });
      server.close();
    },
  };
}

const inodeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.ino;

const tryLink = (from: string, to: string): Promise<boolean> =>
  link(from, to).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw error;
    },
  );

export const isLocked = (directory: string, name: string) => isHeld(lockPathIn(directory, name));

const lockPathIn = (directory: string, name: string) => path.join(directory, `${name}.sock`);

function isHeld(lockPath: string): Promise<boolean> {
  const socket = connect(lockPath);
  return once(socket, 'connect')
    .then(() => true)
    .catch(({ code }: NodeJS.ErrnoException) => code !== 'ECONNREFUSED' && code !== 'ENOENT')
    .finally(() => socket.destroy());
}
