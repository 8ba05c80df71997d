import { pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { bytes } from '../../foundation/database/columns.js';

/** The results of changes that were sent with an Idempotency-Key. An answer may hold a new secret, so it is sealed. */
export const idempotentAnswers = pgTable(
  'idempotent_answers',
  {
    tenantId: text('tenant_id').notNull(),
    /** A UUID version 7, so the primary key is in the order of age. */
    answerId: uuid('answer_id').notNull(),
    /** May belong to tenant `platform`, so there is no foreign key. */
    clientId: text('client_id').notNull(),
    operation: text().notNull(),
    idempotencyKey: text('idempotency_key').notNull(),
    /** Null only within the transaction of the change. */
    answerSealed: bytes('answer_sealed'),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.answerId] }),
    uniqueIndex('idempotent_answers_by_key').on(table.tenantId, table.clientId, table.operation, table.idempotencyKey),
  ],
);
