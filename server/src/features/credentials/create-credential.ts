import { withAudit } from '../../platform/audit/with-audit.js';
import { credentials } from '../../platform/identity/credentials.table.js';
import type { Handler } from '../../platform/operation/handler.js';
import type { Keyring } from '../../platform/secrets/keyring.js';
import { grantsOf, platformScopesOfCaller, refuseBeyond } from '../roles/granting.js';
import { refuseBeyondLimit } from '../tenants/refuse-beyond-limit.js';
import { insertCredential } from './insert-credential.js';
import { lockCredential } from './lock-credential.js';
import { presentCredential } from './present-credential.js';
import { rotateSecret } from './rotate-secret.js';

export const createCredential =
  (keyring: Keyring, limit: number): Handler<'credentials.create'> =>
  async ({ body }, call) => {
    const { tenantId } = call;
    const held = body.rotate_secret ? await platformScopesOfCaller(call) : [];
    const change = { fields: body as object, created: body.client_id };
    return withAudit(call, change, async (tx) => {
      const existing = body.rotate_secret ? await lockCredential(tx, call, body.client_id) : null;
      if (existing) {
        refuseBeyond(held, (await grantsOf(tx, tenantId, body.client_id)).scopes);
        const { rotate_secret, previous_secret_ttl_seconds } = body;
        change.fields = {
          rotate_secret,
          ...(previous_secret_ttl_seconds !== undefined && { previous_secret_ttl_seconds }),
        };
        const { row, secret } = await rotateSecret(tx, keyring, existing, body.previous_secret_ttl_seconds ?? 0);
        return {
          before: presentCredential(existing, call),
          after: presentCredential(row, call),
          secrets: { secret: 'rotated' },
          result: { status: 200 as 200 | 201, body: { ...presentCredential(row, call), secret } },
        };
      }
      await refuseBeyondLimit(tx, call, credentials, limit);
      const created = await insertCredential(tx, keyring, {
        tenantId,
        clientId: body.client_id,
        name: body.name,
        status: body.status,
        allowedClockSkewSeconds: body.allowed_clock_skew_seconds,
        replayWindowSeconds: body.replay_window_seconds,
        requestsPerMinute: body.requests_per_minute,
        expiresAt: body.expires_at ? new Date(body.expires_at) : null,
      });
      if (!created) throw call.refuse('CREDENTIAL_ALREADY_EXISTS');
      const after = presentCredential(created.row, call);
      return {
        before: null,
        after,
        secrets: { secret: 'set' },
        result: { status: 201, body: { ...after, secret: created.secret } },
      };
    });
  };
