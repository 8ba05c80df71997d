import { rmSync, statSync } from 'node:fs';
import { link, rm, stat } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartupError } from '../startup-error.js';

/** sun_path holds 104 bytes on macOS and 108 on Linux, including the terminating NUL. */
const MAX_SOCKET_PATH_BYTES = 103;

/**
 * Locks the data directory for this process: two processes on one embedded database corrupt it. The lock is a listening
 * socket. The kernel closes it with the process, so kill -9 leaves no stale lock to guess about.
 */
export async function lockDataDirectory(directory: string): Promise<{ release(): Promise<void> }> {
  const lockPath = path.join(directory, 'lock.sock');
  const ownPath = path.join(directory, `lock-${process.pid}.sock`);
  if (Buffer.byteLength(ownPath) > MAX_SOCKET_PATH_BYTES) {
    throw new StartupError(
      `DATA_DIR is too long: ${ownPath} must have at most ${MAX_SOCKET_PATH_BYTES} bytes. Choose a shorter path.`,
    );
  }
  await rm(ownPath, { force: true });
  const server = await listen(ownPath);
  try {
    const { ino } = await stat(ownPath);
    if (!(await tryLink(ownPath, lockPath))) {
      const found = inodeOf(lockPath);
      if (await isHeld(lockPath)) throw held(directory);
      // Another process may have replaced the dead lock while this one was suspended. A live lock can be removed only
      // if this process is suspended between these two system calls for longer than the wait below.
      if (inodeOf(lockPath) === found) rmSync(lockPath, { force: true });
      if (!(await tryLink(ownPath, lockPath))) throw held(directory);
      // Two processes may both have found the dead lock, and the second one removed the first one's new lock: the last
      // lock stays.
      await delay(100);
      if ((await stat(lockPath)).ino !== ino) throw held(directory);
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

const held = (directory: string) =>
  new StartupError(
    `DATA_DIR ${directory} is in use by another process. Stop it first, or give this one another DATA_DIR.`,
  );

function listen(socketPath: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject);
    server.listen(socketPath, () => resolve(server.unref()));
  });
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function isHeld(lockPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(lockPath);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT'),
    );
  });
}
