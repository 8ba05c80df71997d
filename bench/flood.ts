import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sign } from '@tenant-open-platform/testing';
import { startPrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import { startNode } from './node-process.js';
import { residentMiB } from './process-figures.js';

/**
 * Measures signed requests from 127.0.0.1 on a quiet platform, and again while 127.0.0.2 floods it with probes,
 * metrics, pipelined requests, half headers, endless bodies and wrong signatures, all at once. Quiet and flood
 * alternate, so that other work on the machine slows both.
 */
const ROUNDS = 3;
const SLICE_MS = 8_000;
const PER_SECOND = 50;
const CONNECTIONS_OF_EACH_KIND = 10;

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'top-flood-'));
const postgres = await startPrivatePostgres();
const platform = await startNode(fileOf('../server/dist/main.js'), {
  environment: {
    PORT: '0',
    DATA_DIR: folder,
    DATABASE_URL: postgres.url,
    KEYRING: JSON.stringify({ primary: 'bench', keys: { bench: randomBytes(32).toString('base64') } }),
    LOG_LEVEL: 'error',
  },
});
const demo = JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8'));
const agent = new Agent({ keepAlive: true });
const quiet: number[] = [];
const flooded: number[] = [];
let flooder: ChildProcess | null = null;

try {
  await measure([]);
  for (let round = 0; round < ROUNDS; round++) {
    await measure(quiet);
    flooder = spawn(process.execPath, [
      fileOf('flooder.mjs'),
      new URL(platform.baseUrl).port,
      String(CONNECTIONS_OF_EACH_KIND),
    ]);
    flooder.stdout?.pipe(process.stdout);
    await pause(1_000);
    await measure(flooded);
    console.log(`Memory under the flood: ${Math.round(residentMiB(platform.pid).now)} MiB.`);
    flooder.kill('SIGTERM');
    await once(flooder, 'exit');
    await pause(2_000);
  }
  const row = (name: string, latencies: number[]) =>
    console.log(name, `n=${latencies.length} p50=${quantile(latencies, 0.5)} ms p99=${quantile(latencies, 0.99)} ms`);
  row('quiet:  ', quiet);
  row('flooded:', flooded);
  const ratio = quantile(flooded, 0.99) / quantile(quiet, 0.99);
  console.log(`p99 is ${ratio.toFixed(1)} times that of a quiet platform. Load of the machine: ${loadavg()[0]}.`);
} finally {
  flooder?.kill('SIGKILL');
  agent.destroy();
  await platform.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Sends on schedule whether or not earlier requests are answered. Every answer must be 200. */
async function measure(latencies: number[]): Promise<void> {
  const sent: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let count = 0; performance.now() - startedAt < SLICE_MS; count++) {
    sent.push(ask().then((milliseconds) => void latencies.push(milliseconds)));
    await pause(Math.max(0, startedAt + ((count + 1) * 1_000) / PER_SECOND - performance.now()));
  }
  await Promise.all(sent);
}

async function ask(): Promise<number> {
  const target = '/api/v1/open/me';
  const startedAt = performance.now();
  const sending = request(platform.baseUrl + target, { headers: sign(demo, 'GET', target), agent });
  sending.end();
  const [response] = await once(sending, 'response');
  response.resume();
  await once(response, 'end');
  if (response.statusCode !== 200) throw new Error(`The answer is ${response.statusCode}.`);
  return performance.now() - startedAt;
}

function quantile(latencies: number[], q: number): number {
  const sorted = latencies.toSorted((a, b) => a - b);
  return Number((sorted[Math.ceil(q * sorted.length) - 1] ?? Number.NaN).toFixed(1));
}
