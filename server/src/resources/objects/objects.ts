import type { ErrorDetail } from '@tenant-open-platform/contract';
import { and, eq, notInArray } from 'drizzle-orm';
import { notFoundIn } from '../../foundation/api-error.js';
import { tenants } from '../../foundation/tables.js';
import type { Handler } from '../handlers.js';
import { openObjectSecrets } from '../object-credentials/object-credentials.js';
import { columnsOf, newIdOf } from '../rows.js';
import { objectCredentials, objectGrants, objectResources } from '../tables.js';
import { refuseObjectKey } from './object-key.js';
import { presignedUrl } from './presigned-url.js';

type Body = Parameters<Handler<'objects.presign'>>[0]['body'];

export const presign: Handler<'objects.presign'> = async ({ body }, call, { keyring }) => {
  const { tenantId } = call;
  const presignId = newIdOf(call);
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
    const seconds = expiresInSeconds(policy, body);
    const expiresAt = new Date(signedAt.getTime() + seconds * 1000);
    const signed = signedParts(body);
    const url = await presignedUrl(
      { ...credential, ...openObjectSecrets(keyring, credential), bucket: resource.bucket },
      { ...signed, key, signedAt, expiresInSeconds: seconds },
    );
    await tx.insert(objectGrants).values({
      ...columnsOf(objectGrants, body),
      tenantId,
      presignId,
      key,
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

type Policy = Record<'resourceStatus' | 'credentialStatus', 'ACTIVE' | 'DISABLED'> & {
  allowedOperations: readonly Body['operation'][];
  allowedContentTypes: readonly string[] | null;
  maxObjectBytes: number;
  maxExpiresInSeconds: number;
};

type Asked = Pick<Body, 'operation' | 'content_type' | 'content_length' | 'expires_in_seconds'>;

const DEFAULT_EXPIRES_IN_SECONDS = 900;

export const expiresInSeconds = ({ maxExpiresInSeconds }: Policy, asked: Asked) =>
  asked.expires_in_seconds ?? Math.min(DEFAULT_EXPIRES_IN_SECONDS, maxExpiresInSeconds);

export function denialsOf(policy: Policy, asked: Asked): ErrorDetail[] {
  const { allowedOperations, allowedContentTypes, maxObjectBytes, maxExpiresInSeconds } = policy;
  const denials: ErrorDetail[] = [];
  const deny = (field: string, code: string, message: string) =>
    denials.push({ location: `body/${field}`, code, message });

  if (policy.resourceStatus !== 'ACTIVE') deny('resource_id', 'RESOURCE_DISABLED', 'is DISABLED');
  if (policy.credentialStatus !== 'ACTIVE') {
    deny('resource_id', 'CREDENTIAL_DISABLED', 'has an object credential that is DISABLED');
  }
  if (!allowedOperations.includes(asked.operation)) {
    deny('operation', 'OPERATION_NOT_ALLOWED', `must be ${allowedOperations.join(' or ')}`);
  }
  if (asked.operation === 'UPLOAD') {
    if (allowedContentTypes !== null && !isAllowed(asked.content_type ?? '', allowedContentTypes)) {
      deny('content_type', 'CONTENT_TYPE_NOT_ALLOWED', `must be one of ${allowedContentTypes.join(', ')}`);
    }
    if (!((asked.content_length ?? Number.NaN) <= maxObjectBytes)) {
      deny('content_length', 'OBJECT_TOO_LARGE', `must be at most ${maxObjectBytes}`);
    }
  }
  if (expiresInSeconds(policy, asked) > maxExpiresInSeconds) {
    deny('expires_in_seconds', 'EXPIRES_IN_TOO_LONG', `must be at most ${maxExpiresInSeconds}`);
  }
  return denials;
}

/** A single type and subtype (RFC 9110), optionally with parameters: lists and wildcards are refused. */
const MEDIA_TYPE = /^([a-z0-9!#$&^_.+-]+)\/([a-z0-9!#$&^_.+-]+)(?:[ \t]*;(?:[^,"]|"(?:[^"\\]|\\.)*")*)?$/i;

/** Compares only the essence: type and subtype in lower case, without parameters. */
function isAllowed(contentType: string, allowed: readonly string[]): boolean {
  const [, type, subtype] = MEDIA_TYPE.exec(contentType.toLowerCase()) ?? [];
  return type !== undefined && (allowed.includes(`${type}/${subtype}`) || allowed.includes(`${type}/*`));
}
