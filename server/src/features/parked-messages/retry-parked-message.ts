import { readSubject } from '@tenant-open-platform/contract/bus';
import { withAudit } from '../../platform/audit/with-audit.js';
import type { Bus } from '../../platform/bus/bus.js';
import { parkedMessages } from '../../platform/bus/parked-messages.table.js';
import { retriedMessageId } from '../../platform/bus/retried-message.js';
import type { Handler } from '../../platform/operation/handler.js';
import { ownRow, readRow } from '../../platform/operation/rows.js';
import { canRetry, presentParkedMessage } from './present-parked-message.js';

/**
 * No transaction is open while it waits for the bus. The message stays parked until nothing more is to be done: the
 * platform deletes an adapter's message once it has taken it, and its own message is deleted here once the bus has
 * acknowledged it. A failure in between leaves it parked, and a further retry publishes it twice.
 */
export const retryParkedMessage =
  (bus: Bus): Handler<'parkedMessages.retry'> =>
  async ({ params }, call) => {
    const { parked_message_id: id } = params;
    const own = ownRow(parkedMessages, call, params);
    const row = await call.asTenant((tx) => readRow(tx, call, parkedMessages, own));
    if (!canRetry(row)) throw call.refuse('PARKED_MESSAGE_NOT_RETRYABLE');
    const message = { subject: row.subject, id: retriedMessageId(id), body: row.body };
    const [refusal] = await bus.publish([message]).catch(() => {
      const text =
        'The bus has not acknowledged the message: it may still be published. It stays parked. Wait for the time in Retry-After and get the message (parkedMessages.get). If it is still parked, repeat the request.';
      throw call.refuse('SERVICE_UNAVAILABLE', { message: text, headers: { 'Retry-After': '1' } });
    });
    if (refusal) {
      const text = `The bus refuses the message again: ${refusal.reason}. It stays parked.`;
      throw call.refuse('PARKED_MESSAGE_NOT_RETRYABLE', { message: text });
    }
    await withAudit(call, { fields: {} }, async (tx) => {
      if (isOfPlatform(row)) await tx.delete(parkedMessages).where(own);
      return { before: presentParkedMessage(row, call), after: { retried: true }, result: null };
    });
    return { status: 200, body: { parked_message_id: id, retried: true, request_id: call.requestId } };
  };

function isOfPlatform({ subject }: { subject: string }): boolean {
  const kind = readSubject(subject)?.kind;
  return kind === 'device-replies' || kind === 'events';
}
