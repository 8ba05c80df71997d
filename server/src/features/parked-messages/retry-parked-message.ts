import type { contract } from '@tenant-open-platform/contract';
import { withAudit } from '../../platform/audit/with-audit.js';
import type { Bus } from '../../platform/bus/bus.js';
import { parkedMessages } from '../../platform/bus/parked-messages.table.js';
import type { Database } from '../../platform/database/database.js';
import { notFound } from '../../platform/operation/api-error.js';
import type { Handler } from '../../platform/operation/handler.js';
import { isParkedMessage } from './get-parked-message.js';
import { canRetry, presentParkedMessage } from './present-parked-message.js';

/**
 * The deletion locks the row and commits once the bus has acknowledged the message: at least one of the two keeps it. A
 * message whose deletion does not commit stays parked although it is published, and may be published twice.
 */
export const retryParkedMessage =
  (database: Database, bus: Bus): Handler<typeof contract.parkedMessages.retry> =>
  async ({ params: { parked_message_id: id } }, call) => {
    await withAudit(database, call, { fields: {} }, async (tx) => {
      const [row] = await tx.delete(parkedMessages).where(isParkedMessage(call.tenantId, id)).returning();
      if (!row) throw notFound();
      if (!canRetry(row)) throw call.refuse('PARKED_MESSAGE_NOT_RETRYABLE');
      const message = { subject: row.subject, id: `parked:${id}`, body: row.body };
      const [refusal] = await bus.publish([message]).catch(() => {
        const text = 'The bus does not answer. The message stays parked. Repeat the request after Retry-After.';
        throw call.refuse('SERVICE_UNAVAILABLE', { message: text, headers: { 'Retry-After': '1' } });
      });
      if (refusal) {
        const text = `The bus refuses the message again: ${refusal.reason}. It stays parked.`;
        throw call.refuse('PARKED_MESSAGE_NOT_RETRYABLE', { message: text });
      }
      return { before: presentParkedMessage(row, call.requestId), after: { retried: true }, result: null };
    });
    return { status: 200, body: { parked_message_id: id, retried: true, request_id: call.requestId } };
  };
