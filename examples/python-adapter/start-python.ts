import { execFile } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '@tenant-open-platform/testing';
import { startPlatform } from '../vendor-adapter/start-platform.js';

/** A platform, and an environment of Python with what the adapter needs. */
export async function startPython() {
  const run = promisify(execFile);
  const folder = temporaryFolder();
  const python = join(folder, 'bin/python');
  const install = async () => {
    await run('python3', ['-m', 'venv', folder]);
    const constraints = join(import.meta.dirname, 'constraints.txt');
    await run(python, ['-m', 'pip', 'install', '-q', '-c', constraints, 'nats-py[nkeys]']);
  };
  const [platform] = await Promise.all([startPlatform(), install()]);

  async function start(program = join(import.meta.dirname, 'adapter.py'), environment: Record<string, string> = {}) {
    const adapter = await platform.startAdapter({ argv: [python, program], environment });
    await adapter.logged('Reads demo+vendor_a on TOP_COMMANDS.');
    return adapter;
  }

  /** The adapter with devices of the test, by the body of `carry_out(command, context)`. */
  async function startWith(carryOut: string, environment: Record<string, string> = {}) {
    const own = temporaryFolder();
    for (const file of ['adapter.py', 'outcomes.py']) copyFileSync(join(import.meta.dirname, file), join(own, file));
    const body = carryOut.trim().replaceAll('\n', '\n    ');
    const devices = `import asyncio, signal, sys, time\n\nasync def carry_out(command, context):\n    ${body}\n`;
    writeFileSync(join(own, 'devices.py'), devices);
    return start(join(own, 'adapter.py'), environment);
  }
  return { platform, python, start, startWith };
}
