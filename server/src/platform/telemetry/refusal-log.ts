import type { IncomingMessage } from 'node:http';
import { patterns } from '@tenant-open-platform/contract';
import type { Logger } from 'pino';

type Refusal = {
  code: string;
  status: number;
  request_id: string;
  address: string | undefined;
  /** The tenant of the credential, once the signature is verified. */
  tenant_id?: string | undefined;
  /** Null if the bytes were not HTTP. */
  req: IncomingMessage | null;
};

export type LogRefusal = (refusal: Refusal) => void;

const PER_CODE_AND_SECOND = 10;
const MAX_PATH_LENGTH = 256;

/**
 * Logs answers of 400 and above, so that an operator can find a request_id. A flood of one code writes a bounded number
 * of lines.
 */
export function refusalLog(logger: Logger): LogRefusal {
  const counts = new Map<string, number>();

  function summarize(): void {
    for (const [code, count] of counts) {
      if (count > PER_CODE_AND_SECOND) {
        logger.info({ code, left_out: count - PER_CODE_AND_SECOND }, 'more requests were refused in this second');
      }
    }
    counts.clear();
  }

  return ({ req, ...refusal }) => {
    if (counts.size === 0) setTimeout(summarize, 1_000).unref();
    const count = (counts.get(refusal.code) ?? 0) + 1;
    counts.set(refusal.code, count);
    if (count <= PER_CODE_AND_SECOND) logger.info({ ...refusal, ...(req && claimsOf(req)) }, 'refused');
  };
}

/** The request without the parts that may hold a secret: query, signature, user and password of a URL. */
function claimsOf({ method, url = '', headers }: IncomingMessage) {
  const id = headers['x-api-id'];
  return {
    method,
    path: url.startsWith('/') ? url.split('?', 1)[0]?.slice(0, MAX_PATH_LENGTH) : undefined,
    client_id: typeof id === 'string' && patterns.clientId.test(id) && !id.startsWith('osk_') ? id : undefined,
  };
}
