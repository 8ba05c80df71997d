import type { contract } from '@tenant-open-platform/contract';
import { and, desc, eq, sql } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { fittingRows, jsonBytes } from '../../platform/database/fitting-rows.js';
import { asTenant } from '../../platform/database/roles.js';
import { answerPage, instantOf, pageOf, readCursor } from '../../platform/operation/cursor.js';
import type { Handler } from '../../platform/operation/handler.js';
import { vendors } from '../vendors/vendors.table.js';
import { commandTypes } from './command-types.table.js';
import { presentCommandType } from './present-command-type.js';

/** created_at in milliseconds and command_type. */
const POSITION = /^([0-9]{1,15}) ([A-Za-z0-9._-]{1,128})$/;

export const listCommandTypes =
  (database: Database): Handler<typeof contract.commandTypes.list> =>
  async ({ params: { vendor }, query: { limit, cursor, ...filters } }, call) => {
    const list = { call, filters: { ...filters, vendor } };
    const [, createdAt, commandType] = POSITION.exec(readCursor(list, cursor, POSITION) ?? '') ?? [];
    const { createdAt: created, commandType: type } = commandTypes;
    const found = await asTenant(database, call.tenantId, async (tx) => {
      const [known] = await tx.select().from(vendors).where(eq(vendors.vendor, vendor));
      if (!known) throw call.refuse('NOT_FOUND');
      return fittingRows(tx, {
        first: (count) =>
          tx
            .select()
            .from(commandTypes)
            .where(
              and(
                eq(commandTypes.vendor, vendor),
                createdAt === undefined
                  ? undefined
                  : sql`(${created}, ${type}) < (${instantOf(createdAt)}::timestamptz, ${commandType})`,
              ),
            )
            .orderBy(desc(created), desc(type))
            .limit(count),
        limit,
        bytes: jsonBytes('payload_schema'),
        orderBy: sql`created_at desc, command_type desc`,
      });
    });
    return answerPage(
      pageOf(list, found.rows, found.limit, (row) => `${row.createdAt.getTime()} ${row.commandType}`),
      call,
      presentCommandType,
    );
  };
