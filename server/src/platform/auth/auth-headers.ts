import type { IncomingMessage } from 'node:http';
import { headerPatterns, signatureHeaders } from '@tenant-open-platform/contract/signature';
import { ApiError } from '../http/api-error.js';

export type AuthHeaders = { clientId: string; timestamp: string; nonce: string; signature: Buffer };

const NAMES = Object.values(signatureHeaders).map((name) => name.toLowerCase());

/**
 * Exactly one well-formed value of each header. Counted in the raw headers: Node joins some duplicates and drops
 * others, and two readers of one request must never see two different callers.
 */
export function readAuthHeaders(req: IncomingMessage): AuthHeaders {
  const seen = new Map<string, string>();
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    const name = (req.rawHeaders[index] as string).toLowerCase();
    if (!NAMES.includes(name)) continue;
    if (seen.has(name)) throw new ApiError('UNAUTHENTICATED');
    seen.set(name, req.rawHeaders[index + 1] as string);
  }
  const read = (header: keyof typeof signatureHeaders): string => {
    const value = seen.get(signatureHeaders[header].toLowerCase());
    if (value === undefined || !headerPatterns[header].test(value)) throw new ApiError('UNAUTHENTICATED');
    return value;
  };
  return {
    clientId: read('clientId'),
    timestamp: read('timestamp'),
    nonce: read('nonce'),
    signature: Buffer.from(read('signature').slice('v1='.length), 'hex'),
  };
}
