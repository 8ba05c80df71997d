import { z } from 'zod';
import {
  AdapterStatus,
  CommandId,
  CommandStatus,
  DeviceExecutionStatus,
  ProgressStep,
  PublicStatus,
} from './command-statuses.js';
import { MAX_TIMEOUT_SECONDS } from './facts.js';
import { ClientId, CommandType, DeviceId, OpaqueObject, patterns, RequestId, Timestamp, Vendor } from './primitives.js';

export const StatusReason = z
  .object({
    code: z
      .string()
      .describe(
        'Machine-readable code, from the adapter or from the platform. NO_ADAPTER: the platform sent the command to the messaging bus, but no adapter has ever read commands of this tenant and vendor. RESTORED: the database of the platform was restored while the command was open, and no result arrived since.',
      ),
    message: z.string().describe('Human-readable explanation.'),
  })
  .nullable()
  .describe('Reason for the status; null if no reason was reported.');

export const payloadDescription =
  'Parameters of the command, valid for the payload schema of the command type. At most 32 KiB as JSON in UTF-8.';

export const IdempotencyKey = z
  .string()
  .regex(patterns.idempotencyKey, 'must be 1 to 128 visible ASCII characters without spaces')
  .describe(
    'Identifies the command within the tenant: a second request with the same key returns the existing command. 1 to 128 visible ASCII characters.',
  );

export const TimeoutSeconds = z
  .int()
  .min(1)
  .max(MAX_TIMEOUT_SECONDS)
  .describe(
    `Time limit of the command, counted from accepted_at, in seconds: 1 to ${MAX_TIMEOUT_SECONDS}, 30 by default.`,
  );

export const BatchId = z.uuid().describe('Id of the batch of commands: a UUID, unique within the tenant.');
const HistorySource = z.enum(['PLATFORM', 'ADAPTER', 'DEVICE']).meta({
  id: 'HistorySource',
  description: 'Source of the change: the platform, the adapter, or the device (reported by the adapter).',
});

const HistoryEntry = z
  .object({
    at: Timestamp.describe('When the change happened, by the clock of the platform.'),
    source: HistorySource,
    status: CommandStatus,
    adapter_status: AdapterStatus,
    device_execution_status: DeviceExecutionStatus,
    reason: StatusReason,
  })
  .meta({ id: 'HistoryEntry', description: 'A change to the status of the command, or a late report.' });

const LateResult = z.object({
  received_at: Timestamp.describe('When the platform received this report.'),
  adapter_status: AdapterStatus.nullable().describe(
    'Adapter status in this report; null if the report did not contain one.',
  ),
  device_execution_status: DeviceExecutionStatus.nullable().describe(
    'Device execution status in this report; null if the report did not contain one.',
  ),
  status_reason: StatusReason,
  result: OpaqueObject.nullable().describe('Result in this report; null if the report did not contain one.'),
});

const Progress = z
  .object({
    ...ProgressStep.shape,
    reported_at: Timestamp.describe('When the message with this step reached the messaging bus.'),
  })
  .meta({ id: 'Progress' });
export const Command = z
  .object({
    command_id: CommandId,
    batch_id: BatchId.nullable().describe(
      'Id of the batch, if commands.createMany created the command. null if commands.create created it.',
    ),
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
    progress: Progress.nullable().describe(
      'Last step of the execution that the adapter reported; null if it reported none. It changes at most once per second. It is not part of the history.',
    ),
    result: OpaqueObject.nullable().describe('Result from the device; null until there is one.'),
    late_result: LateResult.nullable().describe(
      'First report of an outcome that arrived after the status became final; null if there is none. It does not change the status.',
    ),
    accepted_at: Timestamp.describe('When the platform accepted the command.'),
    dispatched_at: Timestamp.nullable().describe('When the platform sent the command to the adapter; null until then.'),
    deadline_at: Timestamp.describe(
      'accepted_at plus timeout_seconds. A command without an outcome at this time ends as EXPIRED if it was never sent, and as TIMED_OUT if it was sent.',
    ),
    completed_at: Timestamp.nullable().describe('When the status became final; null until then.'),
    updated_at: Timestamp.describe('When the command last changed.'),
    created_by_client_id: ClientId.describe('Credential that created the command.'),
    history: z
      .array(HistoryEntry)
      .describe(
        'All status changes and late reports, oldest first. Repeated reports are not added. The list has fewer than 100 items.',
      ),
    request_id: RequestId,
  })
  .meta({
    id: 'Command',
    example: {
      command_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
      batch_id: null,
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
      progress: null,
      result: null,
      late_result: null,
      accepted_at: '2026-01-31T09:30:00.000Z',
      dispatched_at: null,
      deadline_at: '2026-01-31T09:30:30.000Z',
      completed_at: null,
      updated_at: '2026-01-31T09:30:00.000Z',
      created_by_client_id: 'demo',
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
