import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Installs PyPI's `ocpp` into the folder. Resolves to the Python that has it. */
export async function installChargePoints(folder: string): Promise<string> {
  const python = join(folder, 'venv/bin/python');
  await run('python3', ['-m', 'venv', join(folder, 'venv')]);
  const constraints = join(import.meta.dirname, 'constraints.txt');
  await run(python, ['-m', 'pip', 'install', '-q', '-c', constraints, 'ocpp', 'websockets']);
  return python;
}
