import { PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { and, eq, sql } from 'drizzle-orm';
import { withAudit } from '../../platform/audit/with-audit.js';
import { credentials } from '../../platform/identity/credentials.table.js';
import type { Handler } from '../../platform/operation/handler.js';
import { updateRow } from '../../platform/operation/rows.js';
import type { Keyring } from '../../platform/secrets/keyring.js';
import { lockPlatformAdministrators } from '../role-bindings/last-platform-administrator.js';
import { grantsOf, platformScopesOfCaller, refuseBeyond } from '../roles/granting.js';
import { lockCredential } from './lock-credential.js';
import { presentCredential } from './present-credential.js';
import { rotateSecret } from './rotate-secret.js';

export const updateCredential =
  (keyring: Keyring): Handler<'credentials.update'> =>
  async ({ params: { client_id: clientId }, body }, call) => {
    const { tenantId } = call;
    const held = await platformScopesOfCaller(call);
    return withAudit(call, { fields: body }, async (tx) => {
      const administrators = tenantId === PLATFORM_TENANT_ID ? await lockPlatformAdministrators(tx, call) : null;
      const locked = await lockCredential(tx, call, clientId);
      if (!locked) throw call.refuse('NOT_FOUND');
      refuseBeyond(held, (await grantsOf(tx, tenantId, clientId)).scopes);

      const expiresAt = typeof body.expires_at === 'string' ? new Date(body.expires_at) : body.expires_at;
      const own = and(eq(credentials.tenantId, tenantId), eq(credentials.clientId, clientId));
      const updated = await updateRow(tx, credentials, own, {
        name: body.name,
        status: body.status,
        allowedClockSkewSeconds: body.allowed_clock_skew_seconds,
        replayWindowSeconds: body.replay_window_seconds,
        requestsPerMinute: body.requests_per_minute,
        expiresAt,
        ...(expiresAt && { previousSecretExpiresAt: noLaterThan(expiresAt) }),
        ...(body.previous_secret_ttl_seconds === 0 && { previousSecretSealed: null, previousSecretExpiresAt: null }),
      });
      const rotated = body.rotate_secret
        ? await rotateSecret(tx, keyring, updated, body.previous_secret_ttl_seconds ?? 0)
        : null;
      await administrators?.requireOneLeft();

      const row = rotated?.row ?? updated;
      const after = presentCredential(row, call);
      return {
        before: presentCredential(locked, call),
        after,
        ...(rotated && { secrets: { secret: 'rotated' } }),
        result: { status: 200, body: { ...after, ...(rotated && { secret: rotated.secret }) } },
      };
    });
  };

/** The previous secret never outlives the credential. Null must stay null, which least() alone does not ensure. */
const noLaterThan = (end: Date) =>
  sql`case when ${credentials.previousSecretExpiresAt} > ${end.toISOString()}::timestamptz
    then ${end.toISOString()}::timestamptz else ${credentials.previousSecretExpiresAt} end`;
