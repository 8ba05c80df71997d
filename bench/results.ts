import { execFileSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import type { FirstCommands, Start } from './first-command.js';
import type { Slice } from './load.js';

export type Pair = { yardstick: Slice; platform: Slice };
export type Comparison = { connections: number; pairs: Pair[] };
/** Resident bytes by kind of start. */
export type Memory = Record<string, number>;

const median = (values: number[]) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
};

const row = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`;

function comparisonRow({ connections, pairs }: Comparison): string {
  const of = (value: (pair: Pair) => number) => median(pairs.map(value));
  const ratios = pairs.map(({ platform, yardstick }) => platform.requestsPerSecond / yardstick.requestsPerSecond);
  return row([
    connections,
    Math.round(of(({ yardstick }) => yardstick.requestsPerSecond)),
    Math.round(of(({ platform }) => platform.requestsPerSecond)),
    `**${median(ratios).toFixed(2)}** (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`,
    of(({ yardstick }) => yardstick.p50Ms).toFixed(2),
    of(({ platform }) => platform.p50Ms).toFixed(2),
    of(({ yardstick }) => yardstick.p99Ms).toFixed(2),
    of(({ platform }) => platform.p99Ms).toFixed(2),
    `**${of(({ platform, yardstick }) => platform.p99Ms / yardstick.p99Ms).toFixed(1)}**`,
  ]);
}

export function renderResults(
  { api, all }: { api: Comparison[]; all: Comparison[] },
  memory: Memory,
  firstCommands: FirstCommands,
  durationMs: number,
  loadBefore: number,
): string {
  const pairs = api[0]?.pairs.length ?? 0;
  const head = ['connections', 'yardstick req/s', 'platform req/s', 'ratio'];
  const latencies = ['yardstick p50 ms', 'platform p50 ms', 'yardstick p99 ms', 'platform p99 ms', 'p99 ratio'];
  const columns = [...head, ...latencies];
  const mebibytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`;
  return `# Results

Written by \`pnpm bench\`. ${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model}, ${postgresVersion()}; load generator, server and PostgreSQL share the cores. One-minute load: ${loadBefore.toFixed(1)} before (build included), ${loadavg()[0]?.toFixed(1)} after; more than 3 after means that the machine was doing something else.

## Signed, durable commands.create against the yardstick

The yardstick is Express, ts-rest and zod on the same operation, without authentication and database. The platform verifies every signature, admits the request in PostgreSQL (fsync on) and has the command on disk before it answers. The database is analyzed after the warm-up, as autovacuum does in its first minute. Both get the same requests from the same generator, signed anew before every slice: ${pairs} alternating pairs of ${durationMs / 1000} s each, after a warm-up. Every number is the median of the slices, every ratio the median of the pairs' ratios (with the least and the greatest).

A process whose ROLE is api, as where many processes share the work:

${row(columns)}
${row(columns.map(() => '---:'))}
${api.map(comparisonRow).join('\n')}

ROLE all, the default: the same process also hands every command to the simulated fleet and takes what comes back.

${row(columns)}
${row(columns.map(() => '---:'))}
${all.map(comparisonRow).join('\n')}

## Memory at rest

${row(['start', 'resident'])}
${row(['---', '---:'])}
${Object.entries(memory)
  .map(([start, bytes]) => row([start, mebibytes(bytes)]))
  .join('\n')}

${renderFirstCommands(firstCommands)}`;
}

export function renderFirstCommands({ newDirectory, existingDirectory, loadBefore, loadAfter }: FirstCommands): string {
  const seconds = (starts: Start[], of: (start: Start) => number) => {
    const all = starts.map((start) => of(start) / 1000);
    return `**${median(all).toFixed(1)}** (${Math.min(...all).toFixed(1)} to ${Math.max(...all).toFixed(1)})`;
  };
  const startRow = (name: string, starts: Start[]) =>
    row([name, seconds(starts, ({ readyMs }) => readyMs), seconds(starts, ({ succeededMs }) => succeededMs)]);
  return `## First command after npm start

From \`npm start\` on a working copy that is installed and built, with the embedded database, to the line that it prints, and on to the outcome of the \`npx topctl … commands create … --wait\` in it, pasted at once: SUCCEEDED. Medians of ${newDirectory.length} starts each, in turn (with the least and the greatest). One-minute load: ${loadBefore.toFixed(1)} before, ${loadAfter.toFixed(1)} after. Alone: \`pnpm --filter bench first-command\`.

${row(['data directory', 'ready s', 'first command s'])}
${row(['---', '---:', '---:'])}
${startRow('new', newDirectory)}
${startRow('existing', existingDirectory)}
`;
}

const postgresVersion = () =>
  execFileSync('/usr/lib/postgresql/15/bin/postgres', ['--version'], { encoding: 'utf8' }).trim();
