import { and, eq, notInArray } from 'drizzle-orm';
import { notFoundIn } from '../../foundation/api-error.js';
import { tenants } from '../../foundation/identity/identity.table.js';
import { newId } from '../../foundation/ids.js';
import type { Keyring } from '../../foundation/secrets/keyring.js';
import type { Handler } from '../../gateway/operation/call.js';
import { openObjectSecrets } from '../object-credentials/object-secrets.js';
import { objectCredentials, objectResources } from '../object-credentials/object-storage.table.js';
import { objectGrants } from './object-grants.table.js';
import { refuseObjectKey } from './object-key.js';
import { denialsOf, expiresInSeconds } from './object-policy.js';
import { presignedUrl } from './presigned-url.js';

type Presign = Handler<'objects.presign'>;
type Body = Parameters<Presign>[0]['body'];

export const presignObject =
  (keyring: Keyring): Presign =>
  async ({ body }, call) => {
    const { tenantId } = call;
    const presignId = newId(call.admittedAt.getTime());
    // In whole seconds, like the date of a signature.
    const signedAt = new Date(Math.floor(call.admittedAt.getTime() / 1000) * 1000);

    return call.asTenant(async (tx) => {
      const [found] = await tx
        .select({ resource: objectResources, credential: objectCredentials })
        .from(objectResources)
        .innerJoin(
          objectCredentials,
          and(
            eq(objectCredentials.tenantId, objectResources.tenantId),
            eq(objectCredentials.credentialId, objectResources.credentialId),
          ),
        )
        // The lock makes tenants.delete wait: no record of a URL is written once the deletion has begun.
        .innerJoin(tenants, and(eq(tenants.tenantId, tenantId), notInArray(tenants.status, ['DELETING', 'DELETED'])))
        .where(and(eq(objectResources.tenantId, tenantId), eq(objectResources.resourceId, body.resource_id)))
        .for('key share', { of: tenants });
      if (!found) throw notFoundIn('body/resource_id');
      const { resource, credential } = found;

      refuseObjectKey(resource.keyPrefix, body.object_key);
      const policy = { ...resource, resourceStatus: resource.status, credentialStatus: credential.status };
      const denials = denialsOf(policy, body);
      if (denials.length > 0) {
        throw call.refuse('OBJECT_POLICY_DENIED', {
          message: `The policy does not allow this: ${denials.map(({ location, message }) => `${location} ${message}`).join('; ')}.`,
          details: denials,
        });
      }

      const key = resource.keyPrefix + body.object_key;
      const expiresIn = expiresInSeconds(policy, body);
      const expiresAt = new Date(signedAt.getTime() + expiresIn * 1000);
      const signed = signedParts(body);
      const url = await presignedUrl(
        { ...credential, ...openObjectSecrets(keyring, credential), bucket: resource.bucket },
        { ...signed, key, signedAt, expiresInSeconds: expiresIn },
      );
      await tx.insert(objectGrants).values({
        tenantId,
        presignId,
        resourceId: resource.resourceId,
        operation: body.operation,
        key,
        contentType: body.content_type,
        contentLength: body.content_length,
        clientId: call.caller.clientId,
        requestId: call.requestId,
        expiresAt,
      });
      return {
        status: 200,
        body: {
          presign_id: presignId,
          operation: body.operation,
          method: signed.method,
          url,
          headers: signed.headers,
          resource_id: resource.resourceId,
          object_key: body.object_key,
          expires_at: expiresAt.toISOString(),
          request_id: call.requestId,
        },
      };
    });
  };

/** The headers and parameters that the store enforces. The contract guarantees the fields that an UPLOAD needs. */
function signedParts(body: Body) {
  const { content_type, content_length, checksum_sha256, response_content_disposition: disposition } = body;
  return body.operation === 'UPLOAD'
    ? {
        method: 'PUT' as const,
        headers: {
          'Content-Type': content_type as string,
          'Content-Length': String(content_length),
          ...(checksum_sha256 !== undefined && { 'X-Amz-Checksum-Sha256': checksum_sha256 }),
        },
        query: {},
      }
    : {
        method: 'GET' as const,
        headers: {},
        query: { ...(disposition !== undefined && { 'response-content-disposition': disposition }) },
      };
}
