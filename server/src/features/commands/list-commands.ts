import { CommandStatus, type contract } from '@tenant-open-platform/contract';
import { desc, eq, getTableColumns, gte, inArray, lt, notInArray, sql } from 'drizzle-orm';
import { all, boundedScan } from '../../platform/database/bounded-scan.js';
import type { Database } from '../../platform/database/database.js';
import { fittingRows, jsonBytes } from '../../platform/database/fitting-rows.js';
import { asTenant } from '../../platform/database/roles.js';
import { firstIdAt } from '../../platform/new-id.js';
import { answerPage, ID, pageOf, readCursor } from '../../platform/operation/cursor.js';
import type { Handler } from '../../platform/operation/handler.js';
import { commands } from './commands.table.js';
import { presentCommand } from './present-command.js';
import { isTerminal } from './transitions.js';

const UNDER_WAY = CommandStatus.options.filter((status) => !isTerminal({ status }));

export const listCommands =
  (database: Database): Handler<typeof contract.commands.list> =>
  async ({ query: { limit, cursor, ...filters } }, call) => {
    const list = { call, filters };
    const before = readCursor(list, cursor, ID);
    const range = all([
      eq(commands.tenantId, call.tenantId),
      before !== null && lt(commands.commandId, before),
      filters.device_id && eq(commands.deviceId, filters.device_id),
      filters.idempotency_key && eq(commands.idempotencyKey, filters.idempotency_key),
      filters.accepted_after && gte(commands.commandId, firstIdAt(filters.accepted_after)),
      filters.accepted_before && lt(commands.commandId, firstIdAt(filters.accepted_before)),
    ]);
    const withoutIndex = all([
      filters.status && inArray(commands.status, filters.status),
      filters.is_final === true && notInArray(commands.status, UNDER_WAY),
      filters.is_final === false && inArray(commands.status, UNDER_WAY),
      filters.vendor && eq(commands.vendor, filters.vendor),
      filters.command_type && eq(commands.commandType, filters.command_type),
    ]);
    const found = await asTenant(database, call.tenantId, async (tx) => {
      const { from, where, lastRead } = await boundedScan(tx, {
        columns: [commands.commandId],
        direction: 'desc',
        range,
        filters: withoutIndex,
      });
      const rows = await fittingRows(tx, {
        first: (count) =>
          tx.select(getTableColumns(commands)).from(from).where(where).orderBy(desc(commands.commandId)).limit(count),
        limit,
        bytes: jsonBytes('payload', 'result', 'late_result', 'history'),
        orderBy: sql`command_id desc`,
      });
      return { ...rows, lastRead };
    });
    const page = pageOf(list, found.rows, found.limit, (row) => row.commandId, found.lastRead);
    return answerPage(page, call, presentCommand);
  };
