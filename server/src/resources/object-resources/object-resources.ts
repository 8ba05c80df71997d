import { contract } from '@tenant-open-platform/contract';
import { notFoundIn } from '../../foundation/api-error.js';
import type { Transaction } from '../../foundation/database/database.js';
import { changeOf, withAudit } from '../../gateway/audit/audit.js';
import type { Call } from '../../gateway/operation/call.js';
import { deleteHandler, getHandler, type Handler, listHandler } from '../handlers.js';
import { refuseBucketInHostName } from '../object-credentials/object-endpoint.js';
import { refuseKeyPrefix } from '../objects/object-key.js';
import { columnsOf, insertRow, newIdOf, presenter, readRow, refuseBeyondLimit, updateRow } from '../rows.js';
import { objectCredentials, objectResources } from '../tables.js';

const presentObjectResource = presenter(objectResources, contract.objectResources.get.responses[200]);

const DEFAULTS = { keyPrefix: '', maxObjectBytes: 5 * 1024 ** 3, maxExpiresInSeconds: 3600, status: 'ACTIVE' } as const;

export const create: Handler<'objectResources.create'> = async ({ body }, call, { limits }) => {
  const { tenantId } = call;
  refuseKeyPrefix(body.key_prefix);
  const resourceId = newIdOf(call);
  const created = await withAudit(call, { fields: body, created: resourceId }, async (tx) => {
    await refuseBeyondLimit(tx, call, objectResources, limits);
    const credential = await lockObjectCredential(tx, call, body.credential_id);
    refuseBucketInHostName(credential, body.bucket, 'body/bucket');
    const fields = { ...DEFAULTS, ...columnsOf(objectResources, body) };
    const row = await insertRow(tx, objectResources, { ...fields, tenantId, resourceId });
    return changeOf(call, presentObjectResource, null, row);
  });
  return { status: 201, body: created };
};

/** Reads and locks the object credential that a body refers to, so that it stays as it was checked. */
const lockObjectCredential = (tx: Transaction, { tenantId }: Call, credential_id: string) =>
  readRow(
    tx,
    { tenantId, refuse: () => notFoundIn('body/credential_id') },
    objectCredentials,
    { credential_id },
    'share',
  );

export const list = listHandler({
  table: objectResources,
  order: ['resourceId'],
  filteredBy: ['credentialId', 'status'],
  present: presentObjectResource,
});

export const get = getHandler(objectResources, presentObjectResource);

export const update: Handler<'objectResources.update'> = async ({ params, body }, call) => {
  refuseKeyPrefix(body.key_prefix);
  const changed = await withAudit(call, { fields: body }, async (tx) => {
    const locked = await readRow(tx, call, objectResources, params, 'no key update');
    if (body.credential_id !== undefined || body.bucket !== undefined) {
      const { credential_id = locked.credentialId, bucket = locked.bucket } = body;
      const credential = await lockObjectCredential(tx, call, credential_id);
      refuseBucketInHostName(credential, bucket, body.bucket === undefined ? 'body/credential_id' : 'body/bucket');
    }
    const updated = await updateRow(tx, call, objectResources, params, columnsOf(objectResources, body));
    return changeOf(call, presentObjectResource, locked, updated);
  });
  return { status: 200, body: changed };
};

const deleteObjectResource = deleteHandler(objectResources, presentObjectResource);

export { deleteObjectResource as delete };
