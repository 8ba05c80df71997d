import { withAudit } from '../../platform/audit/with-audit.js';
import type { Transaction } from '../../platform/database/database.js';
import { roleBindings } from '../../platform/identity/role-bindings.table.js';
import { notFoundIn } from '../../platform/operation/api-error.js';
import type { Handler } from '../../platform/operation/handler.js';
import { lockCredential } from '../credentials/lock-credential.js';
import { builtInScopes, platformScopesOfCaller, refuseBeyond, scopesOfRole } from '../roles/granting.js';
import { refuseBeyondLimit } from '../tenants/refuse-beyond-limit.js';
import { presentRoleBinding } from './present-role-binding.js';

export const createRoleBinding =
  (limit: number): Handler<'roleBindings.create'> =>
  async ({ body }, call) => {
    const { tenantId } = call;
    const { client_id: clientId, role } = body;
    const held = await platformScopesOfCaller(call);
    const created = await withAudit(call, { fields: body, created: `${clientId}/${role}` }, async (tx) => {
      refuseBeyond(held, builtInScopes(role));
      await refuseBeyondLimit(tx, call, roleBindings, limit);
      const granted = await scopesOfRole(tx, tenantId, role);
      if (!granted) throw notFoundIn('body/role');
      refuseBeyond(held, granted);
      if (!(await lockCredential(tx, call, clientId))) throw notFoundIn('body/client_id');
      const bound = await insertRoleBinding(tx, { tenantId, clientId, role });
      if (!bound) throw call.refuse('ROLE_BINDING_ALREADY_EXISTS');
      // The scopes of the role at this time: the log must show the meaning of the binding.
      const result = presentRoleBinding(bound, call);
      return { before: null, after: { ...result, scopes: granted }, result };
    });
    return { status: 201, body: created };
  };

/** Null if the binding exists. */
export async function insertRoleBinding(
  tx: Transaction,
  binding: { tenantId: string; clientId: string; role: string },
) {
  const [row] = await tx.insert(roleBindings).values(binding).onConflictDoNothing().returning();
  return row ?? null;
}
