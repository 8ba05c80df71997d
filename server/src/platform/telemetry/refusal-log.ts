import type { IncomingMessage } from 'node:http';
import { patterns } from '@tenant-open-platform/contract';
import type { BoundedLog } from './bounded-log.js';

type Refusal = {
  code: string;
  status: number;
  request_id: string;
  trace_id?: string | undefined;
  address: string | undefined;
  /** The tenant of the credential, once the signature is verified. */
  tenant_id?: string | undefined;
  /** Null if the bytes were not HTTP. */
  req: IncomingMessage | null;
};

export type LogRefusal = (refusal: Refusal) => void;

const MAX_PATH_LENGTH = 256;

/** Logs answers of 400 and above, so that an operator can find a request_id. */
export const refusalLog =
  (log: BoundedLog): LogRefusal =>
  ({ req, ...refusal }) =>
    log('info', refusal.code, { ...refusal, ...(req && claimsOf(req)) }, 'refused');

/** The request without the parts that may hold a secret: query, signature, user and password of a URL. */
function claimsOf({ method, url = '', headers }: IncomingMessage) {
  const id = headers['x-api-id'];
  return {
    method,
    path: url.startsWith('/') ? url.split('?', 1)[0]?.slice(0, MAX_PATH_LENGTH) : undefined,
    client_id: typeof id === 'string' && patterns.clientId.test(id) && !id.startsWith('osk_') ? id : undefined,
  };
}
