import { changeOf, withAudit } from '../../platform/audit/with-audit.js';
import type { Handler } from '../../platform/operation/handler.js';
import { ownRow, readRow, updateRow } from '../../platform/operation/rows.js';
import { lockCredentialOfResource } from '../object-credentials/lock-credential-of-resource.js';
import { refuseBucketInHostName } from '../object-credentials/object-endpoint.js';
import { refuseKeyPrefix } from '../objects/object-key.js';
import { objectResources } from './object-resources.table.js';
import { presentObjectResource } from './present-object-resource.js';

export const updateObjectResource: Handler<'objectResources.update'> = async ({ params, body }, call) => {
  if (body.key_prefix !== undefined) refuseKeyPrefix(body.key_prefix);

  const changed = await withAudit(call, { fields: body }, async (tx) => {
    const own = ownRow(objectResources, call, params);
    const locked = await readRow(tx, call, objectResources, own, 'no key update');
    if (body.credential_id !== undefined || body.bucket !== undefined) {
      const { credential_id = locked.credentialId, bucket = locked.bucket } = body;
      const credential = await lockCredentialOfResource(tx, call.tenantId, credential_id);
      refuseBucketInHostName(credential, bucket, body.bucket === undefined ? 'body/credential_id' : 'body/bucket');
    }
    const updated = await updateRow(tx, objectResources, own, {
      name: body.name,
      credentialId: body.credential_id,
      bucket: body.bucket,
      allowedOperations: body.allowed_operations,
      keyPrefix: body.key_prefix,
      allowedContentTypes: body.allowed_content_types,
      maxObjectBytes: body.max_object_bytes,
      maxExpiresInSeconds: body.max_expires_in_seconds,
      status: body.status,
    });
    return changeOf(call, presentObjectResource, locked, updated);
  });
  return { status: 200, body: changed };
};
