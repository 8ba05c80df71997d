import { withAudit } from '../../platform/audit/with-audit.js';
import type { Handler } from '../../platform/operation/handler.js';
import { ownRow, readRow, updateRow } from '../../platform/operation/rows.js';
import type { Keyring } from '../../platform/secrets/keyring.js';
import { callbackEndpoints } from './callback-endpoints.table.js';
import { rotateCallbackSecret } from './callback-secret.js';
import { canonicalCallbackUrl } from './callback-url.js';
import { auditedCallbackEndpoint, changeOfQuery, presentCallbackEndpoint } from './present-callback-endpoint.js';

export const updateCallbackEndpoint =
  (keyring: Keyring): Handler<'callbackEndpoints.update'> =>
  ({ params, body }, call) =>
    withAudit(call, { fields: body }, async (tx) => {
      const own = ownRow(callbackEndpoints, call, params);
      const locked = await readRow(tx, call, callbackEndpoints, own, 'no key update');
      const url = body.url === undefined ? undefined : canonicalCallbackUrl(body.url, call.refuse);
      const rotated = body.rotate_secret
        ? rotateCallbackSecret(keyring, locked, body.previous_secret_ttl_seconds ?? 0)
        : null;
      const row = await updateRow(tx, callbackEndpoints, own, {
        name: body.name,
        url,
        status: body.status,
        timeoutSeconds: body.timeout_seconds,
        maxAttempts: body.max_attempts,
        ...rotated?.columns,
      });
      return {
        before: auditedCallbackEndpoint(locked, call),
        after: auditedCallbackEndpoint(row, call),
        secrets: { ...changeOfQuery(locked.url, row.url), ...(rotated && { secret: 'rotated' }) },
        result: {
          status: 200,
          body: { ...presentCallbackEndpoint(row, call), ...(rotated && { secret: rotated.secret }) },
        },
      };
    });
