import { createHash, createHmac } from 'node:crypto';
import type { ErrorCode } from '../src/errors.js';

/** A request to sign. {@link usual} fills in missing fields. */
export type RequestCase = {
  name: string;
  /** The mistake of an implementation that this case catches. */
  why: string;
  secret?: string;
  client_id?: string;
  timestamp?: string;
  nonce?: string;
  method?: string;
  target?: string;
  body?: string | Buffer;
};

/**
 * The judge that refuses: the grammar of targets, the syntax and number of the authentication headers, the signature,
 * or the server with its own knowledge. Every case breaks the rule of its judge and no other rule.
 */
type Judge = 'target' | 'headers' | 'signature' | 'server';

export type RejectCase = RequestCase & {
  judge: Judge;
  code: ErrorCode;
  /** With judge `server`: only a live credential gets this code, after the signature was verified. */
  after_signature?: true;
  /** The header value to send, if it is not the correct one. */
  signature?: (right: Signing) => string;
  /** Changes the headers of an otherwise correct request. */
  headers?: (right: string[]) => string[];
};

export type Signing = { lines: string[]; secret: string; hex: string; body: Buffer };

export const usual = {
  secret: 'osk_3nTQ8ZkWb1xYv5RcJd0LmPf7GhUe2SaKo9BiNqXtE4w3go6Vf',
  client_id: 'demo-client',
  timestamp: '1767225600',
  nonce: '6f1c2a34-98bd-4c0e-9a57-0d2f6c1b7e11',
  method: 'GET',
  target: '/api/v1/open/device-requests',
  body: '',
} as const;

export const rebootBody =
  '{"idempotency_key":"order-42","vendor":"vendor_a","device_id":"SN-0042","command_type":"reboot","payload":{}}';

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

export const hmacSha256 = (key: string | Buffer, text: string): string =>
  createHmac('sha256', key).update(text).digest('hex');

export const withoutHeader = (name: string) => ({
  headers: (right: string[]) => right.filter((line) => !line.startsWith(`${name}:`)),
});
