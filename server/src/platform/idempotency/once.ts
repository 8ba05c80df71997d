import { createHash } from 'node:crypto';
import { patterns } from '@tenant-open-platform/contract';
import { canonicalJson } from '@tenant-open-platform/contract/strict-json';
import { and, eq, sql } from 'drizzle-orm';
import { ID_TIME, newIdTail } from '../new-id.js';
import { ApiError, validationFailed } from '../operation/api-error.js';
import type { Call, Once } from '../operation/call.js';
import type { Keyring } from '../secrets/keyring.js';
import { sealedTable } from '../secrets/sealed-secrets.js';
import { idempotentAnswers } from './idempotent-answers.table.js';

type Request = { key: string; body: unknown; call: Call; onReplay: () => void };

/**
 * Makes a change happen once for an Idempotency-Key. The result is stored in the transaction of the change. A second
 * request with the key waits for that transaction. The result must be JSON.
 */
export function onceByKey(keyring: Keyring, { key, body, call, onReplay }: Request): Once {
  if (!patterns.idempotencyKey.test(key)) {
    const message = 'must be sent once and consist of 1 to 128 visible ASCII characters without spaces';
    throw validationFailed([{ location: 'header/Idempotency-Key', code: 'INVALID_FORMAT', message }]);
  }
  const identity = {
    tenantId: call.tenantId,
    clientId: call.caller.clientId,
    operation: call.operation,
    idempotencyKey: key,
  };
  const request = createHash('sha256')
    .update(canonicalJson({ path: call.path, body }))
    .digest('hex');
  return async (tx, work) => {
    const { tenantId, clientId, operation, idempotencyKey, answerSealed } = idempotentAnswers;
    // An update that changes nothing: it waits for the other transaction, and returns the row that it committed.
    const [row] = await tx
      .insert(idempotentAnswers)
      .values({ ...identity, answerId: sql`(${sql.raw(ID_TIME)} || ${newIdTail()})::uuid` })
      .onConflictDoUpdate({
        target: [tenantId, clientId, operation, idempotencyKey],
        set: { answerSealed: sql`${answerSealed}` },
      })
      .returning();
    if (!row) throw new Error('The statement returned no row.');
    if (row.answerSealed) {
      const stored = JSON.parse(keyring.open(row.answerSealed, ownerOf(row)), (name, value) =>
        name === 'request_id' ? call.requestId : value,
      );
      if (stored.request !== request) throw new ApiError('IDEMPOTENCY_KEY_REUSED');
      onReplay();
      return stored.result;
    }
    const result = await work();
    await tx
      .update(idempotentAnswers)
      .set({ answerSealed: keyring.seal(JSON.stringify({ request, result }), ownerOf(row)) })
      .where(and(eq(tenantId, row.tenantId), eq(idempotentAnswers.answerId, row.answerId)));
    return result;
  };
}

type Row = typeof idempotentAnswers.$inferSelect;

/** The identity that an answer is sealed for. Only the key may contain a colon. */
const ownerOf = ({ tenantId, clientId, operation, idempotencyKey }: Row) =>
  `idempotent-answer:${tenantId}:${clientId}:${operation}:${idempotencyKey}`;

export const sealedAnswers = sealedTable(idempotentAnswers, { id: 'answerId', secrets: { answerSealed: ownerOf } });
