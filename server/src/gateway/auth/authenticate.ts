import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ErrorDetail } from '@tenant-open-platform/contract';
import {
  EMPTY_BODY_SHA256,
  headerPatterns,
  signatureHeaders,
  stringToSign,
  targetProblem,
} from '@tenant-open-platform/contract/signature';
import type { Logger } from 'pino';
import { ApiError } from '../../foundation/api-error.js';
import type { Database } from '../../foundation/database/database.js';
import type { Keyring } from '../../foundation/secrets/keyring.js';
import { networkOf } from '../http/connections.js';
import { hasBody, headerValues, type Incoming, readBody } from '../http/exchange.js';
import type { RateLimits } from '../limits/rate-limits.js';
import { findOperation } from '../operation/find-operation.js';
import { createLargeBodies } from './large-bodies.js';
import { createSignatureVerifier, type VerifiedBy } from './verify-signature.js';

/** The sender of a request, by its signature. Admission decides whether the credential is still valid. */
export type Authenticated = VerifiedBy & {
  clientId: string;
  timestamp: string;
  /** The first 16 bytes of SHA-256(nonce) in hex. */
  nonceHash: string;
  body: Buffer;
  /** Counts the request as a failed authentication and returns its refusal. */
  countFailure(): ApiError;
};

type Options = { database: Database; keyring: Keyring; limits: RateLimits; logger: Logger; bodyLimitBytes: number };

/** Reads the whole request and verifies its signature. Throws an ApiError if it refuses the request. */
export function createAuthenticate({ database, keyring, limits, logger, bodyLimitBytes }: Options) {
  const verifySignature = createSignatureVerifier(database, keyring, logger);
  const largeBodies = createLargeBodies();

  async function withBody<Result>(req: Incoming, network: string, use: (body: Buffer) => Promise<Result>) {
    const isLarge = hasBody(req) && !(Number(req.headers['content-length']) <= bodyLimitBytes);
    const largeBody = isLarge ? findOperation(req.method, req.url).operation?.route.metadata.largeBody : undefined;
    const upload = largeBody && largeBodies.expect(network, bodyLimitBytes);
    try {
      return await use(await readBody(req, largeBody?.bytes ?? bodyLimitBytes, upload));
    } finally {
      upload?.end();
    }
  }

  return async function authenticate(req: Incoming, address: string): Promise<Authenticated> {
    const problem = targetProblem(req.url);
    if (problem) throw new ApiError('INVALID_TARGET', { message: `The request target is not valid: ${problem}.` });
    const { clientId, timestamp, nonce, signature } = readAuthHeaders(req);
    const network = networkOf(address);
    return withBody(req, network, async (body) => {
      const bodySha256 = body.length === 0 ? EMPTY_BODY_SHA256 : hash('sha256', body);
      const signed = stringToSign({ method: req.method, target: req.url, clientId, timestamp, nonce, bodySha256 });
      // The limit of a network refuses only requests that fail to authenticate, never one with a correct signature.
      const countFailure = () => limits.countFailure(network) ?? unauthenticated(signed);
      const verified = await verifySignature({ clientId, stringToSign: signed, signature, network });
      if (!verified) throw countFailure();
      const { tenantId, credentialNumber, secretVersion } = verified;
      const nonceHash = hashNonce(nonce);
      // Not `...verified`: an overloaded node spent 3 % of its CPU on it.
      return { tenantId, credentialNumber, secretVersion, clientId, timestamp, nonceHash, body, countFailure };
    });
  };
}

/** The same for every reason. The caller learns only the string to sign that the platform computed. */
const unauthenticated = (signed: string) => new ApiError('UNAUTHENTICATED', { metadata: { string_to_sign: signed } });

const forms = {
  clientId: 'the client_id of a credential: 1 to 64 letters, digits and _ . ~ -, with a letter, a digit or _ first',
  timestamp: 'the Unix time in whole seconds, not in milliseconds: 10 digits',
  nonce: 'a value that is new for each request: 8 to 128 letters, digits and . _ ~ -',
  signature: 'v1= and the HMAC-SHA256 in 64 lower-case hexadecimal digits',
} as const satisfies Record<keyof typeof signatureHeaders, string>;

/**
 * Reads exactly one well-formed value of each header: two readers of one request must never see two different callers. A
 * refusal depends only on the form of the headers, so it does not reveal which credentials exist.
 */
function readAuthHeaders(req: IncomingMessage) {
  const faults: ErrorDetail[] = [];
  const read = (header: keyof typeof signatureHeaders): string => {
    const name = signatureHeaders[header];
    const [value, ...others] = headerValues(req, name.toLowerCase());
    const fault = (code: string, problem: string) =>
      faults.push({ location: `header/${name}`, code, message: `${problem} ${forms[header]}` });
    if (value === undefined) fault('MISSING', 'is missing; it must be');
    else if (others.length > 0) fault('REPEATED', 'must be sent once:');
    else if (!headerPatterns[header].test(value)) fault('MALFORMED', 'must be');
    return value ?? '';
  };
  const clientId = read('clientId');
  const timestamp = read('timestamp');
  const nonce = read('nonce');
  const signature = read('signature');
  if (faults.length > 0) {
    const problems = faults.map(({ location, message }) => `${location} ${message}`).join('; ');
    const message = `The authentication headers are not valid: ${problems}.`;
    throw new ApiError('UNAUTHENTICATED', { message, details: faults });
  }
  return { clientId, timestamp, nonce, signature: Buffer.from(signature.slice('v1='.length), 'hex') };
}

export const hashNonce = (nonce: string) => hash('sha256', nonce).slice(0, 32);
