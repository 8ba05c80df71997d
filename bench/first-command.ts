import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { renderFirstCommands } from './results.js';

const STARTS = 5;
const root = fileURLToPath(new URL('../', import.meta.url));

/** What the platform prints to be pasted. */
const PRINTED = /^ +(npx topctl .* commands create .* --wait)$/m;

/** Milliseconds from the start of `npm start`. */
export type Start = { readyMs: number; succeededMs: number };
export type FirstCommands = {
  newDirectory: Start[];
  existingDirectory: Start[];
  loadBefore: number;
  loadAfter: number;
};

/** From `npm start` to the outcome of the command that it asks to paste, with a new and an existing data directory in turn. */
export async function measureFirstCommands(): Promise<FirstCommands> {
  const folder = mkdtempSync(join(tmpdir(), 'top-first-command-'));
  const [loadBefore = 0] = loadavg();
  const newDirectory: Start[] = [];
  const existingDirectory: Start[] = [];
  try {
    // Installs and builds what changed: what is measured is the copy that has been started before.
    await measureStart(join(folder, 'existing'));
    for (let number = 1; number <= STARTS; number++) {
      newDirectory.push(await measureStart(join(folder, `new-${number}`)));
      existingDirectory.push(await measureStart(join(folder, 'existing')));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const [loadAfter = 0] = loadavg();
  return { newDirectory, existingDirectory, loadBefore, loadAfter };
}

async function measureStart(dataDirectory: string): Promise<Start> {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, PORT: '0', DATA_DIR: dataDirectory };
  const startedAt = performance.now();
  // In a group of its own, because npm puts a shell between itself and the platform.
  const platform = spawn('npm', ['start'], { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(platform, 'close');
  const kill = (signal: NodeJS.Signals) => platform.pid && process.kill(-platform.pid, signal);
  const killAtExit = () => kill('SIGKILL');
  process.once('exit', killAtExit);
  try {
    const line = await Promise.race([
      printedLine(platform.stdout),
      closed.then(() => Promise.reject(new Error('npm start ended before it was ready'))),
    ]);
    const readyMs = performance.now() - startedAt;
    const { stdout } = await promisify(execFile)('sh', ['-c', line], { cwd: root, env });
    const succeededMs = performance.now() - startedAt;
    const { status } = JSON.parse(stdout);
    if (status !== 'SUCCEEDED') throw new Error(`The first command is ${status}.`);
    return { readyMs, succeededMs };
  } finally {
    kill('SIGTERM');
    await closed;
    process.off('exit', killAtExit);
  }
}

const printedLine = (stdout: Readable) =>
  new Promise<string>((resolve) => {
    let printed = '';
    stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      const line = PRINTED.exec(printed)?.[1];
      if (line !== undefined) resolve(line);
    });
  });

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(renderFirstCommands(await measureFirstCommands()));
