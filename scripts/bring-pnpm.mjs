import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail, root } from './root.mjs';

const tools = join(root, '.tools');
const pnpmScript = join(tools, 'node_modules', 'pnpm', 'bin', 'pnpm.cjs');

/**
 * npm passes its whole configuration to its scripts; only the settings for reaching the registry mean the same to pnpm.
 */
const keptSettings = /^npm_config_(registry|userconfig|cafile|strict_ssl|proxy|https_proxy|noproxy)$/i;

const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name) || keptSettings.test(name)),
);

function wantedVersion() {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return packageManager.replace(/^pnpm@/, '').replace(/\+.*$/, '');
}

/** Runs the program to ask for its version, because an interrupted installation leaves a folder that looks complete. */
function isThere(version) {
  if (!existsSync(pnpmScript)) return false;
  const asked = spawnSync(process.execPath, [pnpmScript, '--version'], { cwd: tools, env: environment });
  return asked.status === 0 && String(asked.stdout).trim() === version;
}

/** Installs the pnpm version of package.json into `.tools/`, unless it is there. */
export function bringPnpm() {
  const version = wantedVersion();
  if (isThere(version)) return;
  process.stderr.write(`Installing pnpm ${version} …\n`);
  const quiet = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const installed = spawnSync('npm', ['install', '--prefix', tools, '--force', ...quiet, `pnpm@${version}`], {
    cwd: root,
    env: environment,
    encoding: 'utf8',
  });
  if (installed.error) fail(`npm is needed to install pnpm, and did not start: ${installed.error.message}`);
  if (installed.status !== 0) fail(`npm could not install pnpm ${version}:\n${installed.stderr.trim()}`);
  if (!isThere(version)) fail(`pnpm ${version} does not run. Remove .tools and try again.`);
}

/** Runs the project's pnpm quietly; returns its output, which is shown if it fails. */
export function runPnpm(...parameters) {
  const result = spawnSync(process.execPath, [pnpmScript, ...parameters], {
    cwd: root,
    env: { ...environment, PATH: `${join(tools, 'node_modules', '.bin')}:${environment.PATH}` },
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return { ok: result.status === 0, output: `${result.stdout}${result.stderr}` };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) bringPnpm();
