import { CommandStatus, MAX_NAMED_REASONS } from '@tenant-open-platform/contract';
import { desc, eq, lt, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Transaction } from '../../foundation/database/database.js';
import { all, idsBetween, listed } from '../../foundation/database/pages.js';
import type { Handler } from '../../gateway/operation/call.js';
import { commands } from '../../pipeline/tables.js';
import { ofBatch } from './commands.js';
import { groupBy } from './tally.js';

/** The rows that a request reads. The status of a command is in no index, because it changes. */
const ROWS_READ = 10_000;

type Row = typeof commands.$inferSelect;
type Property = 'vendor' | 'adapter_status' | 'reason';

/** Of a group; without those that the request does not ask for. */
type Values = {
  vendor?: string;
  adapter_status?: Row['adapterStatus'];
  reason?: string | null;
  other_reasons?: boolean;
};

/** The commands that have one status and the same values. */
type Counted = Values & { status: Row['status']; number: number; oldest: string };

const columns: Record<Property, PgColumn | SQL.Aliased> = {
  vendor: commands.vendor,
  adapter_status: commands.adapterStatus,
  reason: sql`${commands.statusReason} ->> 'code'`.as('reason'),
};

export const summaryCommands: Handler<'commands.summary'> = async ({ query }, { tenantId, requestId, asTenant }) => {
  const { group_by: properties = [] } = query;
  const isOlder = query.older_than && lt(commands.commandId, query.older_than);
  const inTime = idsBetween(commands.commandId, query.accepted_after, query.accepted_before);
  const found = await asTenant((tx) => {
    const own = Object.fromEntries(properties.map((property) => [property, columns[property]]));
    const read = tx
      .select({ commandId: commands.commandId, status: commands.status, ...own })
      .from(commands)
      .where(all([eq(commands.tenantId, tenantId), ofBatch(query), inTime, isOlder]))
      .orderBy(desc(commands.commandId))
      .limit(ROWS_READ);
    return countIn(tx, read, properties);
  });
  const counted = countsOf(found);
  const [oldest = null] = found.map((row) => row.oldest).sort();
  const next_older_than = counted.total < ROWS_READ ? null : oldest;
  const groups = query.group_by && { groups: groupsOf(found) };
  return { status: 200, body: { ...counted, ...groups, next_older_than, request_id: requestId } };
};

/** `read` is read once. Its most frequent reasons keep their names; all others are counted together. */
async function countIn(tx: Transaction, read: SQLWrapper, properties: readonly Property[]): Promise<Counted[]> {
  const plain = ['status', ...properties.filter((property) => property !== 'reason')];
  const names = listed(plain.map((name) => sql`${sql.identifier(name)}`));
  const figures = sql`count(*)::int as number, min(command_id::text) as oldest`;
  if (!properties.includes('reason')) {
    return tx.execute<Counted>(sql`select ${names}, ${figures} from (${read}) read group by ${names}`);
  }
  return tx.execute<Counted>(sql`
    with read as (${read}), named as (
      select reason from read where reason is not null
      group by reason order by count(*) desc, reason limit ${MAX_NAMED_REASONS}
    )
    select ${names}, named.reason, read.reason is not null and named.reason is null as other_reasons, ${figures}
    from read left join named on named.reason = read.reason
    group by ${names}, named.reason, other_reasons`);
}

/** The largest first. */
function groupsOf(found: readonly Counted[]) {
  const keyOf = ({ status: _, number: __, oldest: ___, other_reasons: isOthers, ...values }: Counted) =>
    JSON.stringify({ ...values, ...(isOthers && { other_reasons: true }) } satisfies Values);
  return [...groupBy(found, keyOf)]
    .map(([key, some]) => ({ key, ...countsOf(some) }))
    .sort((one, other) => other.total - one.total || (one.key < other.key ? -1 : 1))
    .map(({ key, ...counted }) => ({ ...(JSON.parse(key) as Values), ...counted }));
}

function countsOf(found: readonly Counted[]) {
  const counts = Object.fromEntries(CommandStatus.options.map((status) => [status, 0])) as Record<
    Row['status'],
    number
  >;
  for (const { status, number } of found) counts[status] += number;
  return { counts, total: found.reduce((sum, { number }) => sum + number, 0) };
}
