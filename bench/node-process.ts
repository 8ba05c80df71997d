import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';

export type NodeProcess = { baseUrl: string; rssBytes: () => number; stop: () => Promise<void> };

/** Starts a server in a process of its own. Its log goes straight to stderr: reading it would cost the load generator time. */
export async function startNode(file: string, environment: Record<string, string> = {}): Promise<NodeProcess> {
  const { PATH, HOME } = process.env;
  const child = fork(file, [], {
    env: { PATH, HOME, ...environment },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const exited = once(child, 'exit').then(() => {
    process.off('exit', kill);
  });
  const baseUrl = await Promise.race([
    readyAt(child),
    exited.then(() => Promise.reject(new Error(`${file} ended before it was ready`))),
  ]);
  return {
    baseUrl,
    rssBytes: () => 1024 * Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' })),
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
  };
}

const readyAt = (child: ChildProcess) =>
  new Promise<string>((resolve) => {
    child.on('message', (message: { type?: string; base_url?: string }) => {
      if (message.type === 'ready' && message.base_url) resolve(message.base_url);
    });
  });
