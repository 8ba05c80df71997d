import { AdapterStatus, CommandStatus, type contract, DeviceExecutionStatus } from '@tenant-open-platform/contract';
import { sql } from 'drizzle-orm';
import { foreignKey, index, integer, json, jsonb, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core';
import type { z } from 'zod';
import { bytes, instant, oneOf } from '../foundation/database/columns.js';
import { credentials } from '../foundation/identity/identity.table.js';

type JsonObject = Record<string, unknown>;

/** The first result after the final status, in the form of the answers. */
export type LateResult = NonNullable<CommandRecord['late_result']>;

/** A change of a command after acceptance and dispatch, in the form of the answers. */
export type HistoryEntry = CommandRecord['history'][number];

type CommandRecord = z.infer<(typeof contract.commands.get.responses)[200]>;

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
    /** json, not jsonb: keeps the order of names, except integers such as "10": JSON.parse puts them first. */
    payload: json().$type<JsonObject>().notNull(),
    /** SHA-256 of the payload as canonical JSON (RFC 8785). */
    payloadSha256: bytes('payload_sha256').notNull(),
    timeoutSeconds: integer('timeout_seconds').notNull(),
    status: text({ enum: oneOf(CommandStatus) }).notNull(),
    adapterStatus: text('adapter_status', { enum: oneOf(AdapterStatus) }).notNull(),
    deviceExecutionStatus: text('device_execution_status', { enum: oneOf(DeviceExecutionStatus) }).notNull(),
    statusReason: json('status_reason').$type<{ code: string; message: string }>(),
    result: json().$type<JsonObject>(),
    lateResult: json('late_result').$type<LateResult>(),
    history: jsonb().$type<HistoryEntry[]>().notNull().default([]),
    acceptedAt: instant('accepted_at').notNull(),
    dispatchedAt: instant('dispatched_at'),
    deadlineAt: instant('deadline_at').notNull(),
    completedAt: instant('completed_at'),
    updatedAt: instant('updated_at').notNull(),
    createdByClientId: text('created_by_client_id').notNull(),
    /** The correlation id of the request that created it. */
    requestId: text('request_id').notNull(),
    /** The span of that request; null if it belongs to no trace. */
    traceparent: text(),
    /** The batch of the request; null if it created one command. */
    batchId: uuid('batch_id'),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.commandId] }),
    unique('commands_idempotency_key').on(table.tenantId, table.idempotencyKey),
    index('commands_of_device').on(table.tenantId, table.deviceId, table.commandId),
    index('commands_of_batch').on(table.tenantId, table.batchId, table.commandId).where(sql`batch_id is not null`),
    // Not partial: no index contains a column that changes, so with the table's fillfactor every update can be
    // heap-only.
    index('commands_by_deadline').on(table.deadlineAt),
    foreignKey({
      name: 'commands_created_by',
      columns: [table.tenantId, table.createdByClientId],
      foreignColumns: [credentials.tenantId, credentials.clientId],
    }),
  ],
);

/** No command with an earlier deadline is open. Sweeps start here, so they do not read finished commands again. */
export const sweepMarks = pgTable('sweep_marks', {
  name: text({ enum: ['commands'] }).primaryKey(),
  sweptUntil: instant('swept_until').notNull(),
});
