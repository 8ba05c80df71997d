import { withAudit } from '../../platform/audit/with-audit.js';
import { newId } from '../../platform/new-id.js';
import type { Handler } from '../../platform/operation/handler.js';
import { insertRow } from '../../platform/operation/rows.js';
import type { Keyring } from '../../platform/secrets/keyring.js';
import { refuseBeyondLimit } from '../tenants/refuse-beyond-limit.js';
import { callbackEndpoints } from './callback-endpoints.table.js';
import { makeCallbackSecret } from './callback-secret.js';
import { canonicalCallbackUrl } from './callback-url.js';
import { auditedCallbackEndpoint, presentCallbackEndpoint } from './present-callback-endpoint.js';

const DEFAULT_TIMEOUT_SECONDS = 15;
const DEFAULT_MAX_ATTEMPTS = 10;

export const createCallbackEndpoint =
  (keyring: Keyring, limit: number): Handler<'callbackEndpoints.create'> =>
  async ({ body }, call) => {
    const { tenantId, admittedAt } = call;
    const url = canonicalCallbackUrl(body.url, call.refuse);
    // The same instant as created_at, so that the order of ids is the order of creation.
    const endpointId = newId(admittedAt.getTime());
    const { secret, columns } = makeCallbackSecret(keyring, { tenantId, endpointId }, 1);
    const created = await withAudit(call, { fields: body, created: endpointId }, async (tx) => {
      await refuseBeyondLimit(tx, call, callbackEndpoints, limit);
      const row = await insertRow(tx, callbackEndpoints, {
        tenantId,
        endpointId,
        name: body.name,
        url,
        status: body.status ?? 'ACTIVE',
        timeoutSeconds: body.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS,
        maxAttempts: body.max_attempts ?? DEFAULT_MAX_ATTEMPTS,
        ...columns,
        createdAt: admittedAt,
        updatedAt: admittedAt,
      });
      return {
        before: null,
        after: auditedCallbackEndpoint(row, call),
        secrets: { secret: 'set' },
        result: { ...presentCallbackEndpoint(row, call), secret },
      };
    });
    return { status: 201, body: created };
  };
