import { and, eq } from 'drizzle-orm';
import { changeOf, withAudit } from '../../platform/audit/with-audit.js';
import type { Transaction } from '../../platform/database/database.js';
import { invalidValue } from '../../platform/operation/api-error.js';
import type { Handler } from '../../platform/operation/handler.js';
import { ownRow, readRow, updateRow } from '../../platform/operation/rows.js';
import type { Keyring } from '../../platform/secrets/keyring.js';
import { objectResources } from '../object-resources/object-resources.table.js';
import { objectCredentials } from './object-credentials.table.js';
import { canonicalEndpoint, fitsHostName, refuseHostNameOfAddress } from './object-endpoint.js';
import { sealSecretAccessKey, sealSessionToken } from './object-secrets.js';
import { presentObjectCredential } from './present-object-credential.js';

type Row = typeof objectCredentials.$inferSelect;
type Body = Parameters<Handler<'objectCredentials.update'>>[0]['body'];

export const updateObjectCredential =
  (keyring: Keyring, { allowInsecure }: { allowInsecure: boolean }): Handler<'objectCredentials.update'> =>
  async ({ params, body }, call) => {
    const endpoint = body.endpoint === undefined ? undefined : canonicalEndpoint(body.endpoint, allowInsecure);

    const changed = await withAudit(call, { fields: body }, async (tx) => {
      const own = ownRow(objectCredentials, call, params);
      const locked = await readRow(tx, call, objectCredentials, own, 'no key update');
      const forcePathStyle = body.force_path_style ?? locked.forcePathStyle;
      refuseHostNameOfAddress({ endpoint: endpoint ?? locked.endpoint, forcePathStyle });
      if (locked.forcePathStyle && !forcePathStyle) await refuseBucketsInHostName(tx, locked);
      const updated = await updateRow(tx, objectCredentials, own, {
        name: body.name,
        provider: body.provider,
        endpoint,
        region: body.region,
        forcePathStyle,
        status: body.status,
        ...secretsOf(body, locked, keyring),
      });
      return {
        ...changeOf(call, presentObjectCredential, locked, updated),
        secrets: {
          secret_access_key: body.secret_access_key === undefined ? undefined : 'rotated',
          session_token: changeOfToken(locked, updated),
        },
      };
    });
    return { status: 200, body: changed };
  };

function changeOfToken({ sessionTokenSealed: old }: Row, { sessionTokenSealed: current }: Row) {
  if (current === null) return old === null ? undefined : 'removed';
  if (old === null) return 'set';
  return old.equals(current) ? undefined : 'rotated';
}

/** A new access key removes the old session token, unless the body has a new one. */
function secretsOf({ access_key_id, secret_access_key, session_token }: Body, locked: Row, keyring: Keyring) {
  if (secret_access_key === undefined) {
    return session_token === undefined ? {} : { sessionTokenSealed: sealSessionToken(keyring, locked, session_token) };
  }
  const next = { ...locked, secretVersion: locked.secretVersion + 1 };
  return {
    accessKeyId: access_key_id,
    secretVersion: next.secretVersion,
    secretAccessKeySealed: sealSecretAccessKey(keyring, next, secret_access_key),
    sessionTokenSealed: sealSessionToken(keyring, next, session_token ?? null),
  };
}

/** The buckets that resources already use. A concurrent new resource waits for the lock on its credential. */
async function refuseBucketsInHostName(tx: Transaction, { tenantId, credentialId }: Row): Promise<void> {
  const named = await tx
    .selectDistinct({ bucket: objectResources.bucket })
    .from(objectResources)
    .where(and(eq(objectResources.tenantId, tenantId), eq(objectResources.credentialId, credentialId)));
  const unfit = named.find(({ bucket }) => !fitsHostName(bucket));
  if (!unfit) return;
  throw invalidValue(
    'body/force_path_style',
    `must stay true: the bucket ${unfit.bucket} of an object resource cannot go into a host name`,
  );
}
