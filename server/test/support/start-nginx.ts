import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@tenant-open-platform/testing/free-port';
import { vi } from 'vitest';

const shipped = (name: string) => readFileSync(new URL(`../../../deploy/${name}`, import.meta.url), 'utf8');

/** nginx with `deploy/nginx.conf` in front of two nodes that listen on these ports, without TLS. */
export const startNginx = ([first, second]: readonly [number, number]) =>
  startSite(() =>
    shipped('nginx.conf')
      .replace('127.0.0.1:8787', `127.0.0.1:${first}`)
      .replace('# server 10.0.0.2:8787', `server 127.0.0.1:${second}`),
  );

/** nginx with `deploy/nginx-cells.conf` in front of two cells on these ports. It reads `*.map` of the folder. */
export const startNginxOfCells = ([first, second]: readonly [number, number]) =>
  startSite((folder) =>
    shipped('nginx-cells.conf')
      .replace('10.0.1.1:8787', `127.0.0.1:${first}`)
      .replace('10.0.2.1:8787', `127.0.0.1:${second}`)
      .replaceAll('/etc/nginx/cells', folder),
  );

async function startSite(siteIn: (folder: string) => string) {
  const folder = mkdtempSync(join(tmpdir(), 'top-nginx-'));
  const port = await freePort();
  const site = siteIn(folder)
    .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
    .replaceAll(/^ *ssl_.*\n/gm, '');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const paths = temporary.map((name) => `${name}_temp_path ${join(folder, name)};`).join('\n');
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `pid ${join(folder, 'pid')};\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${paths}\n${site}}\n`,
  );
  const nginx = spawn('/usr/sbin/nginx', ['-c', file, '-g', 'daemon off;'], { stdio: 'ignore' });
  await once(nginx, 'spawn').catch((error: unknown) => {
    throw new Error('nginx is not installed: apt-get install nginx-light', { cause: error });
  });
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(() => fetch(`${url}/livez`), { timeout: 30_000, interval: 50 });
  return {
    url,
    folder,
    configuration: file,
    /** Reads its configuration again. */
    reload: () => nginx.kill('SIGHUP'),
    async stop() {
      nginx.kill('SIGTERM');
      await once(nginx, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
