import { z } from 'zod';
import { AdapterStatus, DeviceExecutionStatus, ProgressStep } from '../command-statuses.js';
import { DeviceReply, DeviceRequestId, RequestType } from '../device-requests.js';
import { CommandType, DeviceId, InputTimestamp, Timestamp, Vendor } from '../primitives.js';

const CommandId = z.uuid().describe('Id of the command: a UUID version 7.');

/** platform → adapter, on `tenants.{tenant_id}.commands.{vendor}`. */
export const CommandMessage = z
  .object({
    command_id: CommandId,
    tenant_id: z.string().describe('Tenant of the command.'),
    vendor: Vendor,
    device_id: DeviceId,
    command_type: CommandType,
    payload: z
      .record(z.string(), z.unknown())
      .describe('Parameters of the command, valid for the payload schema of the command type.'),
    accepted_at: Timestamp.describe('When the platform accepted the command.'),
    deadline_at: Timestamp.describe(
      'Deadline of the command, by the clock of the platform. Do not start the command after this time. Read remaining_ms to learn how much time is left.',
    ),
    remaining_ms: z
      .int()
      .min(0)
      .describe(
        'How many milliseconds were left until the deadline when the platform published the message. What is left now is that minus the age of the message by the clock of NATS: your own clock may differ. Start the command only while time is left: no margin is required. A command that cannot start yet may wait until 2 seconds before the deadline. Then do not start it: send adapter_status UNREACHABLE, so that the platform receives it in time. If it was delivered again, send device_execution_status TIMED_OUT instead.',
      ),
  })
  .meta({
    id: 'CommandMessage',
    example: {
      command_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
      tenant_id: 'demo',
      vendor: 'vendor_a',
      device_id: 'ok-1',
      command_type: 'reboot',
      payload: {},
      accepted_at: '2026-01-31T09:30:00.000Z',
      deadline_at: '2026-01-31T09:30:30.000Z',
      remaining_ms: 29_990,
    },
  });

/** The statuses that an adapter may report for itself: only the platform sets PENDING and SENT. */
const ReportedAdapterStatus = AdapterStatus.extract([
  'DELIVERED',
  'REJECTED',
  'UNSUPPORTED',
  'UNREACHABLE',
  'FAILED',
  'TIMED_OUT',
]);

/** The statuses that an adapter may report for a device: only the platform sets NOT_STARTED and UNKNOWN. */
const ReportedDeviceExecutionStatus = DeviceExecutionStatus.extract([
  'IN_PROGRESS',
  'SUCCEEDED',
  'FAILED',
  'REJECTED',
  'TIMED_OUT',
]);

/** adapter → platform, on `tenants.{tenant_id}.command-updates.{vendor}`. */
export const CommandUpdate = z
  .strictObject({
    // As the platform writes it: the id is compared as text.
    command_id: CommandId.toLowerCase().describe('Id of the command: a UUID version 7.'),
    adapter_status: ReportedAdapterStatus.optional().describe(
      'What the adapter knows. DELIVERED: the device has the command. REJECTED, UNSUPPORTED: the adapter refuses, and the device did not get the command. UNREACHABLE: the command did not reach the device. FAILED: the adapter failed before it sent anything to the device, for example because time was over. Send none of these four if the device may have the command. If every report is UNREACHABLE, a caller repeats the command without asking the device. TIMED_OUT: the adapter does not know, as TIMED_OUT of the device. All but DELIVERED end the command. After any of these ends, public_status is UNKNOWN if the device was IN_PROGRESS. Required if device_execution_status is absent.',
    ),
    device_execution_status: ReportedDeviceExecutionStatus.optional().describe(
      'What the device does. IN_PROGRESS: it executes the command. SUCCEEDED: it has executed it. FAILED: it tried and failed. REJECTED: it refused. TIMED_OUT: the adapter does not know, for example after a lost connection or a second delivery. All but IN_PROGRESS end the command, and the first end counts. The platform does not store the reason of a repeated status: if the device executed the command twice, say so in the reason of the first end. If you send device_execution_status, the platform sets adapter_status to DELIVERED. With IN_PROGRESS, an adapter_status in the same message takes precedence.',
    ),
    status_reason: z
      .strictObject({
        code: z.string().min(1).max(128).describe('Machine-readable code.'),
        message: z.string().max(1024).describe('Human-readable explanation.'),
      })
      .optional()
      .describe('Reason for the status.'),
    progress: ProgressStep.optional().describe(
      'Last step that the device has done. Send IN_PROGRESS again for each step. The platform stores at most one step of a command per second: the last one.',
    ),
    result: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Result from the device. At most 32 KiB as JSON in UTF-8.'),
    occurred_at: InputTimestamp.optional().describe(
      'When the change happened, by the clock of the adapter or the device: RFC 3339 with seconds, and Z or an offset.',
    ),
  })
  .refine((update) => update.adapter_status !== undefined || update.device_execution_status !== undefined, {
    error: 'must carry adapter_status or device_execution_status',
  })
  .meta({
    id: 'CommandUpdate',
    // One of the two is required. Generators make two unnamed types of an anyOf.
    if: {
      not: {
        properties: { adapter_status: { description: 'adapter_status is absent.' } },
        required: ['adapter_status'],
      },
    },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: {
      properties: { device_execution_status: { description: 'Required if adapter_status is absent.' } },
      required: ['device_execution_status'],
    },
    example: {
      command_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
      adapter_status: 'DELIVERED',
      device_execution_status: 'SUCCEEDED',
      result: { uptime_seconds: 0 },
      occurred_at: '2026-01-31T09:30:03.500Z',
    },
  });

export type CommandMessage = z.infer<typeof CommandMessage>;
export type CommandUpdate = z.infer<typeof CommandUpdate>;

/** adapter → platform, on `tenants.{tenant_id}.device-requests.{vendor}`. */
export const DeviceRequestMessage = z
  .strictObject({
    device_id: DeviceId,
    request_type: RequestType,
    payload: z.record(z.string(), z.unknown()).describe('Data from the device. At most 32 KiB as JSON in UTF-8.'),
    dedupe_id: z
      .string()
      .regex(/^[\x21-\x7E]{1,128}$/)
      .describe(
        'Id that the adapter gives the request: unique for the device. The platform ignores a repeated request with the same tenant, vendor, device_id and dedupe_id. It parks another request under a used id, with the reason DEDUPE_ID_REUSED.',
      ),
    expires_in_seconds: z
      .int()
      .min(5)
      .max(86_400)
      .optional()
      .describe(
        'How long the device waits for a reply, in seconds: 5 to 86400, 300 by default. The time starts when NATS stores the message.',
      ),
  })
  .meta({
    id: 'DeviceRequestMessage',
    example: {
      device_id: 'ok-1',
      request_type: 'firmware_check',
      payload: { version: '2.4.0' },
      dedupe_id: 'ok-1-17',
      expires_in_seconds: 300,
    },
  });

/** platform → adapter, on `tenants.{tenant_id}.device-replies.{vendor}`. */
export const DeviceReplyMessage = z
  .object({
    device_request_id: DeviceRequestId,
    dedupe_id: z.string().describe('Id that the adapter gave the request.'),
    device_id: DeviceId,
    request_type: RequestType,
    outcome: DeviceReply.shape.outcome,
    payload: DeviceReply.shape.payload,
    error: DeviceReply.shape.error,
    replied_at: DeviceReply.shape.replied_at,
    expires_at: Timestamp.describe(
      'When the request expires, by the clock of the platform. Do not deliver the reply after this time.',
    ),
    remaining_ms: z
      .int()
      .min(0)
      .describe(
        'How many milliseconds were left until the request expires when the platform published the message. What is left now is that minus the age of the message by the clock of NATS.',
      ),
  })
  .meta({
    id: 'DeviceReplyMessage',
    example: {
      device_request_id: '019bd3a4-5c4e-7e99-8cc8-e18293a4b5c6',
      dedupe_id: 'ok-1-17',
      device_id: 'ok-1',
      request_type: 'firmware_check',
      outcome: 'SUCCESS',
      payload: { version: '2.4.1' },
      error: null,
      replied_at: '2026-01-31T09:30:04.000Z',
      expires_at: '2026-01-31T09:35:00.000Z',
      remaining_ms: 295_990,
    },
  });

export type DeviceRequestMessage = z.infer<typeof DeviceRequestMessage>;
export type DeviceReplyMessage = z.infer<typeof DeviceReplyMessage>;
