import type { contract } from '@tenant-open-platform/contract';
import { sql } from 'drizzle-orm';
import { foreignKey, index, integer, json, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core';
import type { z } from 'zod';
import { bytes, instant } from '../../platform/database/columns.js';
import { credentials } from '../credentials/credentials.table.js';

type JsonObject = Record<string, unknown>;

/** The first result that came after the status was final, as answers show it. */
export type LateResult = NonNullable<z.infer<(typeof contract.commands.get.responses)[200]>['late_result']>;

export const commands = pgTable(
  'commands',
  {
    tenantId: text('tenant_id').notNull(),
    /** UUID version 7 whose time is accepted_at: the primary key lists commands in the order of acceptance. */
    commandId: uuid('command_id').notNull(),
    idempotencyKey: text('idempotency_key').notNull(),
    vendor: text().notNull(),
    deviceId: text('device_id').notNull(),
    commandType: text('command_type').notNull(),
    /** json, not jsonb: keeps names in the caller's order, but for integers such as "10", which JSON.parse puts first. */
    payload: json().$type<JsonObject>().notNull(),
    /** SHA-256 of the payload as canonical JSON (RFC 8785). */
    payloadSha256: bytes('payload_sha256').notNull(),
    timeoutSeconds: integer('timeout_seconds').notNull(),
    status: text({
      enum: [
        'ACCEPTED',
        'DISPATCHED',
        'SUCCEEDED',
        'FAILED',
        'REJECTED',
        'UNSUPPORTED',
        'TIMED_OUT',
        'EXPIRED',
        'CANCELED',
      ],
    }).notNull(),
    adapterStatus: text('adapter_status', {
      enum: ['PENDING', 'SENT', 'DELIVERED', 'REJECTED', 'UNSUPPORTED', 'UNREACHABLE', 'FAILED', 'TIMED_OUT'],
    }).notNull(),
    deviceExecutionStatus: text('device_execution_status', {
      enum: ['NOT_STARTED', 'IN_PROGRESS', 'SUCCEEDED', 'FAILED', 'REJECTED', 'TIMED_OUT', 'UNKNOWN'],
    }).notNull(),
    statusReason: json('status_reason').$type<{ code: string; message: string }>(),
    result: json().$type<JsonObject>(),
    lateResult: json('late_result').$type<LateResult>(),
    acceptedAt: instant('accepted_at').notNull(),
    dispatchedAt: instant('dispatched_at'),
    deadlineAt: instant('deadline_at').notNull(),
    completedAt: instant('completed_at'),
    updatedAt: instant('updated_at').notNull(),
    createdByClientId: text('created_by_client_id').notNull(),
    /** The correlation id of the request that created it. */
    requestId: text('request_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.commandId] }),
    unique('commands_idempotency_key').on(table.tenantId, table.idempotencyKey),
    index('commands_of_device').on(table.tenantId, table.deviceId, table.commandId),
    index('commands_under_way').on(table.deadlineAt).where(sql`status in ('ACCEPTED', 'DISPATCHED')`),
    foreignKey({
      name: 'commands_created_by',
      columns: [table.tenantId, table.createdByClientId],
      foreignColumns: [credentials.tenantId, credentials.clientId],
    }),
  ],
);
