import { z } from 'zod';
import { CommandFigures, figuresQuery } from './command-figures.js';
import { BatchId, Command, IdempotencyKey, payloadDescription, TimeoutSeconds } from './command-record.js';
import { CommandId, CommandStatus } from './command-statuses.js';
import { CommandGrouping, CommandSummary, MAX_NAMED_REASONS } from './command-summary.js';
import { ErrorBody } from './errors.js';
import { MAX_BATCH, MAX_BATCH_BYTES, MAX_BATCH_DEPTH } from './facts.js';
import { operations } from './operation.js';
import {
  ClientId,
  CommandType,
  DeviceId,
  InputTimestamp,
  page,
  pageQuery,
  QueryBoolean,
  queryList,
  RequestId,
  Timestamp,
  Vendor,
  WaitSeconds,
} from './primitives.js';

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

const CommandAccepted = z
  .object({
    command_id: CommandId,
    status: z.literal('ACCEPTED').describe('Always ACCEPTED, even if the command has another status by now.'),
    accepted_at: Timestamp.describe(
      'When the platform accepted the command. A repeated request returns the original time.',
    ),
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

const CommandBatchCreate = z
  .strictObject({
    batch_id: BatchId.optional().describe(
      'Id of the batch: a UUID of your choice. Send the same id with several requests to make one batch of more than 500 commands. By default, the platform derives the id from the idempotency keys, so a repeated request gets the same id.',
    ),
    commands: z
      .array(CommandCreate)
      .min(1)
      .max(MAX_BATCH)
      .describe(`1 to ${MAX_BATCH} commands, each with the fields and rules of commands.create.`),
  })
  .meta({
    id: 'CommandBatchCreate',
    example: {
      commands: [
        {
          vendor: 'vendor_a',
          device_id: 'ok-1',
          command_type: 'reboot',
          payload: {},
          idempotency_key: 'reboot-ok-1-2026-02-01',
        },
        {
          vendor: 'vendor_a',
          device_id: 'ok-2',
          command_type: 'set_temperature',
          payload: { celsius: 40 },
          idempotency_key: 'heating-ok-2-2026-02-01',
        },
      ],
    },
    moreExamples: {
      part_of_a_larger_batch: {
        batch_id: '5f0c1e9a-58a2-5f3e-9d63-0d5a4d9c1b7e',
        commands: [
          {
            vendor: 'vendor_a',
            device_id: 'ok-501',
            command_type: 'reboot',
            payload: {},
            idempotency_key: 'reboot-ok-501-2026-02-01',
          },
        ],
      },
    },
  });

const CommandBatchItemError = ErrorBody.omit({ request_id: true })
  .extend({
    status: z.int().describe('HTTP status of this error in a response of commands.create.'),
    retry_after_seconds: z
      .int()
      .optional()
      .describe('With 429 and 503: how long to wait before you send this command again, in seconds.'),
  })
  .meta({ id: 'CommandBatchItemError' });

const CommandBatchItem = z
  .object({
    idempotency_key: IdempotencyKey,
    command_id: CommandId.optional(),
    status: z.literal('ACCEPTED').optional().describe('Always ACCEPTED. Absent if the command was refused.'),
    accepted_at: Timestamp.optional().describe('When the platform accepted the command. Absent if it was refused.'),
    idempotent_replayed: z
      .boolean()
      .optional()
      .describe(
        'true if the idempotency_key was used before: command_id is the id of the existing command. Otherwise absent.',
      ),
    idempotency_mismatch: z
      .array(z.string())
      .optional()
      .describe('Names of the fields that differ from the existing command. Absent if no field differs.'),
    error: CommandBatchItemError.optional().describe(
      'Why the command was refused: the error that commands.create would return. The locations in `details` are within this command, for example `body/payload/speed`. Absent if the command was accepted.',
    ),
  })
  .meta({ id: 'CommandBatchItem' });

const CommandBatch = z
  .object({
    batch_id: BatchId,
    items: z.array(CommandBatchItem).describe('One item for each command, in the order of the request.'),
    request_id: RequestId,
  })
  .meta({
    id: 'CommandBatch',
    example: {
      batch_id: '5f0c1e9a-58a2-5f3e-9d63-0d5a4d9c1b7e',
      items: [
        {
          idempotency_key: 'reboot-ok-1-2026-02-01',
          command_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
          status: 'ACCEPTED',
          accepted_at: '2026-02-01T09:30:00.000Z',
        },
        {
          idempotency_key: 'heating-ok-2-2026-02-01',
          error: {
            status: 422,
            code: 'COMMAND_PAYLOAD_INVALID',
            message:
              'The payload is not valid for the payload schema of the command type. Correct the payload at the locations listed in `details`. catalog.get returns the schema.',
            details: [{ location: 'body/payload/celsius', code: 'MAXIMUM', message: 'must be at most 35' }],
          },
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
      'Stores a command for a device and returns 202. The platform then sends the command to the adapter of the vendor. 202 and ACCEPTED do not mean that the device executed the command. If the tenant already has a command with this idempotency_key, the platform creates no second command. It returns the existing command, with the header Idempotent-Replayed: true. If the body differs from the body of the first request, the header Idempotency-Mismatch lists the fields that differ.',
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
  createMany: {
    method: 'POST',
    path: '/api/v1/open/downlink/command-batches',
    summary: 'Create many commands',
    description:
      'Stores up to 500 commands with one request of at most 1 MiB. The platform accepts or refuses each command separately, by the rules of commands.create. The items of the response are in the order of the request. A refused command does not affect the other commands. You can use its idempotency_key again. The response is 200 even if every command was refused: check each item. Each command counts as one request towards the quotas. The platform refuses the whole request if it is not valid, for example because a field of one command is missing. Then it stores no command. A repeated request with the same idempotency keys returns the same command ids.',
    metadata: {
      scope: 'open:command:create',
      specified: false,
      tenant: 'own',
      errors: [],
      repeat: 'BY_KEY',
      // Each payload is two levels deeper than in commands.create.
      largeBody: { bytes: MAX_BATCH_BYTES, depth: MAX_BATCH_DEPTH, items: { commands: MAX_BATCH } },
    },
    query: z.strictObject({}),
    body: CommandBatchCreate,
    responses: { 200: CommandBatch },
  },
  get: {
    method: 'GET',
    path: '/api/v1/open/downlink/commands/:command_id',
    summary: 'Get a command',
    description:
      'Returns one command of the tenant, with status, adapter_status, device_execution_status and public_status. With wait_seconds, the platform waits until the status is final. With wait_seconds and seen_updated_at, it waits until updated_at differs from seen_updated_at, or the status is final. After wait_seconds, it returns the command as it is.',
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
        '`updated_at` of the command in the last response that you received. With wait_seconds, the platform waits until `updated_at` has another value.',
      ),
    }),
    responses: { 200: Command },
  },
  list: {
    method: 'GET',
    path: '/api/v1/open/downlink/commands',
    summary: 'List commands',
    description: 'Lists the commands of the tenant, newest first by default.',
    metadata: {
      scope: 'open:command:read',
      specified: false,
      tenant: 'own',
      errors: [],
    },
    query: z.strictObject({
      ...pageQuery,
      order: z
        .enum(['asc', 'desc'])
        .default('desc')
        .describe('desc: newest first. asc: oldest first. By default desc.'),
      status: queryList(CommandStatus).optional().describe('Only commands with one of these statuses.'),
      is_final: QueryBoolean.optional().describe(
        'true: only commands with a final status. false: only ACCEPTED and DISPATCHED commands.',
      ),
      has_late_result: QueryBoolean.optional().describe(
        'true: only commands with `late_result`: an outcome that came after the final status. false: only commands without one.',
      ),
      vendor: Vendor.optional().describe('Only commands for this vendor.'),
      device_id: DeviceId.optional().describe('Only commands for this device.'),
      command_type: CommandType.optional().describe('Only commands of this type.'),
      idempotency_key: IdempotencyKey.optional().describe('Only the command with this idempotency key.'),
      batch_id: BatchId.optional().describe('Only commands of this batch.'),
      created_by_client_id: ClientId.optional().describe('Only commands that this credential created.'),
      reason: z
        .string()
        .min(1)
        .max(128)
        .optional()
        .describe('Only commands with this `code` in status_reason, for example UNREACHABLE. 1 to 128 characters.'),
      accepted_after: InputTimestamp.optional().describe('Only commands accepted at or after this time.'),
      accepted_before: InputTimestamp.optional().describe('Only commands accepted before this time.'),
      completed_after: InputTimestamp.optional().describe(
        'Only commands that ended at or after this time, and were accepted at most 24 hours before it. A command ends within minutes, unless the platform was stopped.',
      ),
      completed_before: InputTimestamp.optional().describe('Only commands that ended before this time.'),
    }),
    responses: { 200: page('CommandPage', Command, 'newest first, or oldest first with `order=asc`') },
  },
  summary: {
    method: 'GET',
    path: '/api/v1/open/downlink/command-summary',
    summary: 'Count commands by status',
    description: `Returns how many commands of a batch or of a time range have each status. With group_by, it also counts them by vendor, adapter status or reason. The ${MAX_NAMED_REASONS} most frequent reasons of a response have groups of their own. One request counts at most 10,000 commands, newest first. To count older commands, send \`next_older_than\` of the response as \`older_than\`.`,
    metadata: {
      scope: 'open:command:read',
      specified: false,
      tenant: 'own',
      errors: [],
    },
    query: z.strictObject({
      batch_id: BatchId.optional().describe('Only commands of this batch.'),
      accepted_after: InputTimestamp.optional().describe('Only commands accepted at or after this time.'),
      accepted_before: InputTimestamp.optional().describe('Only commands accepted before this time.'),
      older_than: CommandId.optional().describe(
        'Only commands that are older than the command with this id. Send `next_older_than` of the previous response with the same filters.',
      ),
      group_by: queryList(CommandGrouping)
        .optional()
        .describe('Count the commands also in `groups`: one group for each combination of these properties.'),
    }),
    responses: { 200: CommandSummary },
  },
  figures: {
    method: 'GET',
    path: '/api/v1/open/downlink/command-figures',
    summary: 'Count ended commands over time',
    description:
      'Returns how many commands ended in each minute, hour or day of a time range, by status, and how long they took. A point counts a minute if `completed_after` is at most 3 hours ago, an hour if it is at most 3 days ago, otherwise a day. Figures are deleted after 31 days. With batch_id, the platform reads the commands of the batch: then the length of the range decides.',
    metadata: {
      scope: 'open:command:read',
      specified: false,
      tenant: 'own',
      errors: [],
    },
    query: figuresQuery,
    responses: { 200: CommandFigures },
  },
  cancel: {
    method: 'POST',
    path: '/api/v1/open/downlink/commands/:command_id/cancel',
    summary: 'Cancel a command',
    description:
      'Cancels a command that the platform has not sent to the adapter yet (status ACCEPTED). A command that is already CANCELED is returned unchanged. If the command has another status, the request is refused with COMMAND_NOT_CANCELABLE.',
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
