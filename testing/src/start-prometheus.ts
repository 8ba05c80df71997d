import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, vi } from 'vitest';
import { atEnd, temporaryFolder } from './at-end.js';
import { freePort } from './free-port.js';

const folder = fileURLToPath(new URL('../../deploy/monitoring', import.meta.url));

type Options = {
  /** The address of node_exporter. */
  node?: string;
  /** The address of blackbox_exporter, and what it asks. */
  blackbox?: { exporter: string; url: string };
  isShortened?: boolean;
};

/** The windows and waits of all alerts in seconds instead of minutes. Thresholds stay, but for what takes ten minutes. */
const shorten = (rules: string) =>
  rules
    .replaceAll(/\[(5|10)m\]|offset 10m/g, (window) => window.replace(/\d+m/, '30s'))
    .replaceAll(/for: \d+m/g, 'for: 6s')
    .replace('> 600', '> 80');

/**
 * Prometheus with the files of `deploy/monitoring`, for the calling test or file (see `atEnd`). It evaluates the alerts
 * every second, and reads these processes every three, instead of every 15: a process answers within one, whatever is
 * down.
 */
export async function startPrometheus(
  baseUrls: readonly string[],
  { node, blackbox, isShortened = false }: Options = {},
) {
  const own = temporaryFolder();
  cpSync(folder, own, { recursive: true });
  const configuration = readFileSync(join(folder, 'prometheus.yaml'), 'utf8');
  const targets = baseUrls.map((url) => new URL(url).host).join(', ');
  writeFileSync(
    join(own, 'prometheus.yaml'),
    configuration
      .replace('scrape_interval: 15s', 'scrape_interval: 3s')
      .replace('evaluation_interval: 15s', 'evaluation_interval: 1s')
      .replace('127.0.0.1:8788', targets)
      .replace('127.0.0.1:9100', node ?? '127.0.0.1:9100')
      .replace('127.0.0.1:9115', blackbox?.exporter ?? '127.0.0.1:9115')
      .replace('https://platform.example.com/api/v1', blackbox?.url ?? 'https://platform.example.com/api/v1'),
  );
  if (isShortened) {
    const rules = join(own, 'alerts.yaml');
    writeFileSync(rules, shorten(readFileSync(rules, 'utf8')));
  }
  const address = `127.0.0.1:${await freePort()}`;
  const options = {
    'config.file': join(own, 'prometheus.yaml'),
    'storage.tsdb.path': join(own, 'data'),
    'web.listen-address': address,
  };
  const flags = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  const prometheus = spawn('prometheus', flags, { stdio: 'ignore' });
  const ended = once(prometheus, 'exit').catch((error: unknown) => {
    throw new Error('Prometheus is not installed: apt-get install prometheus', { cause: error });
  });
  atEnd(async () => {
    prometheus.kill('SIGKILL');
    await ended;
  });
  const ready = async () => expect((await fetch(`http://${address}/-/ready`)).status).toBe(200);
  await Promise.race([vi.waitFor(ready, { timeout: 30_000, interval: 50 }), ended]);
  async function ask(what: string, query = '') {
    const text = await (await fetch(`http://${address}/api/v1/${what}?${query}`)).text();
    const { status, data } = JSON.parse(text);
    expect(status, `${query} ${text}`).toBe('success');
    return data;
  }
  return { ask, query: async (expr: string) => (await ask('query', `${new URLSearchParams({ query: expr })}`)).result };
}
