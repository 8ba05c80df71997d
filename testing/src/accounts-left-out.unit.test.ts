import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from './at-end.js';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** A folder with an own PATH, in which topctl prints accounts and ends with this code, and all else does nothing. */
function folderWith(exitCode: number) {
  const folder = temporaryFolder();
  for (const path of ['bin', 'etc', 'etc/top', 'tmp', 'accounts']) mkdirSync(join(folder, path));
  const program = (name: string, text: string) =>
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o700 });
  program('topctl', `echo 'accounts { }'; exit ${exitCode}`);
  for (const name of ['nats-server', 'systemctl', 'sleep']) program(name, 'exit 0');
  writeFileSync(join(folder, 'etc/nats-server.conf'), 'include nats-accounts.conf');
  for (const path of ['etc/top', 'accounts']) writeFileSync(join(folder, path, 'platform.pub'), 'U');
  return folder;
}

const run = (folder: string, script: string) =>
  spawnSync('sh', ['-c', script], { env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}` }, encoding: 'utf8' });

const installed = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : null);

test.each([
  [0, 'accounts { }\n'],
  [9, 'accounts { }\n'],
  [1, null],
])(
  'when render-config ends with %d, NATS gets the accounts unless it failed: 9 only leaves somebody out',
  (exitCode, wanted) => {
    const folder = folderWith(exitCode);
    const script = read('deploy/nats-accounts.sh')
      .replaceAll('/etc/tenant-open-platform', join(folder, 'etc/top'))
      .replaceAll(/(?<= )\/etc\//g, `${join(folder, 'etc')}/`)
      .replaceAll('/opt/tenant-open-platform/node_modules/.bin/topctl', 'topctl');
    run(folder, script);
    expect(installed(join(folder, 'etc/nats-accounts.conf'))).toBe(wanted);

    const [command = ''] = parse(read('compose.yaml'), { merge: true }).services['nats-accounts'].command;
    const once = command
      .replaceAll('$$', '$')
      .replace('while :; do', 'for _ in once; do')
      .replaceAll(/(?<=[ ("])\/(tmp|accounts|accounts-reader)\//g, `${folder}/$1/`);
    run(folder, once);
    expect(installed(join(folder, 'accounts/accounts.conf'))).toBe(wanted);
  },
);
