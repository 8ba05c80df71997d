import { AuditOutcome } from '@tenant-open-platform/contract';
import { bigint, date, index, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { bytes, instant, oneOf } from '../foundation/tables.js';

/** Who changed which resource, and whose request was refused. The application may only append and read. */
export const auditEvents = pgTable(
  'audit_events',
  {
    tenantId: text('tenant_id').notNull(),
    auditEventId: uuid('audit_event_id').notNull(),
    occurredAt: instant('occurred_at').notNull().defaultNow(),
    /** May belong to tenant `platform`, so there is no foreign key. */
    clientId: text('client_id').notNull(),
    operation: text().notNull(),
    target: text().notNull(),
    changes: text().array().notNull(),
    /** Null for a creation and for a refused request. */
    before: jsonb().$type<Record<string, unknown>>(),
    /** Null for a deletion, and in the same cases as `before`. */
    after: jsonb().$type<Record<string, unknown>>(),
    outcome: text({ enum: oneOf(AuditOutcome) }).notNull(),
    requestId: text('request_id').notNull(),
    /** Null in entries of the platform itself. */
    sourceAddress: text('source_address'),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.auditEventId] }),
    index('audit_events_of_client').on(table.tenantId, table.clientId, table.auditEventId),
    index('audit_events_of_target').on(table.tenantId, table.target, table.auditEventId),
    index('audit_events_of_address').on(table.tenantId, table.sourceAddress, table.auditEventId),
  ],
);

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

/** How many bytes a tenant's own requests have added to the audit log and the stored answers on one day: the last one. */
export const auditBytes = pgTable(
  'audit_bytes',
  {
    tenantId: text('tenant_id').notNull(),
    /** DONE: changes. DENIED: refused requests, which must not use up what changes may add. */
    outcome: text({ enum: oneOf(AuditOutcome) }).notNull(),
    /** In UTC. */
    day: date().notNull(),
    bytes: bigint({ mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.outcome] })],
);
