import { PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { withAudit } from '../../platform/audit/with-audit.js';
import { roleBindings } from '../../platform/identity/role-bindings.table.js';
import type { Handler } from '../../platform/operation/handler.js';
import { deleteRow, ownRow } from '../../platform/operation/rows.js';
import { platformScopesOfCaller, refuseBeyond, scopesOfRole } from '../roles/granting.js';
import { lockPlatformAdministrators } from './last-platform-administrator.js';
import { presentRoleBinding } from './present-role-binding.js';

export const deleteRoleBinding: Handler<'roleBindings.delete'> = async ({ params }, call) => {
  const { tenantId } = call;
  const { role } = params;
  const held = await platformScopesOfCaller(call);
  await withAudit(call, { fields: {} }, async (tx) => {
    const administrators = tenantId === PLATFORM_TENANT_ID ? await lockPlatformAdministrators(tx, call) : null;
    const deleted = await deleteRow(tx, call, roleBindings, ownRow(roleBindings, call, params));
    const scopes = (await scopesOfRole(tx, tenantId, role)) ?? [];
    refuseBeyond(held, scopes);
    await administrators?.requireOneLeft();
    return { before: { ...presentRoleBinding(deleted, call), scopes }, after: null, result: null };
  });
  return { status: 200, body: { client_id: params.client_id, role, deleted: true, request_id: call.requestId } };
};
