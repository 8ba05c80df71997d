import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const installed = join(import.meta.dirname, '../../node_modules/.runtimes');

/** The folder of an npm package and its dependencies, installed on first use in a few seconds. */
export function install(spec: string): string {
  const prefix = join(installed, spec);
  if (!existsSync(join(prefix, 'node_modules'))) {
    mkdirSync(prefix, { recursive: true });
    writeFileSync(join(prefix, 'package.json'), '{}');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', spec], { cwd: prefix });
  }
  return join(prefix, 'node_modules');
}

export const programOf = (spec: string, name: string) => join(install(spec), '.bin', name);
