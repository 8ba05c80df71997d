import type { contract } from '@tenant-open-platform/contract';
import { changeOf, withAudit } from '../../platform/audit/with-audit.js';
import type { Database } from '../../platform/database/database.js';
import type { Handler } from '../../platform/operation/handler.js';
import { readRow, updateRow } from '../../platform/operation/rows.js';
import { lockCredentialOfResource } from '../object-credentials/lock-credential-of-resource.js';
import { refuseBucketInHostName } from '../object-credentials/object-endpoint.js';
import { refuseKeyPrefix } from '../objects/object-key.js';
import { isObjectResource, objectResources } from './object-resources.table.js';
import { presentObjectResource } from './present-object-resource.js';

export const updateObjectResource =
  (database: Database): Handler<typeof contract.objectResources.update> =>
  async ({ params: { resource_id: resourceId }, body }, call) => {
    const { tenantId } = call;
    if (body.key_prefix !== undefined) refuseKeyPrefix(body.key_prefix);

    const row = await withAudit(database, call, { fields: body }, async (tx) => {
      const own = isObjectResource(tenantId, resourceId);
      const locked = await readRow(tx, call, objectResources, own, 'no key update');
      if (body.credential_id !== undefined || body.bucket !== undefined) {
        const { credential_id = locked.credentialId, bucket = locked.bucket } = body;
        const credential = await lockCredentialOfResource(tx, tenantId, credential_id);
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
    return { status: 200, body: presentObjectResource(row, call.requestId) };
  };
