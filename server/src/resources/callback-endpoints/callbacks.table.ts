import { CallbackStatus, eventTypes, SubscriptionStatus } from '@tenant-open-platform/contract';
import { foreignKey, integer, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core';
import { bytes, instant, oneOf } from '../../foundation/database/columns.js';
import { tenants } from '../../foundation/identity/identity.table.js';

export const callbackEndpoints = pgTable(
  'callback_endpoints',
  {
    tenantId: text('tenant_id').notNull(),
    endpointId: uuid('endpoint_id').notNull(),
    name: text().notNull(),
    url: text().notNull(),
    status: text({ enum: oneOf(CallbackStatus) }).notNull(),
    timeoutSeconds: integer('timeout_seconds').notNull(),
    maxAttempts: integer('max_attempts').notNull(),
    secretVersion: integer('secret_version').notNull(),
    secretSealed: bytes('secret_sealed').notNull(),
    previousSecretSealed: bytes('previous_secret_sealed'),
    previousSecretExpiresAt: instant('previous_secret_expires_at'),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.endpointId] }),
    foreignKey({ name: 'callback_endpoints_tenant', columns: [table.tenantId], foreignColumns: [tenants.tenantId] }),
  ],
);

export const callbackSubscriptions = pgTable(
  'callback_subscriptions',
  {
    tenantId: text('tenant_id').notNull(),
    endpointId: uuid('endpoint_id').notNull(),
    subscriptionId: uuid('subscription_id').notNull(),
    eventType: text('event_type', { enum: eventTypes }).notNull(),
    status: text({ enum: oneOf(SubscriptionStatus) }).notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.endpointId, table.subscriptionId] }),
    unique('callback_subscriptions_event_type').on(table.tenantId, table.endpointId, table.eventType),
    foreignKey({
      name: 'callback_subscriptions_endpoint',
      columns: [table.tenantId, table.endpointId],
      foreignColumns: [callbackEndpoints.tenantId, callbackEndpoints.endpointId],
    }),
  ],
);
