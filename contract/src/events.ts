import { z } from 'zod';
import { StatusReason } from './command-record.js';
import { AdapterStatus, CommandStatus, DeviceExecutionStatus, PublicStatus } from './command-statuses.js';
import { operations } from './operation.js';
import {
  ClientId,
  CommandType,
  DeviceId,
  followingCursor,
  InputTimestamp,
  ItemCursor,
  OpaqueObject,
  pageQuery,
  RequestId,
  TenantId,
  Timestamp,
  Vendor,
  WaitSeconds,
} from './primitives.js';

/** The subscribable event types of the specification. Outcomes are in the payload, never in the type. */
export const eventTypes = ['command.accepted', 'command.completed'] as const;

export const EventType = z.enum(eventTypes).meta({
  id: 'EventType',
  description:
    'command.accepted: the platform stored a command. command.completed: the status of a command became final, whatever the outcome.',
});

/** An event of the tenant's log, as it is published on the messaging bus. */
export const PlatformEvent = z
  .object({
    event_id: z.uuid().describe('Id of the event: a UUID version 7. All copies of an event have the same id.'),
    event_type: EventType,
    schema_version: z.literal(1).describe('Version of the event schema.'),
    tenant_id: TenantId,
    occurred_at: Timestamp.describe('When the event occurred.'),
    request: z
      .object({
        request_id: z.string().describe('Correlation id of the request that created the command.'),
        client_id: ClientId,
        idempotency_key: z.string().describe('Idempotency key of the command.'),
      })
      .meta({ id: 'EventRequest', description: 'Request that created the command.' }),
    data: z
      .object({
        command_id: z.uuid().describe('Id of the command.'),
        vendor: Vendor,
        device_id: DeviceId,
        command_type: CommandType,
        status: CommandStatus,
        adapter_status: AdapterStatus,
        device_execution_status: DeviceExecutionStatus,
        public_status: PublicStatus,
        status_reason: StatusReason,
        result: OpaqueObject.nullable().describe('Result from the device; null if there is none.'),
        accepted_at: Timestamp.describe('When the platform accepted the command.'),
        completed_at: Timestamp.nullable().describe('When the status became final; null until then.'),
      })
      .meta({ id: 'EventData', description: 'The command at the time of the event.' }),
  })
  .meta({ id: 'PlatformEvent', examples: [acceptedExample(), completedExample()] });

export type PlatformEvent = z.infer<typeof PlatformEvent>;

function acceptedExample() {
  return {
    event_id: '019bd3a4-5c4e-7cc1-9d51-3f4a5b6c7d8e',
    event_type: 'command.accepted',
    schema_version: 1,
    tenant_id: 'demo',
    occurred_at: '2026-01-31T09:30:00.000Z',
    request: {
      request_id: '019bd3a4-5c4e-7cc1-9d51-2e3f4a5b6c7d',
      client_id: 'demo',
      idempotency_key: 'reboot-ok-1-2026-01-31',
    },
    data: {
      command_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
      vendor: 'vendor_a',
      device_id: 'ok-1',
      command_type: 'reboot',
      status: 'ACCEPTED',
      adapter_status: 'PENDING',
      device_execution_status: 'NOT_STARTED',
      public_status: 'PENDING',
      status_reason: null,
      result: null,
      accepted_at: '2026-01-31T09:30:00.000Z',
      completed_at: null,
    },
  };
}

function completedExample() {
  const accepted = acceptedExample();
  return {
    ...accepted,
    event_id: '019bd3a4-6a1f-7cc1-9d51-4a5b6c7d8e9f',
    event_type: 'command.completed',
    occurred_at: '2026-01-31T09:30:03.535Z',
    data: {
      ...accepted.data,
      status: 'SUCCEEDED',
      adapter_status: 'DELIVERED',
      device_execution_status: 'SUCCEEDED',
      public_status: 'SUCCEEDED',
      result: {},
      completed_at: '2026-01-31T09:30:03.535Z',
    },
  };
}

const exampleCursor = 'WyJ2YmxjIiwiMTIzIl0';

const ListedEvent = z.object({ ...PlatformEvent.shape, cursor: ItemCursor }).meta({
  id: 'ListedEvent',
  extends: 'PlatformEvent',
  example: { ...acceptedExample(), cursor: exampleCursor },
});

const EventPage = z
  .object({
    items: z
      .array(ListedEvent)
      .describe(
        'At most `limit` events, oldest first, or newest first with `order=desc`. A page can be shorter than `limit` even if more events follow.',
      ),
    next_cursor: z
      .string()
      .describe(
        'Send as `cursor` to get the next page. Never null. If the page is empty and next_cursor equals the cursor that you sent, you have reached the end of the list. With order=asc, newer events can follow later.',
      ),
    restored_at: Timestamp.nullable().describe(
      'When the database of the platform was restored, if that was after the cursor was given out; otherwise null. The list then continues with the first event that you may not have. Some events that you have read before may not exist any more.',
    ),
    request_id: RequestId,
  })
  .meta({
    id: 'EventPage',
    example: {
      items: [{ ...acceptedExample(), cursor: exampleCursor }],
      next_cursor: exampleCursor,
      restored_at: null,
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

export const events = operations({
  list: {
    method: 'GET',
    path: '/api/v1/open/events',
    summary: 'Read the event log',
    description:
      'Lists the events of the tenant, oldest first by default. To continue the list, send the cursor of the last item. With wait_seconds, the platform waits at most that many seconds for an event that matches. Then it returns a page, which can be empty. With from=now, the platform immediately returns an empty page. To get only new events, send next_cursor of this page as cursor.',
    metadata: {
      scope: 'open:event:read',
      specified: false,
      tenant: 'own',
      errors: [],
    },
    query: z
      .strictObject({
        ...pageQuery,
        cursor: followingCursor,
        from: z
          .union([z.literal('now'), InputTimestamp], { error: 'must be now, or RFC 3339 such as 2026-01-31T09:30:00Z' })
          .optional()
          .describe(
            'Start of the list, if you send no cursor. Allowed only with order=asc. `now`: after the newest event. An RFC 3339 time: the first event logged at or after it. With order=asc and without `from`, the list starts at the oldest event. Omit `from` when you send a cursor.',
          ),
        order: z
          .enum(['asc', 'desc'])
          .default('asc')
          .describe('asc: oldest first. desc: newest first. With desc, wait_seconds has no effect. By default asc.'),
        event_type: EventType.optional().describe('Only events of this type.'),
        command_id: z.uuid().optional().describe('Only events of this command.'),
        occurred_after: InputTimestamp.optional().describe('Only events that occurred at or after this time.'),
        occurred_before: InputTimestamp.optional().describe('Only events that occurred before this time.'),
        wait_seconds: WaitSeconds,
      })
      .refine(({ from, order }) => from === undefined || order === 'asc', {
        path: ['from'],
        error: 'is allowed only with order=asc',
      })
      .refine(({ from, cursor }) => from !== 'now' || cursor === undefined, {
        path: ['from'],
        error: 'must not be now with a cursor: the cursor already says where to continue',
      }),
    responses: { 200: EventPage },
  },
});
