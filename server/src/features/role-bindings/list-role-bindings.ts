import type { contract } from '@tenant-open-platform/contract';
import { and, desc, eq, sql } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { roleBindings } from '../../platform/identity/role-bindings.table.js';
import { answerPage, instantOf, pageOf, readCursor } from '../../platform/operation/cursor.js';
import type { Handler } from '../../platform/operation/handler.js';
import { presentRoleBinding } from './present-role-binding.js';

/** created_at in milliseconds, client_id and role. */
const POSITION = /^([0-9]{1,15}) ([A-Za-z0-9._~-]{1,64}) ([a-z0-9_-]{1,63})$/;

export const listRoleBindings =
  (database: Database): Handler<typeof contract.roleBindings.list> =>
  async ({ query: { limit, cursor, ...filters } }, call) => {
    const list = { call, filters };
    const [, createdAt, clientId, role] = POSITION.exec(readCursor(list, cursor, POSITION) ?? '') ?? [];
    const { createdAt: created, clientId: client, role: bound } = roleBindings;
    const found = await asTenant(database, call.tenantId, (tx) =>
      tx
        .select()
        .from(roleBindings)
        .where(
          and(
            eq(roleBindings.tenantId, call.tenantId),
            filters.client_id === undefined ? undefined : eq(client, filters.client_id),
            createdAt === undefined
              ? undefined
              : sql`(${created}, ${client}, ${bound}) < (${instantOf(createdAt)}::timestamptz, ${clientId}, ${role})`,
          ),
        )
        .orderBy(desc(created), desc(client), desc(bound))
        .limit(limit + 1),
    );
    return answerPage(
      pageOf(list, found, limit, (row) => `${row.createdAt.getTime()} ${row.clientId} ${row.role}`),
      call,
      presentRoleBinding,
    );
  };
