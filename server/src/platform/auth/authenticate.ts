import { hash } from 'node:crypto';
import { EMPTY_BODY_SHA256, stringToSign, targetProblem } from '@tenant-open-platform/contract/signature';
import type { Logger } from 'pino';
import type { Database } from '../database/database.js';
import { addressOf, networkOf } from '../http/address.js';
import { hasBody, readBody } from '../http/body.js';
import type { Incoming } from '../http/exchange.js';
import { ApiError, unavailable } from '../operation/api-error.js';
import { findOperation } from '../operation/find-operation.js';
import type { Keyring } from '../secrets/keyring.js';
import { createSlots } from '../waiting/slots.js';
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

/** Large bodies of unknown senders that are in memory at a time: 10,000 connections could otherwise take 10 GB. */
const LARGE_BODIES = 256;
const LARGE_BODIES_OF_A_NETWORK = 16;

/** Reads the whole request and verifies its signature. Throws an ApiError if it refuses the request. */
export function createAuthenticate({ database, keyring, limits, logger, trustedHops, bodyLimitBytes }: Options) {
  const verifySignature = createSignatureVerifier(database, keyring, logger);
  const large = createSlots(LARGE_BODIES);
  const largeOfNetwork = createSlots(LARGE_BODIES_OF_A_NETWORK);

  async function withBody<Result>(req: Incoming, network: string, use: (body: Buffer) => Promise<Result>) {
    const isLarge = hasBody(req) && !(Number(req.headers['content-length']) <= bodyLimitBytes);
    const limit = (isLarge && findOperation(req.method, req.url).operation?.largeBody?.bytes) || bodyLimitBytes;
    if (limit <= bodyLimitBytes) return use(await readBody(req, bodyLimitBytes));
    const releases = [largeOfNetwork.take(network), large.take('all')];
    try {
      if (releases.includes(null)) throw unavailable('Too many large bodies at a time. Repeat the request.', 1);
      return await use(await readBody(req, limit));
    } finally {
      for (const release of releases) release?.();
    }
  }

  return async function authenticate(req: Incoming): Promise<Authenticated> {
    const problem = targetProblem(req.url);
    if (problem) throw new ApiError('INVALID_TARGET', { message: `The request target is not valid: ${problem}.` });
    const { clientId, timestamp, nonce, signature } = readAuthHeaders(req);
    const network = networkOf(addressOf(req, trustedHops));
    return withBody(req, network, async (body) => {
      const bodySha256 = body.length === 0 ? EMPTY_BODY_SHA256 : hash('sha256', body);
      const signed = stringToSign({ method: req.method, target: req.url, clientId, timestamp, nonce, bodySha256 });
      // The limit of a network refuses only requests that fail to authenticate, never one with a correct signature.
      const refusal = () => limits.countFailure(network) ?? unauthenticated(signed);
      const verified = await verifySignature({ clientId, stringToSign: signed, signature, network });
      if (!verified) throw refusal();
      const { tenantId, credentialNumber, secretVersion } = verified;
      const nonceHash = hashNonce(nonce);
      // Not `...verified`: an overloaded node spent 3 % of its CPU on it.
      return { tenantId, credentialNumber, secretVersion, clientId, timestamp, nonceHash, body, refusal };
    });
  };
}

/** The same for every reason. The caller learns only the string to sign that the platform computed. */
const unauthenticated = (signed: string) => new ApiError('UNAUTHENTICATED', { metadata: { string_to_sign: signed } });
