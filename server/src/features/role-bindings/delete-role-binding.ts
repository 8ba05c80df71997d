import { type contract, PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { and, eq } from 'drizzle-orm';
import { withAudit } from '../../platform/audit/with-audit.js';
import type { Database } from '../../platform/database/database.js';
import { roleBindings } from '../../platform/identity/role-bindings.table.js';
import type { Handler } from '../../platform/operation/handler.js';
import { deleteRow } from '../../platform/operation/rows.js';
import { platformScopesOfCaller, refuseBeyond, scopesOfRole } from '../roles/granting.js';
import { lockPlatformAdministrators } from './last-platform-administrator.js';
import { presentRoleBinding } from './present-role-binding.js';

export const deleteRoleBinding =
  (database: Database): Handler<typeof contract.roleBindings.delete> =>
  async ({ params: { client_id: clientId, role } }, call) => {
    const { tenantId } = call;
    const held = await platformScopesOfCaller(database, call);
    await withAudit(database, call, { fields: {} }, async (tx) => {
      const administrators = tenantId === PLATFORM_TENANT_ID ? await lockPlatformAdministrators(tx, call) : null;
      const ofClient = and(eq(roleBindings.tenantId, tenantId), eq(roleBindings.clientId, clientId));
      const deleted = await deleteRow(tx, call, roleBindings, and(ofClient, eq(roleBindings.role, role)));
      const scopes = (await scopesOfRole(tx, tenantId, role)) ?? [];
      refuseBeyond(held, scopes);
      await administrators?.requireOneLeft();
      return { before: { ...presentRoleBinding(deleted, call.requestId), scopes }, after: null, result: null };
    });
    return { status: 200, body: { client_id: clientId, role, deleted: true, request_id: call.requestId } };
  };
