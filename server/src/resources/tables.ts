import {
  CallbackStatus,
  eventTypes,
  ObjectConfigStatus,
  ObjectOperation,
  SubscriptionStatus,
} from '@tenant-open-platform/contract';
import {
  bigint,
  boolean,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';
import { bytes, instant, oneOf, tenants } from '../foundation/tables.js';

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

export const objectCredentials = pgTable(
  'object_credentials',
  {
    tenantId: text('tenant_id').notNull(),
    credentialId: uuid('credential_id').notNull(),
    name: text().notNull(),
    provider: text(),
    endpoint: text().notNull(),
    region: text().notNull(),
    forcePathStyle: boolean('force_path_style').notNull(),
    accessKeyId: text('access_key_id').notNull(),
    secretVersion: integer('secret_version').notNull(),
    secretAccessKeySealed: bytes('secret_access_key_sealed').notNull(),
    sessionTokenSealed: bytes('session_token_sealed'),
    status: text({ enum: oneOf(ObjectConfigStatus) }).notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.credentialId] }),
    foreignKey({ name: 'object_credentials_tenant', columns: [table.tenantId], foreignColumns: [tenants.tenantId] }),
  ],
);

/** The policy of what may be presigned with an object credential. */
export const objectResources = pgTable(
  'object_resources',
  {
    tenantId: text('tenant_id').notNull(),
    resourceId: uuid('resource_id').notNull(),
    name: text().notNull(),
    credentialId: uuid('credential_id').notNull(),
    bucket: text().notNull(),
    allowedOperations: text('allowed_operations', { enum: oneOf(ObjectOperation) })
      .array()
      .notNull(),
    keyPrefix: text('key_prefix').notNull(),
    /** Null for any. */
    allowedContentTypes: text('allowed_content_types').array(),
    maxObjectBytes: bigint('max_object_bytes', { mode: 'number' }).notNull(),
    maxExpiresInSeconds: integer('max_expires_in_seconds').notNull(),
    status: text({ enum: oneOf(ObjectConfigStatus) }).notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.resourceId] }),
    foreignKey({
      name: 'object_resources_credential',
      columns: [table.tenantId, table.credentialId],
      foreignColumns: [objectCredentials.tenantId, objectCredentials.credentialId],
    }),
    index('object_resources_of_credential').on(table.tenantId, table.credentialId, table.resourceId),
  ],
);

/** A record of every presigned URL: who may do what until when. It never holds the URL. It outlives its resource. */
export const objectGrants = pgTable(
  'object_grants',
  {
    tenantId: text('tenant_id').notNull(),
    presignId: uuid('presign_id').notNull(),
    resourceId: uuid('resource_id').notNull(),
    operation: text({ enum: oneOf(ObjectOperation) }).notNull(),
    /** The whole key in the bucket, including the prefix. */
    key: text().notNull(),
    contentType: text('content_type'),
    contentLength: bigint('content_length', { mode: 'number' }),
    clientId: text('client_id').notNull(),
    requestId: text('request_id').notNull(),
    grantedAt: instant('granted_at').notNull().defaultNow(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.presignId] })],
);
