import { invalidValue } from '../../foundation/api-error.js';

const MAX_KEY_BYTES = 1024;
const MAX_PREFIX_BYTES = 512;

export function refuseObjectKey(keyPrefix: string, objectKey: string): void {
  const problem = objectKeyProblem(keyPrefix, objectKey);
  if (problem !== null) throw invalidValue('body/object_key', problem);
}

export function refuseKeyPrefix(keyPrefix = ''): void {
  const problem = keyPrefixProblem(keyPrefix);
  if (problem !== null) throw invalidValue('body/key_prefix', problem);
}

function objectKeyProblem(keyPrefix: string, objectKey: string): string | null {
  const key = keyPrefix + objectKey;
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) return 'must be at most 1024 bytes of UTF-8 with key_prefix';
  // Prefix and key may be harmless separately: `a/%2` and `e%2e/b`.
  if (hasDotSegment(objectKey) || hasDotSegment(key)) return 'must not have `.` or `..` as a segment, in any spelling';
  return textProblem(objectKey);
}

/** The problem of a key prefix; null if there is none. A prefix may end within a segment. */
function keyPrefixProblem(keyPrefix: string): string | null {
  if (Buffer.byteLength(keyPrefix) > MAX_PREFIX_BYTES) return 'must be at most 512 bytes of UTF-8';
  if (hasDotSegment(keyPrefix)) return 'must not have `.` or `..` as a segment, in any spelling';
  return keyPrefix === '' ? null : textProblem(keyPrefix.replace(/(?<=[^/])\/$/, ''));
}

function textProblem(key: string): string | null {
  if (/\p{Cc}/u.test(key)) return 'must not have control characters';
  if (/\p{Cs}/u.test(key)) return 'must not have halves of surrogate pairs';
  if (key.includes('\\')) return 'must not have a backslash: some stores take it for a slash';
  if (key.startsWith('/')) return 'must not begin with a slash';
  // Some stores and proxies merge two slashes, or treat a key with a trailing slash as a folder.
  if (key.split('/').includes('')) return 'must not have an empty segment: two slashes in a row, or one at the end';
  return null;
}

/** Every pass removes all layers of one spelling; only a hostile key needs more passes. */
const MAX_PASSES = 4;

/**
 * A key is signed and sent unchanged, so `%2e%2e` and `．．` are ordinary names. A proxy or the store might still decode
 * or fold them any number of times, so a key that could then leave the prefix is refused.
 */
function hasDotSegment(key: string): boolean {
  let seen = key;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    if (seen.split(/[/\\]/).some((segment) => segment === '.' || segment === '..')) return true;
    const decoded = seen.replace(/%(?:25)+(?=[0-9a-f]{2})/gi, '%').replace(/(?:%[0-9a-f]{2})+/gi, decodeRun);
    const folded = decoded.normalize('NFKC');
    if (folded === seen) return false;
    seen = folded;
  }
  return true;
}

function decodeRun(run: string): string {
  try {
    return decodeURIComponent(run);
  } catch {
    // The whole is not UTF-8, but dots and slashes in it still count.
    return run.replace(/%(2e|2f|5c|25)/gi, decodeURIComponent);
  }
}
