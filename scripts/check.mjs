import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

/**
 * Runs every `check:…` of package.json in parallel, and shows the output of each failed one in one piece. `pnpm run
 * '/^check:/'` stops the others at the first failure; with `--no-bail` it exits 0 although one failed (pnpm 10.34).
 */
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const programs = [join(root, 'node_modules', '.bin'), join(root, '.tools', 'node_modules', '.bin'), process.env.PATH];
const env = { ...process.env, PATH: programs.join(':') };

function run(name) {
  const startedAt = Date.now();
  let output = '';
  const child = spawn(scripts[name], { cwd: root, env, shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  return new Promise((resolve) => {
    child.on('close', (code) => {
      const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
      process.stdout.write(code === 0 ? `${name}: clean (${seconds} s)\n` : `${name}: failed\n${output}\n`);
      resolve(code === 0);
    });
  });
}

const names = Object.keys(scripts).filter((name) => name.startsWith('check:'));
const clean = await Promise.all(names.map(run));
process.exitCode = clean.every(Boolean) ? 0 : 1;
