import type { CommandAccepted, CommandBatch } from '../api.gen.js';
import { readAnswer } from '../core/answer.js';
import type { WithResponse } from '../core/api-promise.js';
import type { ErrorContext } from '../errors.js';
import type { ResponseHeaders } from '../runtime.js';

export type Item = CommandBatch['items'][number];

/** The result of a command of `commands.createMany`, or its error, as of `commands.create`. Empty: no item arrived. */
export function readItem(
  { error, command_id, accepted_at, idempotent_replayed, idempotency_mismatch }: Partial<Item>,
  { headers, data: { request_id } }: WithResponse<CommandBatch>,
  context: ErrorContext,
): WithResponse<CommandAccepted> {
  const { status = 202, retry_after_seconds, ...refusal } = error ?? {};
  const own = {
    'idempotent-replayed': idempotent_replayed,
    'idempotency-mismatch': idempotency_mismatch,
    'retry-after': retry_after_seconds,
  };
  const accepted = command_id && { command_id, status: 'ACCEPTED', accepted_at };
  const body = error ? refusal : accepted;
  const answer = { status, headers: withOwn(headers, own), text: '' };
  return readAnswer(answer, { ...context, requestId: request_id }, 0, body && { ...body, request_id });
}

/** The headers of the request that the command shared, with its own. */
function withOwn(shared: ResponseHeaders, own: Record<string, unknown>): ResponseHeaders {
  const values = new Map<string, string>();
  shared.forEach((value, name) => {
    values.set(name, value);
  });
  for (const [name, value] of Object.entries(own)) if (value !== undefined) values.set(name, String(value));
  return {
    get: (name) => values.get(name.toLowerCase()) ?? null,
    forEach: (callback) => values.forEach(callback),
  };
}
