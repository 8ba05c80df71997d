import { CommandStatus } from '@tenant-open-platform/contract';
import { count, desc, eq, lt, sql } from 'drizzle-orm';
import { all } from '../../platform/database/bounded-scan.js';
import type { Handler } from '../../platform/operation/handler.js';
import { commands } from './commands.table.js';
import { inTime, ofBatch } from './list-commands.js';

/** The rows that a request reads. The status of a command is in no index, because it changes. */
const ROWS_READ = 10_000;

export const summarizeCommands: Handler<'commands.summary'> = async ({ query }, { tenantId, requestId, asTenant }) => {
  const found = await asTenant((tx) => {
    const read = tx
      .select({ status: commands.status, commandId: commands.commandId })
      .from(commands)
      .where(
        all([
          eq(commands.tenantId, tenantId),
          ofBatch(query),
          inTime(query),
          query.older_than && lt(commands.commandId, query.older_than),
        ]),
      )
      .orderBy(desc(commands.commandId))
      .limit(ROWS_READ)
      .as('read');
    const oldest = sql<string>`min(${read.commandId}::text)`;
    return tx.select({ status: read.status, number: count(), oldest }).from(read).groupBy(read.status);
  });
  const counts = Object.fromEntries(CommandStatus.options.map((status) => [status, 0])) as Record<Status, number>;
  for (const { status, number } of found) counts[status] = number;
  const total = found.reduce((sum, { number }) => sum + number, 0);
  const [oldest = null] = found.map((row) => row.oldest).sort();
  return {
    status: 200,
    body: { counts, total, next_older_than: total < ROWS_READ ? null : oldest, request_id: requestId },
  };
};

type Status = (typeof CommandStatus.options)[number];
