import type { contract } from '@tenant-open-platform/contract';
import { changing } from '../../platform/audit/changing.js';
import type { Database } from '../../platform/database/database.js';
import type { Handler } from '../../platform/http/handler.js';
import { newId } from '../../platform/new-id.js';
import type { Keyring } from '../../platform/secrets/keyring.js';
import { refuseBeyondLimit } from '../tenants/refuse-beyond-limit.js';
import { objectCredentials } from './object-credentials.table.js';
import { canonicalEndpoint, refuseHostNameOfAddress } from './object-endpoint.js';
import { sealSecretAccessKey, sealSessionToken } from './object-secrets.js';
import { presentObjectCredential } from './present-object-credential.js';

/** What the operator allows of object credentials. */
export type ObjectCredentialLimits = { perTenant: number; allowInsecure: boolean };

export const createObjectCredential =
  (
    database: Database,
    keyring: Keyring,
    { perTenant, allowInsecure }: ObjectCredentialLimits,
  ): Handler<typeof contract.objectCredentials.create> =>
  async ({ body }, call) => {
    const { tenantId } = call;
    const endpoint = canonicalEndpoint(body.endpoint, allowInsecure);
    const forcePathStyle = body.force_path_style ?? false;
    refuseHostNameOfAddress({ endpoint, forcePathStyle });
    const status = body.status ?? 'ACTIVE';
    const identity = { tenantId, credentialId: newId(call.admittedAt.getTime()), secretVersion: 1 };

    const row = await changing(database, call, { fields: body, created: identity.credentialId }, async (tx) => {
      if (status === 'ACTIVE') {
        await refuseBeyondLimit(tx, objectCredentials, tenantId, perTenant);
      }
      const [created] = await tx
        .insert(objectCredentials)
        .values({
          ...identity,
          name: body.name,
          provider: body.provider ?? null,
          endpoint,
          region: body.region,
          forcePathStyle,
          accessKeyId: body.access_key_id,
          secretAccessKeySealed: sealSecretAccessKey(keyring, identity, body.secret_access_key),
          sessionTokenSealed: sealSessionToken(keyring, identity, body.session_token ?? null),
          status,
        })
        .returning();
      if (!created) throw new Error('The insert returned no row.');
      return created;
    });
    return { status: 201, body: presentObjectCredential(row, call.requestId) };
  };
