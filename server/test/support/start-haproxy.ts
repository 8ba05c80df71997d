import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@tenant-open-platform/testing/free-port';
import { vi } from 'vitest';

/** HAProxy in front of nodes that listen on these ports. While none is ready, it sends requests to any (fail open). */
export async function startHaproxy(ports: readonly number[]): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'top-haproxy-'));
  const port = await freePort();
  const servers = (options: string) => ports.map((one) => `  server api-${one} 127.0.0.1:${one} ${options}`).join('\n');
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(
    file,
    `defaults
  mode http
  timeout connect 2s
  timeout client 70s
  timeout server 70s
  option redispatch
frontend api
  bind 127.0.0.1:${port}
  use_backend any if { nbsrv(ready) lt 1 }
  default_backend ready
backend ready
  option httpchk GET /readyz
${servers('check inter 1s fall 2 rise 1')}
backend any
${servers('')}
`,
  );
  const haproxy = spawn('/usr/sbin/haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  await once(haproxy, 'spawn').catch((error: unknown) => {
    throw new Error('HAProxy is not installed: apt-get install haproxy', { cause: error });
  });
  const kill = () => haproxy.kill('SIGKILL');
  process.once('exit', kill);
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(() => fetch(`${url}/livez`), { timeout: 30_000, interval: 50 });
  return {
    url,
    async stop() {
      process.off('exit', kill);
      kill();
      await once(haproxy, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
