import type { IncomingMessage } from 'node:http';
import type { ErrorDetail } from '@tenant-open-platform/contract';
import { headerPatterns, signatureHeaders } from '@tenant-open-platform/contract/signature';
import { ApiError } from '../operation/api-error.js';

export type AuthHeaders = { clientId: string; timestamp: string; nonce: string; signature: Buffer };

const NAMES = Object.values(signatureHeaders).map((name) => name.toLowerCase());

const forms = {
  clientId: 'the client_id of a credential: 1 to 64 letters, digits and _ . ~ -, with a letter, a digit or _ first',
  timestamp: 'the Unix time in whole seconds, not in milliseconds: 10 digits',
  nonce: 'a value that is new for each request: 8 to 128 letters, digits and . _ ~ -',
  signature: 'v1= and the HMAC-SHA256 in 64 lower-case hexadecimal digits',
} as const satisfies Record<keyof typeof signatureHeaders, string>;

/**
 * Reads exactly one well-formed value of each header. It counts the raw headers, because Node joins some duplicates and
 * drops others: two readers of one request must never see two different callers. A refusal depends only on the form of
 * the headers, so it does not reveal which credentials exist.
 */
export function readAuthHeaders(req: IncomingMessage): AuthHeaders {
  const seen = new Map(NAMES.map((name) => [name, [] as string[]]));
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    seen.get((req.rawHeaders[index] as string).toLowerCase())?.push(req.rawHeaders[index + 1] as string);
  }
  const faults: ErrorDetail[] = [];
  const read = (header: keyof typeof signatureHeaders): string => {
    const name = signatureHeaders[header];
    const [value, ...others] = seen.get(name.toLowerCase()) ?? [];
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
  if (faults.length > 0) throw notSigned(faults);
  return { clientId, timestamp, nonce, signature: Buffer.from(signature.slice('v1='.length), 'hex') };
}

const notSigned = (details: ErrorDetail[]) =>
  new ApiError('UNAUTHENTICATED', {
    message: `The authentication headers are not valid: ${details.map(({ location, message }) => `${location} ${message}`).join('; ')}.`,
    details,
  });
