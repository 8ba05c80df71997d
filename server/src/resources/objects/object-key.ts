import { invalidValue } from '../../foundation/api-error.js';

export function refuseObjectKey(keyPrefix: string, objectKey: string): void {
  const key = keyPrefix + objectKey;
  const sizeProblem = Buffer.byteLength(key) > 1024 && 'must be at most 1024 bytes of UTF-8 with key_prefix';
  // Prefix and key may be harmless separately: `a/%2` and `e%2e/b`.
  const problem = sizeProblem || dotProblem(objectKey) || dotProblem(key) || textProblem(objectKey);
  if (problem) throw invalidValue('body/object_key', problem);
}

/** A prefix may end within a segment. */
export function refuseKeyPrefix(keyPrefix = ''): void {
  const sizeProblem = Buffer.byteLength(keyPrefix) > 512 && 'must be at most 512 bytes of UTF-8';
  const problem = sizeProblem || dotProblem(keyPrefix) || textProblem(keyPrefix.replace(/(?<=[^/])\/$/, ''));
  if (problem && keyPrefix !== '') throw invalidValue('body/key_prefix', problem);
}

const dotProblem = (text: string) => hasDotSegment(text) && 'must not have `.` or `..` as a segment, in any spelling';

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
