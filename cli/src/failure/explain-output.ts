import type { OutputError } from '../errors.js';
import type { Invocation } from '../invocation.js';
import type { SentRequest } from '../session/sent-request.js';

/**
 * The message about output that was lost; undefined if nothing is amiss: a reader such as `head` closes the pipe when it
 * has enough. A command that changed something has failed even then, because nobody saw its whole answer.
 */
export function explainOutput({ cause }: OutputError, invocation: Invocation): string | undefined {
  const change = invocation.session?.lastChange();
  const isClosed = cause.code === 'EPIPE';
  if (isClosed && !change) return undefined;
  const what = isClosed ? 'the reader of stdout has closed it' : `stdout cannot be written: ${cause.message}`;
  if (!change) return what;
  const key = keyOf(change);
  const { method, url } = change;
  const sent = `${method} ${url.pathname} was sent and is not undone`;
  if (key === undefined) return `${what}; ${sent}`;
  return `${what}; ${sent}\n  to print it again without a second effect: ${invocation.howToRepeat(key)}`;
}

function keyOf({ headers, body }: SentRequest): string | undefined {
  const key = headers.get('idempotency-key');
  if (key !== null || typeof body !== 'string') return key ?? undefined;
  const { idempotency_key, batch_id } = JSON.parse(body || '{}');
  return idempotency_key ?? batch_id;
}
