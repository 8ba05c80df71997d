import type { contract } from '@tenant-open-platform/contract';
import { and, desc, eq, gte, lt } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { pageOf, readCursor } from '../../platform/http/cursor.js';
import type { Handler } from '../../platform/http/handler.js';
import { firstIdAt } from '../../platform/new-id.js';
import { commands } from './commands.table.js';
import { presentCommand } from './present-command.js';

/** The command_id. */
const POSITION = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const listCommands =
  (database: Database): Handler<typeof contract.commands.list> =>
  async ({ query: { limit, cursor, ...filters } }, call) => {
    const list = { call, filters };
    const before = readCursor(list, cursor, POSITION);
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
    const found = await asTenant(database, call.tenantId, (tx) =>
      tx
        .select()
        .from(commands)
        .where(and(...where))
        .orderBy(desc(commands.commandId))
        .limit(limit + 1),
    );
    const page = pageOf(list, found, limit, (row) => row.commandId);
    return {
      status: 200,
      body: {
        items: page.rows.map((row) => presentCommand(row, call.requestId)),
        next_cursor: page.nextCursor,
        request_id: call.requestId,
      },
    };
  };
