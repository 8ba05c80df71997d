import type { contract } from '@tenant-open-platform/contract';
import { readSubject } from '@tenant-open-platform/contract/bus';
import { withAudit } from '../../platform/audit/with-audit.js';
import type { Bus } from '../../platform/bus/bus.js';
import { parkedMessages } from '../../platform/bus/parked-messages.table.js';
import { retriedMessageId } from '../../platform/bus/retried-message.js';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import type { Handler } from '../../platform/operation/handler.js';
import { readRow } from '../../platform/operation/rows.js';
import { isParkedMessage } from './get-parked-message.js';
import { canRetry, presentParkedMessage } from './present-parked-message.js';

/**
 * No transaction is open while it waits for the bus. The message stays parked until nothing more is to be done: the
 * platform deletes an adapter's message once it has taken it, and its own message is deleted here once the bus has
 * acknowledged it. A failure in between leaves it parked, and a further retry publishes it twice.
 */
export const retryParkedMessage =
  (database: Database, bus: Bus): Handler<typeof contract.parkedMessages.retry> =>
  async ({ params: { parked_message_id: id } }, call) => {
    const isMessage = isParkedMessage(call.tenantId, id);
    const row = await asTenant(database, call.tenantId, (tx) => readRow(tx, call, parkedMessages, isMessage));
    if (!canRetry(row)) throw call.refuse('PARKED_MESSAGE_NOT_RETRYABLE');
    const message = { subject: row.subject, id: retriedMessageId(id), body: row.body };
    const [refusal] = await bus.publish([message]).catch(() => {
      const text =
        'The bus has not acknowledged the message: it may still be published. It stays parked. After Retry-After, see with parkedMessages.get whether it is still parked, then repeat the request.';
      throw call.refuse('SERVICE_UNAVAILABLE', { message: text, headers: { 'Retry-After': '1' } });
    });
    if (refusal) {
      const text = `The bus refuses the message again: ${refusal.reason}. It stays parked.`;
      throw call.refuse('PARKED_MESSAGE_NOT_RETRYABLE', { message: text });
    }
    await withAudit(database, call, { fields: {} }, async (tx) => {
      if (isOfPlatform(row)) await tx.delete(parkedMessages).where(isMessage);
      return { before: presentParkedMessage(row, call.requestId), after: { retried: true }, result: null };
    });
    return { status: 200, body: { parked_message_id: id, retried: true, request_id: call.requestId } };
  };

function isOfPlatform({ subject }: { subject: string }): boolean {
  const kind = readSubject(subject)?.kind;
  return kind === 'device-replies' || kind === 'events';
}
