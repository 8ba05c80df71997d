import type { IncomingMessage } from 'node:http';
import { patterns } from '@tenant-open-platform/contract';
import type { Logger } from 'pino';

type Level = 'info' | 'warn' | 'error';

/** Writes a line under a code, unless the code has its lines already. */
export type BoundedLog = (level: Level, code: string, fields: object, message: string) => void;

type Bounds = { lines: number; everyMs: number };

const TEN_A_SECOND: Bounds = { lines: 10, everyMs: 1_000 };
export const ONCE_A_MINUTE: Bounds = { lines: 1, everyMs: 60_000 };

/** A log that a flood of requests cannot fill: so many lines of each code, then how many were left out. */
export function boundedLog(logger: Logger, { lines, everyMs } = TEN_A_SECOND): BoundedLog {
  const counts = new Map<string, number>();

  function summarize(): void {
    for (const [code, count] of counts) {
      if (count > lines) logger.info({ code, left_out: count - lines }, 'more lines of this code were left out');
    }
    counts.clear();
  }

  return (level, code, fields, message) => {
    if (counts.size === 0) setTimeout(summarize, everyMs).unref();
    const count = (counts.get(code) ?? 0) + 1;
    counts.set(code, count);
    if (count <= lines) logger[level](fields, message);
  };
}

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
