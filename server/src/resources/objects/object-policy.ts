import type { ErrorDetail } from '@tenant-open-platform/contract';

type Status = 'ACTIVE' | 'DISABLED';
type Operation = 'UPLOAD' | 'DOWNLOAD';

type Policy = {
  resourceStatus: Status;
  credentialStatus: Status;
  allowedOperations: readonly Operation[];
  allowedContentTypes: readonly string[] | null;
  maxObjectBytes: number;
  maxExpiresInSeconds: number;
};

type Asked = {
  operation: Operation;
  content_type?: string | undefined;
  content_length?: number | undefined;
  expires_in_seconds?: number | undefined;
};

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
const MEDIA_TYPE = /^([a-z0-9!#$&^_.+-]+)\/([a-z0-9!#$&^_.+-]+)(?:[ \t]*;[^,]*)?$/i;

/** Compares only the essence: type and subtype in lower case, without parameters. */
function isAllowed(contentType: string, allowed: readonly string[]): boolean {
  const [, type, subtype] = MEDIA_TYPE.exec(contentType.toLowerCase()) ?? [];
  return type !== undefined && (allowed.includes(`${type}/${subtype}`) || allowed.includes(`${type}/*`));
}
