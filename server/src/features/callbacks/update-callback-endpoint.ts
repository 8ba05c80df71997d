import type { contract } from '@tenant-open-platform/contract';
import { sql } from 'drizzle-orm';
import { changing } from '../../platform/audit/changing.js';
import type { Database } from '../../platform/database/database.js';
import { notFound } from '../../platform/http/api-error.js';
import type { Handler } from '../../platform/http/handler.js';
import type { Keyring } from '../../platform/secrets/keyring.js';
import { refuseBeyondLimit } from '../tenants/refuse-beyond-limit.js';
import { callbackEndpoints } from './callback-endpoints.table.js';
import { rotateCallbackSecret } from './callback-secret.js';
import { canonicalCallbackUrl } from './callback-url.js';
import { isEndpoint } from './find-callback-endpoint.js';
import { presentCallbackEndpoint } from './present-callback-endpoint.js';

export const updateCallbackEndpoint =
  (database: Database, keyring: Keyring, limit: number): Handler<typeof contract.callbackEndpoints.update> =>
  async ({ params: { endpoint_id: endpointId }, body }, call) => {
    const { tenantId } = call;
    return changing(database, call, { fields: body }, async (tx) => {
      const [locked] = await tx
        .select()
        .from(callbackEndpoints)
        .where(isEndpoint(tenantId, endpointId))
        .for('no key update');
      if (!locked) throw notFound();
      const url = body.url === undefined ? undefined : canonicalCallbackUrl(body.url);
      if (body.status === 'ACTIVE' && locked.status !== 'ACTIVE')
        await refuseBeyondLimit(tx, callbackEndpoints, tenantId, limit);
      const rotated = body.rotate_secret
        ? rotateCallbackSecret(keyring, locked, body.previous_secret_ttl_seconds ?? 0)
        : null;
      const [row] = await tx
        .update(callbackEndpoints)
        .set({
          name: body.name,
          url,
          status: body.status,
          timeoutSeconds: body.timeout_seconds,
          maxAttempts: body.max_attempts,
          ...rotated?.columns,
          updatedAt: sql`now()`,
        })
        .where(isEndpoint(tenantId, endpointId))
        .returning();
      if (!row) throw new Error('The update returned no row.');
      return {
        status: 200,
        body: { ...presentCallbackEndpoint(row, call), ...(rotated && { secret: rotated.secret }) },
      };
    });
  };
