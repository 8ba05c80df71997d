/** Names of the authentication headers as they are written; HTTP header names are case-insensitive. */
export const signatureHeaders = {
  clientId: 'X-Api-Id',
  timestamp: 'X-Api-Timestamp',
  nonce: 'X-Api-Nonce',
  signature: 'X-Api-Signature',
} as const;

/** These two have names of their own, so that a bundle of the SDK has no others. */
export const REQUEST_ID = /^[A-Za-z0-9._~-]{1,128}$/;
export const CLIENT_ID = /^[A-Za-z0-9_][A-Za-z0-9._~-]{0,63}$/;

export const headerPatterns = {
  requestId: REQUEST_ID,
  clientId: CLIENT_ID,
  timestamp: /^[1-9][0-9]{9}$/,
  nonce: /^[A-Za-z0-9._~-]{8,128}$/,
  signature: /^v1=[0-9a-f]{64}$/,
} as const;

/**
 * The signed parts of a request. All values exactly as they are sent: nothing is normalised before signing or
 * verifying.
 */
export type SignedParts = {
  /** Upper case. */
  method: string;
  /** `path[?query]` from `/api/v1` on; a path prefix of the base URL is not signed. */
  target: string;
  /** X-Api-Id. */
  clientId: string;
  /** X-Api-Timestamp: Unix time in seconds. */
  timestamp: string;
  /** X-Api-Nonce. */
  nonce: string;
  /** Lower-case hex of SHA-256 over the body bytes; {@link EMPTY_BODY_SHA256} if there is no body. */
  bodySha256: string;
};

export const ALGORITHM = 'HMAC-SHA256-V1';

export const EMPTY_BODY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Seven lines joined by `\n`, without a trailing newline. The key of the HMAC is the whole secret text in ASCII. */
export function stringToSign(parts: SignedParts): string {
  return `${ALGORITHM}\n${parts.method}\n${parts.target}\n${parts.clientId}\n${parts.timestamp}\n${parts.nonce}\n${parts.bodySha256}`;
}

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
