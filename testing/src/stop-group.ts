import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Stops a program that was started with `detached`, and the programs that it started: npx and buildah do not pass
 * every signal on. Returns once all of them have ended.
 */
export async function stopGroup({ pid }: ChildProcess): Promise<void> {
  if (pid === undefined) return;
  try {
    for (process.kill(-pid, 'SIGTERM'); ; await delay(50)) process.kill(-pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
