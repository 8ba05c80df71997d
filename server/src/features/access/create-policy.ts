import { type contract, objectAndAction } from '@tenant-open-platform/contract';
import { changing } from '../../platform/audit/changing.js';
import type { Database } from '../../platform/database/database.js';
import { ApiError, notFoundIn } from '../../platform/http/api-error.js';
import type { Handler } from '../../platform/http/handler.js';
import { newId } from '../../platform/new-id.js';
import { lockCredential } from '../credentials/lock-credential.js';
import { platformScopesOfCaller, readScopes, refuseBeyond, refuseScopesOfPlatformTenant } from './granting.js';
import { policies } from './policies.table.js';
import { presentPolicy } from './present-policy.js';

const locationOf = () => 'body/scope';

export const createPolicy =
  (database: Database): Handler<typeof contract.policies.create> =>
  async ({ body }, call) => {
    const { tenantId } = call;
    const scopes = readScopes([body.scope], locationOf);
    const held = await platformScopesOfCaller(database, call);
    refuseBeyond(held, scopes);
    refuseScopesOfPlatformTenant(tenantId, scopes, locationOf);

    const policyId = newId(call.admittedAt.getTime());
    const row = await changing(database, call, { fields: body, created: policyId }, async (tx) => {
      if (!(await lockCredential(tx, tenantId, body.client_id))) throw notFoundIn('body/client_id');
      const granted = scopes.map((scope) => ({
        tenantId,
        policyId,
        clientId: body.client_id,
        createdAt: call.admittedAt,
        ...objectAndAction(scope),
      }));
      const [created] = await tx.insert(policies).values(granted).onConflictDoNothing().returning();
      if (!created) throw new ApiError('POLICY_ALREADY_EXISTS');
      return created;
    });
    return { status: 201, body: presentPolicy(row, call.requestId) };
  };
