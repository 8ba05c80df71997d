import { stringToSign, targetProblem } from '@tenant-open-platform/contract/signature';
import { hashBody, importKey, signParts, verifyParts } from './core/signature.js';

/** A request to sign, exactly as it will be sent. */
export interface SignRequest {
  /** The credential id, the value of `X-Api-Id`. */
  clientId: string;
  /** The whole secret text, with its `osk_`. */
  secret: string;
  /** `GET`, `POST`, `PUT` or `DELETE`. */
  method: string;
  /** `path[?query]` from `/api/v1` on, without the host and without a path prefix of the base URL. */
  target: string;
  /** The body exactly as it will be sent; a string is sent as UTF-8. Absent or empty: no body. */
  body?: string | Uint8Array | undefined;
  /** Unix time in seconds. Default: now. */
  timestamp?: number | string | undefined;
  /** 8 to 128 characters of `[A-Za-z0-9._~-]`, new for every attempt. Default: random. */
  nonce?: string | undefined;
}

/** Headers to send with the signed request. A type and not an interface: fetch accepts no interface as headers. */
export type SignatureHeaders = {
  'X-Api-Id': string;
  'X-Api-Timestamp': string;
  'X-Api-Nonce': string;
  'X-Api-Signature': string;
};

/**
 * Signs one request (HMAC-SHA256-V1) and returns its four authentication headers. Sign every attempt separately: the platform
 * accepts a nonce once.
 *
 * @throws TypeError if the target has no unambiguous meaning and the platform would refuse it.
 */
export async function sign(request: SignRequest): Promise<SignatureHeaders> {
  const parts = await toParts(request);
  return signParts(await importKey(request.secret), parts);
}

/**
 * The headers together with the string to sign: seven lines, to compare with `metadata.string_to_sign` of a refusal.
 * The secret is not in it.
 */
export async function explain(request: SignRequest): Promise<{ headers: SignatureHeaders; stringToSign: string }> {
  const parts = await toParts(request);
  return { headers: await signParts(await importKey(request.secret), parts), stringToSign: stringToSign(parts) };
}

/**
 * Verifies the signature of a request in constant time, for a gateway or a test platform. The caller checks that
 * `timestamp` is near its clock and that `nonce` is new.
 */
export async function verify(
  request: SignRequest & { timestamp: number | string; nonce: string; signature: string },
): Promise<boolean> {
  return verifyParts(request.secret, await toParts(request), request.signature);
}

/** A line in which two strings to sign differ. */
export interface SignatureDifference {
  part: 'algorithm' | 'method' | 'target' | 'client_id' | 'timestamp' | 'nonce' | 'body_sha256';
  yours: string | undefined;
  platforms: string | undefined;
}

const LINES = ['algorithm', 'method', 'target', 'client_id', 'timestamp', 'nonce', 'body_sha256'] as const;

/**
 * The lines in which your string to sign differs from the platform's: `explain(request).stringToSign` and
 * `metadata.string_to_sign` of a 401. If nothing differs, the secret is wrong.
 */
export function difference(yours: string, platforms: string): SignatureDifference[] {
  const [own, theirs] = [yours.split('\n'), platforms.split('\n')];
  return LINES.flatMap((part, line) =>
    own[line] === theirs[line] ? [] : [{ part, yours: own[line], platforms: theirs[line] }],
  );
}

async function toParts(request: SignRequest) {
  const problem = targetProblem(request.target);
  if (problem) throw new TypeError(`Cannot sign this target: ${problem}.`);
  return {
    method: request.method.toUpperCase(),
    target: request.target,
    clientId: request.clientId,
    timestamp: String(request.timestamp ?? Math.floor(Date.now() / 1000)),
    nonce: request.nonce ?? crypto.randomUUID(),
    bodySha256: await hashBody(request.body),
  };
}
