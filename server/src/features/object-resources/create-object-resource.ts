import { changeOf, withAudit } from '../../platform/audit/with-audit.js';
import { newId } from '../../platform/new-id.js';
import type { Handler } from '../../platform/operation/handler.js';
import { insertRow } from '../../platform/operation/rows.js';
import { lockCredentialOfResource } from '../object-credentials/lock-credential-of-resource.js';
import { refuseBucketInHostName } from '../object-credentials/object-endpoint.js';
import { refuseKeyPrefix } from '../objects/object-key.js';
import { refuseBeyondLimit } from '../tenants/refuse-beyond-limit.js';
import { objectResources } from './object-resources.table.js';
import { presentObjectResource } from './present-object-resource.js';

const MAX_OBJECT_BYTES = 5 * 1024 ** 3;
const MAX_EXPIRES_IN_SECONDS = 3600;

export const createObjectResource =
  (limit: number): Handler<'objectResources.create'> =>
  async ({ body }, call) => {
    const { tenantId } = call;
    const keyPrefix = body.key_prefix ?? '';
    refuseKeyPrefix(keyPrefix);
    const resourceId = newId(call.admittedAt.getTime());

    const created = await withAudit(call, { fields: body, created: resourceId }, async (tx) => {
      await refuseBeyondLimit(tx, call, objectResources, limit);
      const credential = await lockCredentialOfResource(tx, tenantId, body.credential_id);
      refuseBucketInHostName(credential, body.bucket, 'body/bucket');
      const row = await insertRow(tx, objectResources, {
        tenantId,
        resourceId,
        name: body.name,
        credentialId: credential.credentialId,
        bucket: body.bucket,
        allowedOperations: body.allowed_operations,
        keyPrefix,
        allowedContentTypes: body.allowed_content_types ?? null,
        maxObjectBytes: body.max_object_bytes ?? MAX_OBJECT_BYTES,
        maxExpiresInSeconds: body.max_expires_in_seconds ?? MAX_EXPIRES_IN_SECONDS,
        status: body.status ?? 'ACTIVE',
      });
      return changeOf(call, presentObjectResource, null, row);
    });
    return { status: 201, body: created };
  };
