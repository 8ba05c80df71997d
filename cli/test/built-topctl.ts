import { type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Outcome } from './topctl.js';

/** What npm installs as `topctl`. */
export const binary = new URL('../bin/topctl.mjs', import.meta.url).pathname;
const terminal = new URL('./terminal.mjs', import.meta.url).href;

type World = {
  env?: Record<string, string>;
  cwd?: string;
  stdin?: string;
  /** The input for each prompt of a terminal, in order. Absent: no terminal. */
  typed?: readonly string[];
  /** Replaces stdout or stderr: by an open file, or by a pipe that nobody reads. */
  stdout?: number | 'closed';
  stderr?: number;
};

/** Runs the built program as a process of its own. */
export async function builtTopctl(argv: readonly string[], world: World = {}): Promise<Outcome> {
  const { env = {}, cwd, stdin = '', typed } = world;
  const flags = typed ? ['--import', terminal] : [];
  const stdout = world.stdout === 'closed' ? 'pipe' : (world.stdout ?? 'pipe');
  const stdio: StdioOptions = ['pipe', stdout, world.stderr ?? 'pipe'];
  const child = spawn(process.execPath, [...flags, binary, ...argv], { env: { NO_COLOR: '1', ...env }, cwd, stdio });
  if (world.stdout === 'closed') child.stdout?.destroy();
  const texts = { stdout: '', stderr: '' };
  const answers = [...(typed ?? [])];
  child.stdout?.on('data', (chunk) => {
    texts.stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    texts.stderr += chunk;
    if (!typed) return;
    // The next prompt; or an answered one. A pipe, unlike a terminal, keeps the program running until it ends.
    if (String(chunk).includes('◆') && answers.length > 0) child.stdin?.write(answers.shift() as string);
    if (texts.stderr.split(/[◇■]/).length > typed.length) child.stdin?.end();
  });
  if (!typed) child.stdin?.on('error', () => {}).end(stdin);
  const [exitCode] = await once(child, 'close');
  return { exitCode, ...texts };
}
