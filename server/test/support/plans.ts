import { randomUUID } from 'node:crypto';
import { atEnd } from '@tenant-open-platform/testing';
import { type PrivatePostgres, startPrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import postgres from 'postgres';

/** The report of auto_explain on one executed statement and on the statements inside it, such as foreign key checks. */
export type Explained = { ms: number; 'Query Text': string; Plan: PlanNode };

type PlanNode = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Workers Planned'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
};

export type ExplainedPostgres = PrivatePostgres & {
  /** A superuser whose own statements are not explained and check no foreign keys. */
  owner: postgres.Sql;
  /** The plans of all statements that run meanwhile, as executed. */
  plansOf(work: () => Promise<unknown>): Promise<Explained[]>;
};

/** For the many rows that are written once and lost with the server. No plan depends on these. */
const unsafeButQuick = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '2GB',
  shared_buffers: '512MB',
};

/** Parallel plans seem as cheap in these tables as they are in much larger ones. */
const cheapWorkers = { parallel_setup_cost: '0', parallel_tuple_cost: '0', min_parallel_index_scan_size: '0' };

/** A Postgres of the calling test or file (see `atEnd`), without automatic analyze. It explains every statement of the platform. */
export async function startExplainedPostgres(): Promise<ExplainedPostgres> {
  let log = '';
  const server = await startPrivatePostgres({
    settings: {
      autovacuum: 'off',
      ...unsafeButQuick,
      ...cheapWorkers,
      session_preload_libraries: 'auto_explain',
      'auto_explain.log_min_duration': '0',
      'auto_explain.log_analyze': 'on',
      'auto_explain.log_buffers': 'on',
      'auto_explain.log_timing': 'off',
      'auto_explain.log_nested_statements': 'on',
      'auto_explain.log_format': 'json',
    },
    onLog: (text) => {
      log += text;
    },
  });
  const owner = postgres(server.superuserUrl, { max: 1, onnotice: () => {} });
  atEnd(async () => {
    await owner.end();
    // At once, without writing what it has in memory.
    process.kill(server.pid(), 'SIGQUIT');
    await server.stop();
  });
  await owner`set auto_explain.log_min_duration = -1`;
  await owner`set session_replication_role = replica`;

  /** Takes from the log the reports of all statements that ended before. */
  async function takeLog(): Promise<string> {
    const mark = `mark-${randomUUID()}`;
    const before = log.length;
    await owner.unsafe(`do $$ begin raise log '${mark}'; end $$`);
    while (!log.includes(mark, before)) await new Promise(setImmediate);
    const end = log.indexOf(mark, before);
    const taken = log.slice(0, end);
    log = log.slice(end);
    return taken;
  }

  return {
    ...server,
    owner,
    async plansOf(work) {
      await takeLog();
      await work();
      const reports = (await takeLog()).matchAll(/LOG: {2}duration: ([\d.]+) ms {2}plan:\n((?:\t.*\n)+)/g);
      return [...reports].map(([, ms, json = '']) => ({
        ms: Number(ms),
        ...JSON.parse(json.replaceAll('\n\t', '\n')),
      }));
    },
  };
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** How many table rows a plan has read, including rows that its filters then removed. */
export const rowsRead = ({ Plan }: Explained): number =>
  nodesOf(Plan)
    .filter((node) => /Scan/.test(node['Node Type']) && node['Relation Name'] !== undefined)
    .reduce(
      (sum, node) =>
        sum +
        node['Actual Loops'] *
          (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)),
      0,
    );

export const indexesRead = ({ Plan }: Explained): string[] => nodesOf(Plan).flatMap((node) => node['Index Name'] ?? []);

export const pagesRead = ({ Plan }: Explained): number => Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'];

/** How many worker processes the plan starts, each time that it runs such a part. */
export const workersPlanned = ({ Plan }: Explained): number =>
  nodesOf(Plan).reduce((sum, node) => sum + (node['Workers Planned'] ?? 0), 0);

/** The large tables that a plan reads in full. */
export const wholeTablesRead = ({ Plan }: Explained, large: readonly string[]): string[] =>
  nodesOf(Plan).flatMap((node) => {
    const table = node['Relation Name'];
    return node['Node Type'] === 'Seq Scan' && table !== undefined && large.includes(table) ? [table] : [];
  });
