import { z } from 'zod';
import { AdapterStatus, CommandId, commandStatuses } from './command-statuses.js';
import { RequestId, Vendor } from './primitives.js';

/** How many reasons have a group of their own in a summary: an adapter may report any code. */
export const MAX_NAMED_REASONS = 20;

export const CommandGrouping = z.enum(['vendor', 'adapter_status', 'reason']).meta({
  id: 'CommandGrouping',
  description: 'Property by which a summary groups commands. reason: `code` of status_reason.',
});

const CommandCounts = z
  .object(
    Object.fromEntries(
      commandStatuses.map((status) => [status, z.int().describe(`Commands with the status ${status}.`)]),
    ) as Record<(typeof commandStatuses)[number], z.ZodInt>,
  )
  .meta({ id: 'CommandCounts', description: 'Number of commands with each status.' });

const CommandGroup = z
  .object({
    vendor: Vendor.optional().describe('Vendor of the commands. Absent if the summary is not grouped by vendor.'),
    adapter_status: AdapterStatus.optional().describe(
      'Adapter status of the commands. UNREACHABLE: the adapter did not reach the device. Absent if the summary is not grouped by adapter_status.',
    ),
    reason: z
      .string()
      .nullable()
      .optional()
      .describe(
        '`code` of status_reason. null: the commands have no final status, or no reason was reported, or other_reasons is true. Absent if the summary is not grouped by reason.',
      ),
    other_reasons: z
      .boolean()
      .optional()
      .describe(
        `true if the commands have other reasons than the ${MAX_NAMED_REASONS} most frequent reasons of this response. Otherwise absent.`,
      ),
    counts: CommandCounts,
    total: z.int().describe('Number of commands in this group.'),
  })
  .meta({ id: 'CommandGroup', description: 'Commands with the same values of the properties in `group_by`.' });

export const CommandSummary = z
  .object({
    counts: CommandCounts,
    total: z.int().describe('Number of commands that were counted: at most 10,000.'),
    groups: z
      .array(CommandGroup)
      .optional()
      .describe(
        'The same commands in groups, the largest group first. Every command is in one group. Absent without `group_by`.',
      ),
    next_older_than: CommandId.nullable().describe(
      'Send as `older_than` to count the older commands, then add the counts of all responses. null if no older commands are left.',
    ),
    request_id: RequestId,
  })
  .meta({
    id: 'CommandSummary',
    example: {
      counts: exampleCounts({ DISPATCHED: 12, SUCCEEDED: 1980, FAILED: 5, REJECTED: 1, TIMED_OUT: 2 }),
      total: 2000,
      groups: [
        { reason: null, counts: exampleCounts({ DISPATCHED: 12, SUCCEEDED: 1980 }), total: 1992 },
        { reason: 'UNREACHABLE', counts: exampleCounts({ FAILED: 5 }), total: 5 },
        { reason: 'TIMED_OUT', counts: exampleCounts({ TIMED_OUT: 2 }), total: 2 },
        { reason: 'NOT_NOW', counts: exampleCounts({ REJECTED: 1 }), total: 1 },
      ],
      next_older_than: null,
      request_id: '019bd3a4-5c4e-7cc1-9d51-2e3f4a5b6c7d',
    },
  });

function exampleCounts(counts: Partial<Record<(typeof commandStatuses)[number], number>>) {
  return { ...Object.fromEntries(commandStatuses.map((status) => [status, 0])), ...counts };
}
