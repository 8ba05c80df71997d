import { bigint, boolean, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { instant } from '../database/columns.js';

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
