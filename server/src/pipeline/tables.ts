import {
  AdapterStatus,
  CommandStatus,
  type contract,
  DeviceExecutionStatus,
  DeviceRequestStatus,
  type ErrorDetail,
  eventTypes,
  PLATFORM_TENANT_ID,
  ReplyOutcome,
} from '@tenant-open-platform/contract';
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  foreignKey,
  index,
  integer,
  json,
  jsonb,
  pgEnum,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';
import type { z } from 'zod';
import { bytes, credentials, instant, oneOf, tenants } from '../foundation/tables.js';

export const vendors = pgTable(
  'vendors',
  {
    vendor: text().primaryKey(),
    enabled: boolean().notNull(),
    /** When an adapter last read commands of the vendor, of any tenant. */
    lastReadAt: instant('last_read_at'),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [index('vendors_in_order').on(table.createdAt, table.vendor)],
);

export const commandTypes = pgTable(
  'command_types',
  {
    vendor: text()
      .notNull()
      .references(() => vendors.vendor),
    commandType: text('command_type').notNull(),
    enabled: boolean().notNull(),
    description: text().notNull(),
    payloadSchema: json('payload_schema').$type<Record<string, unknown>>().notNull(),
    /** Incremented when payload_schema changes: a compiled schema is valid for one revision. */
    revision: integer().notNull().default(1),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.vendor, table.commandType] }),
    index('command_types_in_order').on(table.vendor, table.createdAt, table.commandType),
  ],
);

type JsonObject = Record<string, unknown>;

/** Four bytes a value in a row, and its name in SQL. */
export const commandStatus = pgEnum('command_status', oneOf(CommandStatus));
export const adapterStatus = pgEnum('adapter_status', oneOf(AdapterStatus));
export const deviceExecutionStatus = pgEnum('device_execution_status', oneOf(DeviceExecutionStatus));
export const eventType = pgEnum('event_type', eventTypes);
export const outboxKind = pgEnum('outbox_kind', ['COMMAND_ACCEPTED', 'DEVICE_REQUEST_REPLIED']);

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
    timeoutSeconds: integer('timeout_seconds').notNull(),
    status: commandStatus().notNull(),
    adapterStatus: adapterStatus('adapter_status').notNull(),
    deviceExecutionStatus: deviceExecutionStatus('device_execution_status').notNull(),
    statusReason: json('status_reason').$type<{ code: string; message: string }>(),
    progress: json().$type<CommandRecord['progress']>(),
    result: json().$type<JsonObject>(),
    lateResult: json('late_result').$type<LateResult>(),
    /** See command-history.ts. */
    history: text().notNull().default(''),
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
    /** Whether it was open in a restored copy of the database: it may have been dispatched. Null: no. */
    isCopied: boolean('is_copied'),
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
    kind: outboxKind().notNull(),
    factId: uuid('fact_id').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.isLogged, table.position] })],
);

/**
 * The owners of the slots (see foundation/slots.ts), and how far their work has come. Every transaction of an owner's
 * background work locks the rows of its slots: a former owner changes nothing. See pipeline/slots.
 */
export const slots = pgTable('slots', {
  slot: integer().primaryKey(),
  /** An id of a process. */
  owner: text().notNull(),
  /** Incremented for each new owner. */
  epoch: bigint({ mode: 'number' }).notNull(),
  ownedUntil: instant('owned_until').notNull(),
  /** False while the bus does not answer the owner: a worker that can publish then takes the slot. */
  canPublish: boolean('can_publish').notNull().default(true),
  /** A worker that lacks slots. The owner hands the slot over if it has more than its share. */
  claimant: text(),
  claimedUntil: instant('claimed_until'),
  /** The bus has acknowledged the event log of the slot up to this number. */
  publishedSeq: bigint('published_seq', { mode: 'number' }).notNull().default(0),
  /** No command of the slot with an earlier deadline is open: sweeps start here, and do not read finished ones again. */
  sweptUntil: instant('swept_until').notNull(),
});

/** What an outbox row stands for: a command, or a device request that was replied to. */
export type Fact = { tenant_id: string; fact_id: string };

export const factKey = ({ tenant_id, fact_id }: Fact) => `${tenant_id} ${fact_id}`;

/** A row, as the relay reads it. */
export type OutboxRow = Fact & { is_logged: boolean; position: string; kind: string };

/** What `outbox republish` publishes again: its start, its end, and optionally one tenant. */
export type RepublishedRange = { since: string; until: string; tenantId?: string | undefined };

/**
 * The event log. The primary key allows one command.accepted and one command.completed per command. An event's content
 * is read from its command: command.accepted shows fields that never change, command.completed shows final ones. There
 * is no foreign key to commands: its check would lock the command's row once more for every event, and only the
 * transaction that holds the command writes its event.
 */
export const events = pgTable(
  'events',
  {
    tenantId: text('tenant_id').notNull(),
    commandId: uuid('command_id').notNull(),
    eventType: eventType('event_type').notNull(),
    eventId: uuid('event_id').notNull(),
    /** In a slot, transactions commit in the order of this number: see event-log.ts. */
    seq: bigint({ mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    loggedAt: instant('logged_at').notNull().default(sql`clock_timestamp()`),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.commandId, table.eventType] }),
    index('events_of_tenant').on(table.tenantId, table.seq),
    index('events_of_slot').on(sql`tenant_slot_v1(tenant_id)`, table.seq),
  ],
);

/**
 * How many commands have ended, and how long they took: see figures.ts. A row counts the commands of a tenant that ended
 * in a minute with the same vendor, status and reason. Older rows count an hour or a day. `hour` is where it begins.
 */
export const commandFigures = pgTable(
  'command_figures',
  {
    tenantId: text('tenant_id').notNull(),
    hour: instant('hour').notNull(),
    /** The code of the reason, or empty. */
    reason: text().notNull(),
    /** Whether the commands have other reasons than those that are counted by name. */
    isOther: boolean('is_other').notNull(),
    vendor: text().notNull(),
    status: text({ enum: oneOf(CommandStatus) }).notNull(),
    /** 0 to 59; 0 in a row of an hour or a day. */
    minute: integer().notNull(),
    total: integer().notNull(),
    /**
     * Only in a row without a reason, which may have none itself: the classes of durations of all commands of the vendor
     * and status, whatever their reasons, and the number of commands in each class.
     */
    classes: integer().array().notNull(),
    numbers: integer().array().notNull(),
  },
  (table) => [
    // A reason before a minute: count_ended_v1 looks for the reasons of an hour.
    primaryKey({
      name: 'command_figures_key',
      columns: [table.tenantId, table.hour, table.reason, table.isOther, table.vendor, table.status, table.minute],
    }),
  ],
);

/** One row: since when commands that end are counted. */
export const commandFiguresStart = pgTable('command_figures_start', {
  countedSince: instant('counted_since').primaryKey(),
});

/**
 * How the numbers of a tenant's events have changed. Its events get new numbers in each platform that it moves to: those
 * that move with it are below all that this platform gives it. A cursor of an earlier place is sealed with the key of that
 * platform, and has a number between `from_seq` and `to_seq`; here the same event has `shift` less.
 */
export const eventLogOrigins = pgTable(
  'event_log_origins',
  {
    tenantId: text('tenant_id').notNull(),
    /** The first place has 0. */
    position: integer().notNull(),
    cursorKeySealed: bytes('cursor_key_sealed').notNull(),
    /** The generations of that platform until the move: a cursor of another than the last goes on where they part. */
    generations: jsonb().$type<{ id: string; shared_until: number | null; began_at: string }[]>().notNull(),
    fromSeq: bigint('from_seq', { mode: 'bigint' }).notNull(),
    toSeq: bigint('to_seq', { mode: 'bigint' }).notNull(),
    shift: bigint({ mode: 'bigint' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.position] })],
);

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
    /** The adapter's id for a request of the device: sent again, it is the same request. */
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
    unique('device_requests_dedupe_id').on(table.tenantId, table.vendor, table.dedupeId, table.deviceId),
    index('device_requests_pending').on(table.expiresAt).where(sql`status = 'PENDING'`),
    index('device_requests_to_answer').on(table.tenantId, table.deviceRequestId).where(sql`status = 'PENDING'`),
    index('device_requests_of_device').on(table.tenantId, table.deviceId, table.deviceRequestId),
    foreignKey({ name: 'device_requests_tenant', columns: [table.tenantId], foreignColumns: [tenants.tenantId] }),
  ],
);

/** Messages that the platform could not handle or the bus refuses, with the reason, for operators. */
export const parkedMessages = pgTable(
  'parked_messages',
  {
    /** The tenant in the subject; `platform` where no such tenant exists. */
    tenantId: text('tenant_id').notNull().default(PLATFORM_TENANT_ID),
    parkedMessageId: uuid('parked_message_id').notNull(),
    parkedAt: instant('parked_at').notNull().defaultNow(),
    subject: text().notNull(),
    reason: text().notNull(),
    /** The wrong fields. */
    details: jsonb().$type<ErrorDetail[]>().notNull().default([]),
    body: bytes().notNull(),
    /** Whether `body` is the whole message. */
    isWhole: boolean('is_whole').notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.parkedMessageId] }),
    index('parked_messages_parked_at').on(table.parkedAt),
  ],
);
