import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isApiError, TenantOpenPlatform } from '@tenant-open-platform/sdk';
import { newKeyring, temporaryFolder } from '@tenant-open-platform/testing';
import { freePort } from '@tenant-open-platform/testing/free-port';
import { ownNats } from '@tenant-open-platform/testing/private-nats';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { type RunningServer, startServer } from '@tenant-open-platform/testing/start-server';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { startHaproxy } from './support/start-haproxy.js';
import { startNginx } from './support/start-nginx.js';

const PER_SECOND = 50;
/** As systemd: see `RestartSec` of the unit. */
const RESTART_AFTER_MS = 1_000;

const folder = temporaryFolder();
const [postgres, nats] = await Promise.all([ownPostgres(), ownNats()]);
const environment = {
  DATA_DIR: folder,
  DATABASE_URL: postgres.url,
  NATS_URL: nats.url,
  KEYRING: newKeyring(),
  REQUESTS_PER_MINUTE: '1000000',
  TRUST_PROXY: '1',
};
const ports = [await freePort(), await freePort()] as const;
const start = (port: number) => startServer({ ...environment, ROLE: 'api', PORT: String(port) });
const worker = await startServer({ ...environment, ROLE: 'worker' });
const nodes: RunningServer[] = [await start(ports[0]), await start(ports[1])];
const table = [
  '| proxy | fault | calls | failed with the SDK | failed without its retries |',
  '|---|---|---:|---:|---:|',
];
afterAll(async () => {
  console.log(table.join('\n'));
  await Promise.all([worker, ...nodes].map((node) => node.stop()));
});

/** Creates commands until it is told to stop. Returns how many calls it made and which failed. */
function startCalling(baseUrl: string, maxRetries?: number) {
  const { client_id: clientId, secret } = JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8'));
  const client = new TenantOpenPlatform({ baseUrl, clientId, secret, ...(maxRetries !== undefined && { maxRetries }) });
  const failures: string[] = [];
  let calls = 0;
  let isOver = false;
  const calling = (async () => {
    const pending: Promise<unknown>[] = [];
    while (!isOver) {
      calls += 1;
      const command = { vendor: 'vendor_a', device_id: 'ok-1', command_type: 'reboot', payload: {} };
      const failed = (error: unknown) =>
        failures.push(isApiError(error) ? `${error.status} ${error.code}` : (error as Error).name);
      pending.push(client.commands.create(command).catch(failed));
      await delay(1_000 / PER_SECOND);
    }
    await Promise.all(pending);
  })();
  return async () => {
    isOver = true;
    await calling;
    return { calls, failures };
  };
}

const ready = (port: number) =>
  vi.waitFor(async () => expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200), {
    timeout: 60_000,
    interval: 50,
  });

async function restart(index: 0 | 1, signal: NodeJS.Signals): Promise<void> {
  const node = nodes[index] as RunningServer;
  node.process.kill(signal);
  await new Promise((resolve) => node.process.once('close', resolve));
  await delay(RESTART_AFTER_MS);
  nodes[index] = await start(ports[index]);
  await ready(ports[index]);
  // HAProxy looks once a second.
  await delay(1_500);
}

const proxies = [
  ['nginx', () => startNginx(ports)],
  ['HAProxy', () => startHaproxy(ports)],
] as const;
const faults = [
  [
    'rolling restart',
    async () => {
      await restart(0, 'SIGTERM');
      await restart(1, 'SIGTERM');
    },
  ],
  [
    'kill -9 of one, then of the other',
    async () => {
      await restart(0, 'SIGKILL');
      await restart(1, 'SIGKILL');
    },
  ],
] as const;

test.each(proxies.flatMap(([proxy, begin]) => faults.map(([fault, happen]) => ({ proxy, fault, begin, happen }))))(
  '$proxy, $fault: no call of the SDK fails',
  async ({ proxy, fault, begin, happen }) => {
    await Promise.all(ports.map(ready));
    const { url, stop } = await begin();
    onTestFinished(stop);
    const ends = [startCalling(url), startCalling(url, 0)];
    await delay(2_000);
    await happen();
    const [withRetries, plain] = await Promise.all(ends.map((end) => end()));
    table.push(
      `| ${proxy} | ${fault} | ${plain?.calls} | ${withRetries?.failures.length} | ${plain?.failures.length} |`,
    );
    expect(withRetries?.failures).toEqual([]);
    // What was under way on a node that was killed, and nothing else. A node that stops answers what it has begun.
    expect(plain?.failures.length, plain?.failures.join()).toBeLessThanOrEqual(fault === 'rolling restart' ? 0 : 20);
  },
  180_000,
);
