import { bigint, boolean, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { instant } from '../foundation/database/columns.js';

/**
 * A queue of messages for the bus. A row is written in the transaction of its fact and deleted once the bus has
 * acknowledged the message. It refers to the fact and holds no message: COMMAND_ACCEPTED is the command to its vendor's
 * adapter, DEVICE_REQUEST_REPLIED is the reply to the device.
 */
export const outbox = pgTable(
  'outbox',
  {
    tenantId: text('tenant_id').notNull(),
    /** True once the relay has logged the fact while the bus was away. Such rows leave first. */
    isLogged: boolean('is_logged').notNull().default(false),
    position: bigint({ mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    kind: text({ enum: ['COMMAND_ACCEPTED', 'DEVICE_REQUEST_REPLIED'] }).notNull(),
    factId: uuid('fact_id').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.isLogged, table.position] })],
);

export const LEASE_SECONDS = 5;
/** The leader may renew the lease after another transaction has begun, so its end may lie further ahead than it lasts. */
export const FURTHEST_END_SECONDS = 2 * LEASE_SECONDS;

/** Every transaction of the relay locks this row and checks the epoch: a former leader changes nothing. */
export const relayLease = pgTable('relay_lease', {
  name: text().primaryKey(),
  holder: text().notNull(),
  epoch: bigint({ mode: 'number' }).notNull(),
  expiresAt: instant('expires_at').notNull(),
  /** False while the bus does not answer the holder: a node that can publish then takes over the lease. */
  canPublish: boolean('can_publish').notNull().default(true),
  /** The bus has acknowledged the event log up to this number. */
  publishedSeq: bigint('published_seq', { mode: 'number' }).notNull().default(0),
});

/** What an outbox row stands for: a command, or a device request that was replied to. */
export type Fact = { tenant_id: string; fact_id: string };

export const factKey = ({ tenant_id, fact_id }: Fact) => `${tenant_id} ${fact_id}`;

/** A row, as the relay reads it. */
export type OutboxRow = Fact & { is_logged: boolean; position: string; kind: string };

/** What `outbox republish` publishes again: its start, its end, and optionally one tenant. */
export type RepublishedRange = { since: string; until: string; tenantId?: string | undefined };
