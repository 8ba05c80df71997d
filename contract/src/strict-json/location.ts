const MAX_STEP = 128;
const MAX_LOCATION = 1_024;

/**
 * A location in a request, for an error: the part of the request and a JSON Pointer (RFC 6901) in it. The caller
 * chooses the names: each is truncated, what is not printable becomes `?`, and levels that are too deep are left out.
 */
export function locationOf(part: string, path: readonly PropertyKey[]): string {
  let location = part;
  for (const step of path) {
    const deeper = `${location}/${pointerStep(step)}`;
    if (deeper.length > MAX_LOCATION) return location;
    location = deeper;
  }
  return location;
}

/** Truncation must not leave the first half of a surrogate pair. */
const pointerStep = (step: PropertyKey) =>
  String(step)
    .slice(0, MAX_STEP)
    .replace(/[\ud800-\udbff]$/, '')
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?')
    .replaceAll('~', '~0')
    .replaceAll('/', '~1');
