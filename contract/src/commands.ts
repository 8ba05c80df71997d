import { z } from 'zod';
import { operations } from './operation.js';
import {
  ClientId,
  CommandType,
  DeviceId,
  InputTimestamp,
  OpaqueObject,
  page,
  pageQuery,
  patterns,
  QueryBoolean,
  queryList,
  RequestId,
  Timestamp,
  Vendor,
  WaitSeconds,
} from './primitives.js';

const commandStatuses = [
  'ACCEPTED',
  'DISPATCHED',
  'SUCCEEDED',
  'FAILED',
  'REJECTED',
  'UNSUPPORTED',
  'TIMED_OUT',
  'EXPIRED',
  'CANCELED',
] as const;

export const CommandStatus = z.enum(commandStatuses).meta({
  id: 'CommandStatus',
  description:
    'ACCEPTED and DISPATCHED are on the way, the others final. EXPIRED was never sent and is safe to repeat; TIMED_OUT was sent and its outcome is unknown.',
});

export const AdapterStatus = z
  .enum(['PENDING', 'SENT', 'DELIVERED', 'REJECTED', 'UNSUPPORTED', 'UNREACHABLE', 'FAILED', 'TIMED_OUT'])
  .meta({ id: 'AdapterStatus', description: "How far the command came with the vendor's adapter." });

export const DeviceExecutionStatus = z
  .enum(['NOT_STARTED', 'IN_PROGRESS', 'SUCCEEDED', 'FAILED', 'REJECTED', 'TIMED_OUT', 'UNKNOWN'])
  .meta({ id: 'DeviceExecutionStatus', description: 'What the device did with the command.' });

export const PublicStatus = z
  .enum(['PENDING', 'SUCCEEDED', 'FAILED', 'UNKNOWN'])
  .meta({ id: 'PublicStatus', description: 'The outcome in one word, for end users; derived from status.' });

export const StatusReason = z
  .object({
    code: z.string().describe('A word for programs.'),
    message: z.string().describe('A sentence for people.'),
  })
  .nullable()
  .describe('Why the command ended as it did; null where nobody said.');

const payloadDescription = "What to do: satisfies the command type's payload schema; at most 32 KiB as JSON in UTF-8.";

const IdempotencyKey = z
  .string()
  .regex(patterns.idempotencyKey, 'must be 1 to 128 visible ASCII characters without spaces')
  .describe('1 to 128 visible ASCII characters. Within a tenant, one key is one command, for ever.');

const TimeoutSeconds = z
  .int()
  .min(1)
  .max(300)
  .describe('How long the command may take, in seconds: 1 to 300, 30 by default.');

const CommandId = z.uuid().describe('The command (UUID version 7).');

const CommandCreate = z
  .strictObject({
    vendor: Vendor,
    device_id: DeviceId,
    command_type: CommandType,
    payload: z.record(z.string(), z.unknown()).describe(payloadDescription),
    idempotency_key: IdempotencyKey,
    timeout_seconds: TimeoutSeconds.optional(),
  })
  .meta({
    id: 'CommandCreate',
    example: {
      vendor: 'vendor_a',
      device_id: 'ok-1',
      command_type: 'reboot',
      payload: {},
      idempotency_key: 'reboot-ok-1-2026-01-31',
    },
    moreExamples: {
      with_payload_and_timeout: {
        vendor: 'vendor_a',
        device_id: 'ok-1',
        command_type: 'set_temperature',
        payload: { celsius: 21.5 },
        idempotency_key: 'heating-ok-1-2026-01-31',
        timeout_seconds: 120,
      },
    },
  });

const HistorySource = z
  .enum(['PLATFORM', 'ADAPTER', 'DEVICE'])
  .meta({ id: 'HistorySource', description: 'Who reported it.' });

const HistoryEntry = z.object({
  at: Timestamp.describe('When it happened, by the clock of the platform.'),
  source: HistorySource,
  status: CommandStatus,
  adapter_status: AdapterStatus,
  device_execution_status: DeviceExecutionStatus,
  reason: StatusReason,
});

const LateResult = z.object({
  received_at: Timestamp.describe('When it came.'),
  adapter_status: AdapterStatus.nullable().describe('What the adapter said; null if nothing.'),
  device_execution_status: DeviceExecutionStatus.nullable().describe('What the device did; null if it was not said.'),
  status_reason: StatusReason,
  result: OpaqueObject.nullable().describe('What the device returned; null for nothing.'),
});

const CommandAccepted = z
  .object({
    command_id: CommandId,
    status: z.literal('ACCEPTED').describe('Always ACCEPTED, whatever has become of the command since.'),
    accepted_at: Timestamp.describe('When the command was first accepted.'),
    request_id: RequestId,
  })
  .meta({
    id: 'CommandAccepted',
    example: {
      command_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
      status: 'ACCEPTED',
      accepted_at: '2026-01-31T09:30:00.000Z',
      request_id: '019bd3a4-5c4e-7cc1-9d51-2e3f4a5b6c7d',
    },
  });

const Command = z
  .object({
    command_id: CommandId,
    vendor: Vendor,
    device_id: DeviceId,
    command_type: CommandType,
    payload: OpaqueObject.describe(payloadDescription),
    idempotency_key: IdempotencyKey,
    timeout_seconds: TimeoutSeconds,
    status: CommandStatus,
    adapter_status: AdapterStatus,
    device_execution_status: DeviceExecutionStatus,
    public_status: PublicStatus,
    status_reason: StatusReason,
    result: OpaqueObject.nullable().describe('What the device returned; null before it did.'),
    late_result: LateResult.nullable().describe(
      'The first result that came after the status was final; it changed nothing. Null if none came.',
    ),
    accepted_at: Timestamp.describe('When the command was accepted.'),
    dispatched_at: Timestamp.nullable().describe('When it was handed to the adapter; null before that.'),
    deadline_at: Timestamp.describe('accepted_at and timeout_seconds: when the platform stops waiting.'),
    completed_at: Timestamp.nullable().describe('When its status became final; null before that.'),
    updated_at: Timestamp.describe('When the record last changed.'),
    created_by_client_id: ClientId.describe('The credential that created the command.'),
    history: z
      .array(HistoryEntry)
      .describe('What happened to the command, oldest first; what came too late included, at most 100 entries.'),
    request_id: RequestId,
  })
  .meta({
    id: 'Command',
    example: {
      command_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
      vendor: 'vendor_a',
      device_id: 'ok-1',
      command_type: 'reboot',
      payload: {},
      idempotency_key: 'reboot-ok-1-2026-01-31',
      timeout_seconds: 30,
      status: 'ACCEPTED',
      adapter_status: 'PENDING',
      device_execution_status: 'NOT_STARTED',
      public_status: 'PENDING',
      status_reason: null,
      result: null,
      late_result: null,
      accepted_at: '2026-01-31T09:30:00.000Z',
      dispatched_at: null,
      deadline_at: '2026-01-31T09:30:30.000Z',
      completed_at: null,
      updated_at: '2026-01-31T09:30:00.000Z',
      created_by_client_id: 'acme-backend',
      history: [
        {
          at: '2026-01-31T09:30:00.000Z',
          source: 'PLATFORM',
          status: 'ACCEPTED',
          adapter_status: 'PENDING',
          device_execution_status: 'NOT_STARTED',
          reason: null,
        },
      ],
      request_id: '019bd3a4-5c4e-7cc1-9d51-2e3f4a5b6c7d',
    },
  });

export const commands = operations({
  create: {
    method: 'POST',
    path: '/api/v1/open/downlink/commands',
    summary: 'Create a command',
    description:
      'Accepts and persists a command for a device. ACCEPTED does not mean that the device executed it. A used idempotency_key returns the existing command, with the header Idempotent-Replayed: true, and makes nothing new; where the request differs from the original, Idempotency-Mismatch names the fields.',
    metadata: {
      scope: 'open:command:create',
      specified: true,
      tenant: 'own',
      errors: ['VENDOR_NOT_ENABLED', 'COMMAND_TYPE_UNKNOWN', 'COMMAND_PAYLOAD_INVALID'],
      repeat: 'BY_KEY',
      answerHeaders: ['Idempotent-Replayed', 'Idempotency-Mismatch'],
    },
    query: z.strictObject({}),
    body: CommandCreate,
    responses: { 202: CommandAccepted },
  },
  get: {
    method: 'GET',
    path: '/api/v1/open/downlink/commands/:command_id',
    summary: 'Get a command',
    description:
      'Reads one command of the tenant with its four statuses. With wait_seconds it answers as soon as the command is final, or with seen_updated_at as soon as it differs from what the caller has seen.',
    metadata: {
      scope: 'open:command:read',
      specified: true,
      tenant: 'own',
      errors: [],
    },
    pathParams: z.object({ command_id: CommandId }),
    query: z.strictObject({
      wait_seconds: WaitSeconds,
      seen_updated_at: InputTimestamp.optional().describe(
        'updated_at of the record that the caller has: wait_seconds then waits for the next change.',
      ),
    }),
    responses: { 200: Command },
  },
  list: {
    method: 'GET',
    path: '/api/v1/open/downlink/commands',
    summary: 'List commands',
    description: 'Lists the commands of the tenant, newest first.',
    metadata: {
      scope: 'open:command:read',
      specified: false,
      tenant: 'own',
      errors: [],
    },
    query: z.strictObject({
      ...pageQuery,
      status: queryList(CommandStatus).optional().describe('Only commands of these statuses.'),
      is_final: QueryBoolean.optional().describe(
        'true: only commands that have ended. false: only ACCEPTED and DISPATCHED ones, which are on the way.',
      ),
      vendor: Vendor.optional().describe('Only commands for this vendor.'),
      device_id: DeviceId.optional().describe('Only commands for this device.'),
      command_type: CommandType.optional().describe('Only commands of this type.'),
      idempotency_key: IdempotencyKey.optional().describe('Only the command of this key.'),
      accepted_after: InputTimestamp.optional().describe('Only commands accepted at this time or later.'),
      accepted_before: InputTimestamp.optional().describe('Only commands accepted before this time.'),
    }),
    responses: { 200: page('CommandPage', Command) },
  },
  cancel: {
    method: 'POST',
    path: '/api/v1/open/downlink/commands/:command_id/cancel',
    summary: 'Cancel a command',
    description:
      'Takes back a command that was not handed to the adapter yet. One that is canceled already answers the same; any other is refused with its status.',
    metadata: {
      scope: 'open:command:cancel',
      specified: false,
      tenant: 'own',
      errors: ['COMMAND_NOT_CANCELABLE'],
      repeat: 'ALWAYS',
    },
    pathParams: z.object({ command_id: CommandId }),
    query: z.strictObject({}),
    body: z.strictObject({}).optional().meta({ id: 'CommandCancel', example: {} }),
    responses: { 200: Command },
  },
});
