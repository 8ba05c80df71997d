import { z } from 'zod';
import { BatchId } from './command-record.js';
import { CommandStatus } from './command-statuses.js';
import { finalStatuses } from './facts.js';
import { InputTimestamp, RequestId, Timestamp, Vendor } from './primitives.js';

/** How many groups have a name of their own: an adapter may report any reason. */
export const MAX_FIGURE_GROUPS = 20;

export const FigureGrouping = z.enum(['status', 'vendor', 'reason']).meta({
  id: 'CommandFigureGrouping',
  description: 'Property by which figures are grouped. reason: `code` of status_reason.',
});

const FigureInterval = z.enum(['MINUTE', 'HOUR', 'DAY']).meta({
  id: 'CommandFigureInterval',
  description: 'Length of the interval that a point counts. Hours and days begin in UTC.',
});

const FinalCounts = z
  .object(
    Object.fromEntries(finalStatuses.map((status) => [status, z.int().describe(`Ended as ${status}.`)])) as Record<
      (typeof finalStatuses)[number],
      z.ZodInt
    >,
  )
  .meta({ id: 'CommandFinalCounts', description: 'Ended commands by status.' });

const milliseconds = (share: string) => z.int().describe(`${share} took at most this long, in milliseconds.`);

const Durations = z.object({ p50: milliseconds('50 %'), p95: milliseconds('95 %'), p99: milliseconds('99 %') }).meta({
  id: 'CommandDurations',
  description:
    'Time from acceptance to end, whatever the status. Each value is at most 5 % or 1 ms from the exact one.',
});

const figures = {
  counts: FinalCounts,
  total: z.int().describe('Number of ended commands.'),
  duration_ms: Durations.nullable().describe('null if no command ended, and in groups by reason.'),
};

const FigurePoint = z
  .object({ at: Timestamp.describe('Begin of the interval.'), ...figures })
  .meta({ id: 'CommandFigurePoint', description: 'The commands that ended in one interval.' });

const points = z.array(FigurePoint).describe('Intervals in which a command ended, the earliest first.');

const FigureGroup = z
  .object({
    status: CommandStatus.optional().describe('Status of the commands. Absent unless grouped by status.'),
    vendor: Vendor.optional().describe('Vendor of the commands. Absent unless grouped by vendor.'),
    reason: z
      .string()
      .nullable()
      .optional()
      .describe('`code` of status_reason. null: no reason was reported. Absent unless grouped by reason.'),
    is_other: z
      .boolean()
      .optional()
      .describe(
        `true: all commands that are in no other group. ${MAX_FIGURE_GROUPS} groups have a name, and so have the first 20 reasons of each hour. Otherwise absent.`,
      ),
    ...figures,
    points,
  })
  .meta({ id: 'CommandFigureGroup', description: 'Ended commands with the same value of the property in `group_by`.' });

const counts = (given: Partial<Record<(typeof finalStatuses)[number], number>>) => ({
  ...Object.fromEntries(finalStatuses.map((status) => [status, 0])),
  ...given,
});

export const CommandFigures = z
  .object({
    from: Timestamp.describe('Begin of the first interval that was counted.'),
    to: Timestamp.describe('End of the last interval that was counted.'),
    interval: FigureInterval,
    counted_since: Timestamp.describe(
      'Commands that ended before this time were not counted, or their figures were deleted.',
    ),
    ...figures,
    points,
    groups: z
      .array(FigureGroup)
      .optional()
      .describe('The same commands in groups, the largest group first. Absent without `group_by`.'),
    is_partial: z.boolean().describe('true: only the newest 10,000 commands of the batch were counted.'),
    request_id: RequestId,
  })
  .meta({
    id: 'CommandFigures',
    example: {
      from: '2026-01-31T08:30:00.000Z',
      to: '2026-01-31T09:31:00.000Z',
      interval: 'MINUTE',
      counted_since: '2026-01-01T00:00:00.000Z',
      counts: counts({ SUCCEEDED: 118, TIMED_OUT: 2 }),
      total: 120,
      duration_ms: { p50: 190, p95: 410, p99: 30_200 },
      points: [
        {
          at: '2026-01-31T09:29:00.000Z',
          counts: counts({ SUCCEEDED: 60, TIMED_OUT: 2 }),
          total: 62,
          duration_ms: { p50: 190, p95: 450, p99: 30_200 },
        },
        {
          at: '2026-01-31T09:30:00.000Z',
          counts: counts({ SUCCEEDED: 58 }),
          total: 58,
          duration_ms: { p50: 190, p95: 370, p99: 410 },
        },
      ],
      is_partial: false,
      request_id: '019bd3a4-5c4e-7cc1-9d51-2e3f4a5b6c7d',
    },
  });

export const figuresQuery = z.strictObject({
  completed_after: InputTimestamp.optional().describe(
    'Only commands that ended at or after this time, rounded down to the interval. By default one hour ago; with batch_id the acceptance of the batch.',
  ),
  completed_before: InputTimestamp.optional().describe(
    'Only commands that ended before this time, rounded up to the interval. By default now.',
  ),
  vendor: Vendor.optional().describe('Only commands for this vendor.'),
  batch_id: BatchId.optional().describe('Only commands of this batch.'),
  group_by: FigureGrouping.optional().describe('Count the commands also in `groups`, by this property.'),
});
