import type { PlatformEvent } from '@tenant-open-platform/contract';
import type { events } from '../../platform/outbox/events.table.js';
import { publicStatusOf } from '../commands/commands.js';
import { commands } from '../commands/commands.table.js';
import { INITIAL } from '../commands/transitions.js';

/** The columns of a command that events show; nothing that was sent to the device. */
export const shownColumns = {
  commandId: commands.commandId,
  vendor: commands.vendor,
  deviceId: commands.deviceId,
  commandType: commands.commandType,
  status: commands.status,
  adapterStatus: commands.adapterStatus,
  deviceExecutionStatus: commands.deviceExecutionStatus,
  statusReason: commands.statusReason,
  result: commands.result,
  acceptedAt: commands.acceptedAt,
  completedAt: commands.completedAt,
  requestId: commands.requestId,
  createdByClientId: commands.createdByClientId,
  idempotencyKey: commands.idempotencyKey,
};

type Command = Pick<typeof commands.$inferSelect, keyof typeof shownColumns>;
type Event = typeof events.$inferSelect;

/** An accepted command shows the fields that never change, a completed one its final fields. */
export function presentEvent(event: Event, command: Command): PlatformEvent {
  const isCompleted = event.eventType === 'command.completed';
  const state = isCompleted ? command : INITIAL;
  return {
    event_id: event.eventId,
    event_type: event.eventType,
    schema_version: 1,
    tenant_id: event.tenantId,
    occurred_at: (isCompleted ? (command.completedAt ?? event.loggedAt) : command.acceptedAt).toISOString(),
    request: {
      request_id: command.requestId,
      client_id: command.createdByClientId,
      idempotency_key: command.idempotencyKey,
    },
    data: {
      command_id: command.commandId,
      vendor: command.vendor,
      device_id: command.deviceId,
      command_type: command.commandType,
      status: state.status,
      adapter_status: state.adapterStatus,
      device_execution_status: state.deviceExecutionStatus,
      public_status: publicStatusOf(state.status),
      status_reason: isCompleted ? command.statusReason : null,
      result: isCompleted ? command.result : null,
      accepted_at: command.acceptedAt.toISOString(),
      completed_at: isCompleted ? (command.completedAt?.toISOString() ?? null) : null,
    },
  };
}
