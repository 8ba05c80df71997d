import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Stops a program that was started with `detached`, and the programs that it started: npx and buildah do not pass
 * every signal on. Returns once all of them have ended, and kills those that have not after 15 seconds. A process that
 * has ended, but is not reaped, still gets signals.
 */
export async function stopGroup({ pid }: ChildProcess): Promise<void> {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGTERM');
    for (let waits = 0; waits < 300; waits++) {
      await delay(50);
      process.kill(-pid, 0);
    }
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
