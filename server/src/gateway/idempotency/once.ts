import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { patterns } from '@tenant-open-platform/contract';
import { canonicalJson } from '@tenant-open-platform/contract/strict-json';
import { and, eq, sql } from 'drizzle-orm';
import { ApiError, validationFailed } from '../../foundation/api-error.js';
import { newIdByDatabase } from '../../foundation/ids.js';
import type { Keyring } from '../../foundation/secrets/keyring.js';
import { sealedTable } from '../../foundation/secrets/rewrap-secrets.js';
import type { Call, Once } from '../operation/call.js';
import { idempotentAnswers } from '../tables.js';

type KeyedRequest = { req: IncomingMessage; reply: ServerResponse; body: unknown };

/**
 * Makes a change happen once for an Idempotency-Key. The result is stored in the transaction of the change. A second
 * request with the key waits for that transaction. The result must be JSON.
 */
export function onceByKey(keyring: Keyring, { req, reply, body }: KeyedRequest, call: Call): Once | undefined {
  const key = req.headers['idempotency-key'] as string | undefined;
  if (key === undefined) return undefined;
  if (!patterns.idempotencyKey.test(key)) {
    const message = 'must be sent once and consist of 1 to 128 visible ASCII characters without spaces';
    throw validationFailed([{ location: 'header/Idempotency-Key', code: 'INVALID_FORMAT', message }]);
  }
  const json = canonicalJson({ path: call.path, body });
  const request = createHash('sha256').update(json).digest('hex');
  return async (tx, work) => {
    const { tenantId, clientId, operation, idempotencyKey, answerSealed } = idempotentAnswers;
    // An update that changes nothing: it waits for the other transaction, and returns the row that it committed.
    const [row] = await tx
      .insert(idempotentAnswers)
      .values({
        tenantId: call.tenantId,
        answerId: newIdByDatabase(),
        clientId: call.caller.clientId,
        operation: call.operation,
        idempotencyKey: key,
      })
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
      reply.setHeader('Idempotent-Replayed', 'true');
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

/** The identity that an answer is sealed for. Only the key may contain a colon. */
const ownerOf = ({ tenantId, clientId, operation, idempotencyKey }: typeof idempotentAnswers.$inferSelect) =>
  `idempotent-answer:${tenantId}:${clientId}:${operation}:${idempotencyKey}`;

export const sealedAnswers = sealedTable(idempotentAnswers, { id: 'answerId', secrets: { answerSealed: ownerOf } });
