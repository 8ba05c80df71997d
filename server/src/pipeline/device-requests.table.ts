import { DeviceRequestStatus, ReplyOutcome } from '@tenant-open-platform/contract';
import { sql } from 'drizzle-orm';
import { foreignKey, index, json, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core';
import { bytes, instant, oneOf } from '../foundation/database/columns.js';
import { tenants } from '../foundation/identity/identity.table.js';

type JsonObject = Record<string, unknown>;

export const deviceRequests = pgTable(
  'device_requests',
  {
    tenantId: text('tenant_id').notNull(),
    /** UUID version 7 whose time is received_at: the primary key lists requests in the order of arrival. */
    deviceRequestId: uuid('device_request_id').notNull(),
    vendor: text().notNull(),
    deviceId: text('device_id').notNull(),
    requestType: text('request_type').notNull(),
    payload: json().$type<JsonObject>().notNull(),
    /** The adapter's id for the request: sent again, it is the same request. */
    dedupeId: text('dedupe_id').notNull(),
    status: text({ enum: oneOf(DeviceRequestStatus) }).notNull(),
    receivedAt: instant('received_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
    replyOutcome: text('reply_outcome', { enum: oneOf(ReplyOutcome) }),
    replyPayload: json('reply_payload').$type<JsonObject>(),
    replyError: json('reply_error').$type<{ code: string; message: string }>(),
    /** SHA-256 of the reply as canonical JSON (RFC 8785). It shows whether a second reply is the same. */
    replySha256: bytes('reply_sha256'),
    repliedAt: instant('replied_at'),
    repliedByClientId: text('replied_by_client_id'),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.deviceRequestId] }),
    unique('device_requests_dedupe_id').on(table.tenantId, table.vendor, table.dedupeId),
    index('device_requests_pending').on(table.expiresAt).where(sql`status = 'PENDING'`),
    index('device_requests_to_answer').on(table.tenantId, table.deviceRequestId).where(sql`status = 'PENDING'`),
    index('device_requests_of_device').on(table.tenantId, table.deviceId, table.deviceRequestId),
    foreignKey({ name: 'device_requests_tenant', columns: [table.tenantId], foreignColumns: [tenants.tenantId] }),
  ],
);
