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
