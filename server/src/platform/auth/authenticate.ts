import { hash } from 'node:crypto';
import { EMPTY_BODY_SHA256, stringToSign, targetProblem } from '@tenant-open-platform/contract/signature';
import type { Logger } from 'pino';
import type { Database } from '../database/database.js';
import { addressOf, networkOf } from '../http/address.js';
import { readBody } from '../http/body.js';
import type { Incoming } from '../http/exchange.js';
import { ApiError } from '../operation/api-error.js';
import type { Keyring } from '../secrets/keyring.js';
import { hashNonce } from './admission.js';
import { readAuthHeaders } from './auth-headers.js';
import type { RateLimits } from './rate-limits.js';
import { createSignatureVerifier, type VerifiedBy } from './signing-keys.js';

/** The sender of a request, by its signature. Admission decides whether the credential is still valid. */
export type Authenticated = VerifiedBy & {
  clientId: string;
  timestamp: string;
  nonceHash: string;
  body: Buffer;
  /** Counts the request as a failed authentication and returns its refusal. */
  refusal(): ApiError;
};

type Options = {
  database: Database;
  keyring: Keyring;
  limits: RateLimits;
  logger: Logger;
  trustedHops: number;
  bodyLimitBytes: number;
};

/** Reads the whole request and verifies its signature. Throws an ApiError if it refuses the request. */
export function createAuthenticate({ database, keyring, limits, logger, trustedHops, bodyLimitBytes }: Options) {
  const verifySignature = createSignatureVerifier(database, keyring, logger);
  return async function authenticate(req: Incoming): Promise<Authenticated> {
    const problem = targetProblem(req.url);
    if (problem) throw new ApiError('INVALID_TARGET', { message: `The request target is not valid: ${problem}.` });
    const { clientId, timestamp, nonce, signature } = readAuthHeaders(req);
    const network = networkOf(addressOf(req, trustedHops));
    const body = await readBody(req, bodyLimitBytes);
    const signed = stringToSign({
      method: req.method,
      target: req.url,
      clientId,
      timestamp,
      nonce,
      bodySha256: body.length === 0 ? EMPTY_BODY_SHA256 : hash('sha256', body),
    });
    // The limit of a network refuses only requests that fail to authenticate, never one with a correct signature.
    const refusal = () => limits.countFailure(network) ?? unauthenticated(signed);
    const verified = await verifySignature({ clientId, stringToSign: signed, signature, network });
    if (!verified) throw refusal();
    return { ...verified, clientId, timestamp, nonceHash: hashNonce(nonce), body, refusal };
  };
}

/** The same for every reason. The caller learns only the string to sign that the platform computed. */
const unauthenticated = (signed: string) => new ApiError('UNAUTHENTICATED', { metadata: { string_to_sign: signed } });
