import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type PrivatePostgres, startPrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import connect from 'postgres';
import { measureFirstCommands } from './first-command.js';
import { applyLoad, type Slice } from './load.js';
import { type NodeProcess, startNode } from './node-process.js';
import { type Comparison, type Memory, renderResults } from './results.js';
import { signedCommands } from './signed-commands.js';

const CONNECTIONS = [1, 32, 128];
const PAIRS = 5;
const WARM_UP_MS = 4000;
const SLICE_MS = 3000;
const IDLE_MS = 5000;
/** More than the yardstick answers; what is missing is signed when it is needed. */
const PRESIGNED_PER_SECOND = 12_000;

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'top-bench-'));
const running: NodeProcess[] = [];
const [loadBefore = 0] = loadavg();

try {
  const firstCommands = await measureFirstCommands();
  const memory = await measureMemory();
  const yardstick = await start(fileOf('yardstick.mjs'));
  const against = async (role: string, connections: number[]) => {
    const database = await startPrivatePostgres();
    const platform = await startPlatform(role, { DATABASE_URL: database.url, KEYRING: makeKeyring(), ROLE: role });
    const credential = JSON.parse(readFileSync(join(folder, role, 'demo.json'), 'utf8'));
    const makeRequest = signedCommands(credential);
    const comparisons = await compare({ yardstick, platform, connections, makeRequest, database });
    await platform.stop();
    await database.stop();
    return comparisons;
  };
  const api = await against('api', CONNECTIONS);
  const all = await against('all', [32]);
  const results = renderResults({ api, all }, memory, firstCommands, SLICE_MS, loadBefore);
  writeFileSync(fileOf('results.md'), results);
  console.log(`\n${results}`);
} finally {
  await Promise.all(running.map((node) => node.stop()));
  rmSync(folder, { recursive: true, force: true });
}

async function measureMemory(): Promise<Memory> {
  const other = await startPrivatePostgres();
  const memory = {
    'embedded database, first start': await idleBytes('embedded', {}),
    'embedded database, later start': await idleBytes('embedded', {}),
    'node on PostgreSQL': await idleBytes('idle', { DATABASE_URL: other.url, KEYRING: makeKeyring() }),
  };
  await other.stop();
  return memory;
}

async function idleBytes(name: string, environment: Record<string, string>): Promise<number> {
  const node = await startPlatform(name, environment);
  await pause(IDLE_MS);
  const bytes = node.rssBytes();
  await node.stop();
  return bytes;
}

type Compared = {
  yardstick: NodeProcess;
  platform: NodeProcess;
  connections: number[];
  makeRequest: () => string;
  database: PrivatePostgres;
};

async function compare({ yardstick, platform, connections: counts, makeRequest, database }: Compared) {
  const comparisons: Comparison[] = [];
  for (const connections of counts) {
    const measure = (node: NodeProcess, durationMs: number) => slice(node, { connections, durationMs, makeRequest });
    await measure(yardstick, WARM_UP_MS);
    await measure(platform, WARM_UP_MS);
    await analyze(database);
    const pairs: Comparison['pairs'] = [];
    for (let pair = 1; pair <= PAIRS; pair++) {
      const result = { yardstick: await measure(yardstick, SLICE_MS), platform: await measure(platform, SLICE_MS) };
      const [a, b] = [result.yardstick, result.platform].map((side) => Math.round(side.requestsPerSecond));
      console.log(`${connections} connections, pair ${pair}: yardstick ${a} req/s, platform ${b} req/s`);
      pairs.push(result);
    }
    comparisons.push({ connections, pairs });
  }
  return comparisons;
}

/**
 * What autovacuum does within its first minute. To a planner that knows nothing of the new tables the index by device
 * looks as good as the primary key, and every foreign-key check reads all of the tenant's commands.
 */
async function analyze(database: PrivatePostgres): Promise<void> {
  const sql = connect(database.superuserUrl, { max: 1 });
  await sql`analyze`;
  await sql.end();
}

type SliceOptions = { connections: number; durationMs: number; makeRequest: () => string };

/** Signs beforehand what the slice will need, so that signing takes no core from the server that is measured. */
function slice(node: NodeProcess, { connections, durationMs, makeRequest }: SliceOptions): Promise<Slice> {
  const ready = Array.from({ length: (PRESIGNED_PER_SECOND * durationMs) / 1000 }, makeRequest);
  return applyLoad({
    baseUrl: node.baseUrl,
    connections,
    durationMs,
    nextRequest: () => ready.pop() ?? makeRequest(),
  });
}

function startPlatform(name: string, environment: Record<string, string>): Promise<NodeProcess> {
  return start(fileOf('../server/dist/main.js'), {
    PORT: '0',
    DATA_DIR: join(folder, name),
    REQUESTS_PER_MINUTE: '100000000',
    ...environment,
  });
}

async function start(file: string, environment?: Record<string, string>): Promise<NodeProcess> {
  const node = await startNode(file, environment);
  running.push(node);
  return node;
}

function makeKeyring(): string {
  return JSON.stringify({ primary: 'bench', keys: { bench: randomBytes(32).toString('base64') } });
}
