import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { atEnd } from '@tenant-open-platform/testing';
import type { Execution } from './lies.js';
import { kill, type TestedAdapter } from './start-killable.js';

/** A program of this folder, by itself, with the packages as built. */
function launch(program: string, environment: Record<string, string> = {}): ChildProcess {
  const { PATH, HOME, TMPDIR } = process.env;
  return fork(join(import.meta.dirname, program), {
    cwd: import.meta.dirname,
    execArgv: program.endsWith('.ts') ? ['--import', 'tsx'] : [],
    env: { PATH, HOME, TMPDIR, ...environment },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
}

/** An adapter with the kit. Its devices run in another process, which is never killed and records what they do. */
export async function startRecordedAdapter(): Promise<TestedAdapter> {
  const recorder = launch('recorder-process.ts');
  atEnd(() => kill(recorder));
  const [port] = await once(recorder, 'message');
  const devices = `http://127.0.0.1:${port}`;
  return {
    launch: ({ NATS_URL, ...settings }) => {
      const child = launch('recorded-adapter-process.mjs', { SERVERS: NATS_URL, ...settings, DEVICES: devices });
      return { child, reads: once(child, 'message') };
    },
    executions: async () => (await (await fetch(devices)).json()) as Execution[],
  };
}
