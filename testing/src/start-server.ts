import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const builtHere = fileURLToPath(new URL('../../server/dist/main.js', import.meta.url));

export type RunningServer = {
  baseUrl: string;
  process: ChildProcess;
  stdout: () => string;
  stderr: () => string;
  /** Sends SIGTERM and resolves to the exit code once the process has ended. */
  stop: () => Promise<number | null>;
};

/** The process ended before it was ready. */
export class ServerExited extends Error {
  constructor(
    readonly exitCode: number | null,
    readonly stdout: string,
    readonly stderr: string,
  ) {
    super(`The server exited with ${exitCode} before it was ready.\n${stdout}${stderr}`);
  }
}

/** Starts `server/dist/main.js`, or that of another build, with exactly these variables, and resolves when it listens. */
export async function startServer(environment: Record<string, string>, main = builtHere): Promise<RunningServer> {
  const { PATH, HOME, TMPDIR } = process.env;
  const child = fork(main, [], {
    env: { PATH, HOME, TMPDIR, HOST: '127.0.0.1', PORT: '0', ...environment },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const closed = once(child, 'close').then(([code]) => {
    process.off('exit', kill);
    return code as number | null;
  });
  const baseUrl = await Promise.race([
    new Promise<string>((resolve) => {
      child.on('message', (message: { type?: string; base_url?: string }) => {
        if (message.type === 'ready' && message.base_url !== undefined) resolve(message.base_url);
      });
    }),
    closed.then((code) => Promise.reject(new ServerExited(code, stdout, stderr))),
  ]);
  return {
    baseUrl,
    process: child,
    stdout: () => stdout,
    stderr: () => stderr,
    stop: () => {
      child.kill('SIGTERM');
      return closed;
    },
  };
}
