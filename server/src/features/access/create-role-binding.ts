import { builtInRoles, type contract, PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import type { Database, Transaction } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { ApiError, notFoundIn } from '../../platform/http/api-error.js';
import type { Handler } from '../../platform/http/handler.js';
import { lockCredential } from '../credentials/lock-credential.js';
import { platformScopesOfCaller, refuseBeyond } from './granting.js';
import { presentRoleBinding } from './present-role-binding.js';
import { roleBindings } from './role-bindings.table.js';

export const createRoleBinding =
  (database: Database): Handler<typeof contract.roleBindings.create> =>
  async ({ body: { client_id: clientId, role } }, call) => {
    const { tenantId } = call;
    if (!roleExists(role, tenantId)) throw notFoundIn('body/role');
    const held = await platformScopesOfCaller(database, call);
    refuseBeyond(held, [role]);
    const row = await asTenant(database, tenantId, async (tx) => {
      if (!(await lockCredential(tx, tenantId, clientId))) throw notFoundIn('body/client_id');
      return insertRoleBinding(tx, { tenantId, clientId, role });
    });
    if (!row) throw new ApiError('ROLE_BINDING_ALREADY_EXISTS');
    return { status: 201, body: presentRoleBinding(row, call.requestId) };
  };

const roleExists = (role: string, tenantId: string) =>
  Object.hasOwn(builtInRoles, role) && (role !== 'platform_admin' || tenantId === PLATFORM_TENANT_ID);

/** Null where the binding exists. */
export async function insertRoleBinding(
  tx: Transaction,
  binding: { tenantId: string; clientId: string; role: string },
) {
  const [row] = await tx.insert(roleBindings).values(binding).onConflictDoNothing().returning();
  return row ?? null;
}
