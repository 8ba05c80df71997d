import type { contract } from '@tenant-open-platform/contract';
import { sql } from 'drizzle-orm';
import { withAudit } from '../../platform/audit/with-audit.js';
import type { Database } from '../../platform/database/database.js';
import { notFoundIn } from '../../platform/operation/api-error.js';
import type { Handler } from '../../platform/operation/handler.js';
import { lockObjectCredential } from '../object-credentials/lock-object-credential.js';
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
      const [locked] = await tx.select().from(objectResources).where(own).for('no key update');
      if (!locked) throw call.refuse('NOT_FOUND');
      if (body.credential_id !== undefined || body.bucket !== undefined) {
        const { credential_id = locked.credentialId, bucket = locked.bucket } = body;
        const credential = await lockObjectCredential(tx, tenantId, credential_id, 'share');
        if (!credential) throw notFoundIn('body/credential_id');
        refuseBucketInHostName(credential, bucket, body.bucket === undefined ? 'body/credential_id' : 'body/bucket');
      }
      const [updated] = await tx
        .update(objectResources)
        .set({
          name: body.name,
          credentialId: body.credential_id,
          bucket: body.bucket,
          allowedOperations: body.allowed_operations,
          keyPrefix: body.key_prefix,
          allowedContentTypes: body.allowed_content_types,
          maxObjectBytes: body.max_object_bytes,
          maxExpiresInSeconds: body.max_expires_in_seconds,
          status: body.status,
          updatedAt: sql`now()`,
        })
        .where(own)
        .returning();
      if (!updated) throw call.refuse('NOT_FOUND');
      return {
        before: presentObjectResource(locked, call.requestId),
        after: presentObjectResource(updated, call.requestId),
        result: updated,
      };
    });
    return { status: 200, body: presentObjectResource(row, call.requestId) };
  };
