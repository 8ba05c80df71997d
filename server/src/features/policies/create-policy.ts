import { objectAndAction } from '@tenant-open-platform/contract';
import { and, eq, isNotNull } from 'drizzle-orm';
import { changeOf, withAudit } from '../../platform/audit/with-audit.js';
import { policies } from '../../platform/identity/policies.table.js';
import { newId } from '../../platform/new-id.js';
import { notFoundIn } from '../../platform/operation/api-error.js';
import type { Handler } from '../../platform/operation/handler.js';
import { lockCredential } from '../credentials/lock-credential.js';
import { platformScopesOfCaller, readScopes, refuseBeyond, refuseScopesOfPlatformTenant } from '../roles/granting.js';
import { refuseBeyondLimit } from '../tenants/refuse-beyond-limit.js';
import { presentPolicy } from './present-policy.js';

const locationOf = () => 'body/scope';

export const createPolicy =
  (limit: number): Handler<'policies.create'> =>
  async ({ body }, call) => {
    const { tenantId } = call;
    const scopes = readScopes(call, [body.scope], locationOf);
    const held = await platformScopesOfCaller(call);
    refuseBeyond(held, scopes);
    refuseScopesOfPlatformTenant(call, scopes, locationOf);

    const policyId = newId(call.admittedAt.getTime());
    const created = await withAudit(call, { fields: body, created: policyId }, async (tx) => {
      // A policy of a role counts against the limit of roles.
      const direct = and(eq(policies.tenantId, tenantId), isNotNull(policies.clientId));
      await refuseBeyondLimit(tx, call, policies, limit, direct);
      if (!(await lockCredential(tx, call, body.client_id))) throw notFoundIn('body/client_id');
      const granted = scopes.map((scope) => ({
        tenantId,
        policyId,
        clientId: body.client_id,
        createdAt: call.admittedAt,
        ...objectAndAction(scope),
      }));
      const [row] = await tx.insert(policies).values(granted).onConflictDoNothing().returning();
      if (!row) throw call.refuse('POLICY_ALREADY_EXISTS');
      return changeOf(call, presentPolicy, null, row);
    });
    return { status: 201, body: created };
  };
