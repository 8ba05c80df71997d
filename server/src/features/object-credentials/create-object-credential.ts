import { changeOf, withAudit } from '../../platform/audit/with-audit.js';
import { newId } from '../../platform/new-id.js';
import type { Handler } from '../../platform/operation/handler.js';
import { insertRow } from '../../platform/operation/rows.js';
import type { Keyring } from '../../platform/secrets/keyring.js';
import { refuseBeyondLimit } from '../tenants/refuse-beyond-limit.js';
import { objectCredentials } from './object-credentials.table.js';
import { canonicalEndpoint, refuseHostNameOfAddress } from './object-endpoint.js';
import { sealSecretAccessKey, sealSessionToken } from './object-secrets.js';
import { presentObjectCredential } from './present-object-credential.js';

export const createObjectCredential =
  (
    keyring: Keyring,
    { limit, allowInsecure }: { limit: number; allowInsecure: boolean },
  ): Handler<'objectCredentials.create'> =>
  async ({ body }, call) => {
    const { tenantId } = call;
    const endpoint = canonicalEndpoint(body.endpoint, allowInsecure);
    const forcePathStyle = body.force_path_style ?? false;
    refuseHostNameOfAddress({ endpoint, forcePathStyle });
    const identity = { tenantId, credentialId: newId(call.admittedAt.getTime()), secretVersion: 1 };

    const created = await withAudit(call, { fields: body, created: identity.credentialId }, async (tx) => {
      await refuseBeyondLimit(tx, call, objectCredentials, limit);
      const row = await insertRow(tx, objectCredentials, {
        ...identity,
        name: body.name,
        provider: body.provider ?? null,
        endpoint,
        region: body.region,
        forcePathStyle,
        accessKeyId: body.access_key_id,
        secretAccessKeySealed: sealSecretAccessKey(keyring, identity, body.secret_access_key),
        sessionTokenSealed: sealSessionToken(keyring, identity, body.session_token ?? null),
        status: body.status ?? 'ACTIVE',
      });
      return {
        ...changeOf(call, presentObjectCredential, null, row),
        secrets: { secret_access_key: 'set', session_token: body.session_token ? 'set' : undefined },
      };
    });
    return { status: 201, body: created };
  };
