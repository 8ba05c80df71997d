import { contract } from '@tenant-open-platform/contract';
import { and, desc, eq } from 'drizzle-orm';
import { invalidValue } from '../../foundation/api-error.js';
import type { Transaction } from '../../foundation/database/database.js';
import type { Keyring } from '../../foundation/secrets/keyring.js';
import { sealedTable } from '../../foundation/secrets/rewrap-secrets.js';
import { changeOf, withAudit } from '../../gateway/audit/audit.js';
import { auditedDeletion, getHandler, type Handler, listHandler } from '../handlers.js';
import { columnsOf, insertRow, newIdOf, ownRow, presenter, readRow, refuseBeyondLimit, updateRow } from '../rows.js';
import { objectCredentials, objectResources } from '../tables.js';
import { canonicalEndpoint, fitsHostName, refuseHostNameOfAddress } from './object-endpoint.js';

const presentObjectCredential = presenter(objectCredentials, contract.objectCredentials.get.responses[200]);

export const create: Handler<'objectCredentials.create'> = async ({ body }, call, services) => {
  const { keyring, limits, allowsInsecureEndpoints } = services;
  const endpoint = canonicalEndpoint(body.endpoint, allowsInsecureEndpoints);
  const forcePathStyle = body.force_path_style ?? false;
  refuseHostNameOfAddress({ endpoint, forcePathStyle });
  const identity = { tenantId: call.tenantId, credentialId: newIdOf(call), secretVersion: 1 };
  const created = await withAudit(call, { fields: body, created: identity.credentialId }, async (tx) => {
    await refuseBeyondLimit(tx, call, objectCredentials, limits);
    const row = await insertRow(tx, objectCredentials, {
      status: 'ACTIVE',
      ...columnsOf(objectCredentials, body),
      ...identity,
      endpoint,
      forcePathStyle,
      secretAccessKeySealed: sealSecretAccessKey(keyring, identity, body.secret_access_key),
      sessionTokenSealed: sealSessionToken(keyring, identity, body.session_token ?? null),
    });
    return {
      ...changeOf(call, presentObjectCredential, null, row),
      secrets: { secret_access_key: 'set', session_token: body.session_token ? 'set' : undefined },
    };
  });
  return { status: 201, body: created };
};

export const list = listHandler({
  table: objectCredentials,
  order: ['credentialId'],
  filteredBy: ['status'],
  present: presentObjectCredential,
});

export const get = getHandler(objectCredentials, presentObjectCredential);

type Row = typeof objectCredentials.$inferSelect;
type Body = Parameters<Handler<'objectCredentials.update'>>[0]['body'];

export const update: Handler<'objectCredentials.update'> = async ({ params, body }, call, services) => {
  const { keyring, allowsInsecureEndpoints } = services;
  const endpoint = body.endpoint === undefined ? undefined : canonicalEndpoint(body.endpoint, allowsInsecureEndpoints);
  const changed = await withAudit(call, { fields: body }, async (tx) => {
    const locked = await readRow(tx, call, objectCredentials, params, 'no key update');
    const forcePathStyle = body.force_path_style ?? locked.forcePathStyle;
    refuseHostNameOfAddress({ endpoint: endpoint ?? locked.endpoint, forcePathStyle });
    if (locked.forcePathStyle && !forcePathStyle) await refuseBucketsInHostName(tx, locked);
    const updated = await updateRow(tx, call, objectCredentials, params, {
      ...columnsOf(objectCredentials, body),
      endpoint,
      forcePathStyle,
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
function secretsOf({ secret_access_key, session_token }: Body, locked: Row, keyring: Keyring) {
  if (secret_access_key === undefined) {
    return session_token === undefined ? {} : { sessionTokenSealed: sealSessionToken(keyring, locked, session_token) };
  }
  const next = { ...locked, secretVersion: locked.secretVersion + 1 };
  return {
    secretVersion: next.secretVersion,
    secretAccessKeySealed: sealSecretAccessKey(keyring, next, secret_access_key),
    sessionTokenSealed: sealSessionToken(keyring, next, session_token ?? null),
  };
}

const usersOf = ({ tenantId, credentialId }: Row) =>
  and(eq(objectResources.tenantId, tenantId), eq(objectResources.credentialId, credentialId));

/** The buckets that resources already use. A concurrent new resource waits for the lock on its credential. */
async function refuseBucketsInHostName(tx: Transaction, locked: Row): Promise<void> {
  const { bucket } = objectResources;
  const named = await tx.selectDistinct({ bucket }).from(objectResources).where(usersOf(locked));
  const unfit = named.find(({ bucket }) => !fitsHostName(bucket));
  if (!unfit) return;
  throw invalidValue(
    'body/force_path_style',
    `must stay true: the bucket ${unfit.bucket} of an object resource cannot go into a host name`,
  );
}

const NAMED_RESOURCES = 100;

const deleteObjectCredential: Handler<'objectCredentials.delete'> = ({ params }, call) =>
  auditedDeletion(call, { params }, async (tx) => {
    // A concurrent new resource either waits for this lock and then finds no credential, or committed before it.
    const locked = await readRow(tx, call, objectCredentials, params, 'update');
    const users = await tx
      .select({ resourceId: objectResources.resourceId })
      .from(objectResources)
      .where(usersOf(locked))
      .orderBy(desc(objectResources.resourceId))
      .limit(NAMED_RESOURCES);
    if (users.length > 0) {
      const resource_ids = users.map(({ resourceId }) => resourceId);
      throw call.refuse('OBJECT_CREDENTIAL_IN_USE', { metadata: { resource_ids } });
    }
    await tx.delete(objectCredentials).where(ownRow(objectCredentials, call, params));
    return presentObjectCredential(locked, call);
  });

export { deleteObjectCredential as delete };

type Identity = Pick<Row, 'tenantId' | 'credentialId' | 'secretVersion'>;

/** The identity that a secret is sealed for. The secret does not open in another row, version or column. */
const objectSecretOwner = (
  { tenantId, credentialId, secretVersion }: Identity,
  secret: 'secret_access_key' | 'session_token',
) => `object-credential:${tenantId}:${credentialId}:${secretVersion}:${secret}`;

export const sealSecretAccessKey = (keyring: Keyring, identity: Identity, text: string) =>
  keyring.seal(text, objectSecretOwner(identity, 'secret_access_key'));

export const sealSessionToken = (keyring: Keyring, identity: Identity, text: string | null) =>
  text === null ? null : keyring.seal(text, objectSecretOwner(identity, 'session_token'));

export const openObjectSecrets = (keyring: Keyring, row: Row) => ({
  secretAccessKey: keyring.open(row.secretAccessKeySealed, objectSecretOwner(row, 'secret_access_key')),
  sessionToken:
    row.sessionTokenSealed === null
      ? null
      : keyring.open(row.sessionTokenSealed, objectSecretOwner(row, 'session_token')),
});

export const sealedObjectCredentials = sealedTable(objectCredentials, {
  id: 'credentialId',
  secrets: {
    secretAccessKeySealed: (row) => objectSecretOwner(row, 'secret_access_key'),
    sessionTokenSealed: (row) => objectSecretOwner(row, 'session_token'),
  },
});
