import type { contract } from '@tenant-open-platform/contract';
import { and, desc, eq, gte, lt } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { answerPage, ID, pageOf, readCursor } from '../../platform/http/cursor.js';
import type { Handler } from '../../platform/http/handler.js';
import { firstIdAt } from '../../platform/new-id.js';
import { historiesOf } from './command-history.js';
import { commands } from './commands.table.js';
import { presentCommand } from './present-command.js';

export const listCommands =
  (database: Database): Handler<typeof contract.commands.list> =>
  async ({ query: { limit, cursor, ...filters } }, call) => {
    const list = { call, filters };
    const before = readCursor(list, cursor, ID);
    const where = [
      eq(commands.tenantId, call.tenantId),
      before !== null && lt(commands.commandId, before),
      filters.status && eq(commands.status, filters.status),
      filters.vendor && eq(commands.vendor, filters.vendor),
      filters.device_id && eq(commands.deviceId, filters.device_id),
      filters.command_type && eq(commands.commandType, filters.command_type),
      filters.idempotency_key && eq(commands.idempotencyKey, filters.idempotency_key),
      filters.accepted_after && gte(commands.commandId, firstIdAt(filters.accepted_after)),
      filters.accepted_before && lt(commands.commandId, firstIdAt(filters.accepted_before)),
    ].filter((condition) => typeof condition === 'object');
    const { page, histories } = await asTenant(database, call.tenantId, async (tx) => {
      const found = await tx
        .select()
        .from(commands)
        .where(and(...where))
        .orderBy(desc(commands.commandId))
        .limit(limit + 1);
      const page = pageOf(list, found, limit, (row) => row.commandId);
      return { page, histories: await historiesOf(tx, call.tenantId, page.rows) };
    });
    return answerPage(page, call, (row, requestId) =>
      presentCommand(row, histories.get(row.commandId) ?? [], requestId),
    );
  };
