import { type ChildProcess, fork as forkChild } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';

type Options = { args?: string[]; environment?: Record<string, string>; cwd?: string };

/** Starts a JavaScript or TypeScript file in a separate process. `message` is its first message. */
export function fork(file: string, { args = [], environment = {}, cwd = dirname(file) }: Options = {}) {
  const { PATH, HOME } = process.env;
  const child = forkChild(file, args, {
    cwd,
    env: { PATH, HOME, ...environment },
    execArgv: file.endsWith('.ts') ? ['--import', 'tsx'] : [],
    // Straight to stderr: reading the log here would cost time.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const exited = once(child, 'exit').then(() => {
    process.off('exit', kill);
  });
  const message = Promise.race([
    messageOf(child),
    exited.then(() => Promise.reject(new Error(`${file} ended before it sent a message.`))),
  ]);
  return { child, exited, message };
}

export const messageOf = async (child: ChildProcess): Promise<unknown> => (await once(child, 'message'))[0];

export type NodeProcess = { baseUrl: string; pid: number; stop: () => Promise<void> };

/** Starts a server and resolves when it listens. */
export async function startNode(file: string, options: Options = {}): Promise<NodeProcess> {
  const { child, exited, message } = fork(file, options);
  const { base_url: baseUrl } = (await message) as { base_url: string };
  return {
    baseUrl,
    pid: child.pid ?? 0,
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
  };
}
