const MAX_PATH_BYTES = 1024;
const MAX_QUERY_BYTES = 2048;
const PATH = /^\/api\/v1(\/[A-Za-z0-9_][A-Za-z0-9._~-]*)+$/;
const PAIR = /^([a-z_]+)=((?:[A-Za-z0-9._~:,-]|%[0-9A-Fa-f]{2})+)$/;

/**
 * Returns the problem of a request target, or null if it is `path[?query]` of the grammar. A target that passes has one
 * meaning for every reader. Both patterns are ASCII, so characters are bytes.
 */
export function targetProblem(target: string): string | null {
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  if (path.length > MAX_PATH_BYTES) return `the path is longer than ${MAX_PATH_BYTES} bytes`;
  if (!PATH.test(path)) {
    return 'the path must be /api/v1 and segments of [A-Za-z0-9._~-] that begin with [A-Za-z0-9_], without trailing slash';
  }
  return mark === -1 ? null : queryProblem(target.slice(mark + 1));
}

function queryProblem(query: string): string | null {
  if (query === '') return 'a query that is empty must be left out, with its question mark';
  if (query.length > MAX_QUERY_BYTES) return `the query is longer than ${MAX_QUERY_BYTES} bytes`;
  const names = new Set<string>();
  for (const pair of query.split('&')) {
    const match = PAIR.exec(pair);
    if (!match) {
      if (pair.includes('+')) return 'a query parameter has a plus sign: write %20 for a space, or %2B for a plus sign';
      return 'every query parameter must be name=value, the value not empty and percent-encoded outside [A-Za-z0-9._~:,-]';
    }
    const [, name = '', value = ''] = match;
    if (names.has(name)) return `the query parameter ${name} is repeated`;
    names.add(name);
    if (!decodesToText(value)) return `the query parameter ${name} does not decode to UTF-8 text without NUL`;
  }
  return null;
}

function decodesToText(value: string): boolean {
  try {
    return !decodeURIComponent(value).includes('\0');
  } catch {
    return false;
  }
}
