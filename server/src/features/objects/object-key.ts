import { invalidValue } from '../../platform/operation/api-error.js';

const MAX_KEY_BYTES = 1024;
const MAX_PREFIX_BYTES = 512;

export function refuseObjectKey(keyPrefix: string, objectKey: string): void {
  const problem = objectKeyProblem(keyPrefix, objectKey);
  if (problem !== null) throw invalidValue('body/object_key', problem);
}

export function refuseKeyPrefix(keyPrefix: string): void {
  const problem = keyPrefixProblem(keyPrefix);
  if (problem !== null) throw invalidValue('body/key_prefix', problem);
}

/** What is wrong with a key below this prefix; null where nothing is. */
function objectKeyProblem(keyPrefix: string, objectKey: string): string | null {
  const key = keyPrefix + objectKey;
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) return 'must be at most 1024 bytes of UTF-8 with key_prefix';
  // Prefix and key may each be harmless: `a/%2` and `e%2e/b`.
  if (hasDotSegment(objectKey) || hasDotSegment(key)) return 'must not have `.` or `..` as a segment, in any spelling';
  return textProblem(objectKey);
}

/** What is wrong with the beginning of all keys; null where nothing is. It may end within a segment. */
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
  // Some stores and proxies make one slash of two, or a folder of a key that ends with one.
  if (key.split('/').includes('')) return 'must not have an empty segment: two slashes in a row, or one at the end';
  return null;
}

/** Every pass takes off all layers of one spelling; only a hostile key needs more. */
const MAX_PASSES = 4;

/**
 * A key is signed and sent as it is, so that `%2e%2e` and `．．` are names like others. Something on the way or in the
 * store might still decode or fold them, however often: nothing that could then leave the prefix is let pass.
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
    // Not UTF-8 as a whole: dots and slashes among it still count.
    return run.replace(/%(2e|2f|5c|25)/gi, decodeURIComponent);
  }
}
