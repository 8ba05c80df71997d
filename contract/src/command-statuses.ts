import { z } from 'zod';
import { MAX_STEPS } from './bus/limits.js';
import { finalStatuses, openStatuses } from './facts.js';

export const CommandId = z.uuid().describe('Id of the command: a UUID version 7.');

export const commandStatuses = [...openStatuses, ...finalStatuses] as const;

export const CommandStatus = z.enum(commandStatuses).meta({
  id: 'CommandStatus',
  description:
    'Status of the command. ACCEPTED: stored, not sent yet. DISPATCHED: handed to the messaging bus for the adapter. Every other status is final. SUCCEEDED: the device executed the command. FAILED: the device or the adapter failed, the device is unreachable, or the bus refused the command. REJECTED: the device or the adapter refused the command. UNSUPPORTED: the adapter does not support the command. TIMED_OUT: the command was sent and its outcome is unknown, so the device may have executed it. EXPIRED: the command was never sent, so you can safely send another one. CANCELED: a caller canceled the command before it was sent.',
});

export const AdapterStatus = z
  .enum(['PENDING', 'SENT', 'DELIVERED', 'REJECTED', 'UNSUPPORTED', 'UNREACHABLE', 'FAILED', 'TIMED_OUT'])
  .meta({
    id: 'AdapterStatus',
    description:
      'Delivery of the command to the device by the adapter of the vendor. PENDING: not sent yet. SENT: handed to the messaging bus. DELIVERED: the adapter delivered the command to the device. REJECTED: the adapter refused the command. UNSUPPORTED: the adapter does not support the command. UNREACHABLE: the adapter cannot reach the device. FAILED: the adapter failed, or the bus refused the command. TIMED_OUT: the adapter reported a timeout, or reported nothing before the deadline.',
  });

export const DeviceExecutionStatus = z
  .enum(['NOT_STARTED', 'IN_PROGRESS', 'SUCCEEDED', 'FAILED', 'REJECTED', 'TIMED_OUT', 'UNKNOWN'])
  .meta({
    id: 'DeviceExecutionStatus',
    description:
      'Execution on the device. NOT_STARTED: no report from the device yet. IN_PROGRESS: the device is executing the command. SUCCEEDED, FAILED, REJECTED and TIMED_OUT: the outcome that the adapter reported. UNKNOWN: the deadline passed without an outcome, or the adapter ended the command without knowing its outcome.',
  });

export const ProgressStep = z
  .strictObject({
    step: z.int().min(0).max(MAX_STEPS).describe('Steps done so far: 0 to `of`.'),
    of: z.int().min(1).max(MAX_STEPS).describe('Number of all steps, for example 100 for percent: 1 to 1000000000.'),
  })
  .refine(({ step, of }) => step <= of, { error: 'must be at most `of`', path: ['step'] });

export const PublicStatus = z.enum(['PENDING', 'SUCCEEDED', 'FAILED', 'UNKNOWN']).meta({
  id: 'PublicStatus',
  description:
    'Simplified status for end users. PENDING: `status` is ACCEPTED or DISPATCHED. SUCCEEDED: `status` is SUCCEEDED. UNKNOWN: the device may have executed the command, because `status` is TIMED_OUT or `device_execution_status` is UNKNOWN. FAILED: any other final `status`.',
});
