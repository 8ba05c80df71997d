import type { contract } from '@tenant-open-platform/contract';
import { desc, eq, gte, isNotNull, lt, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { Transaction } from '../../foundation/database/database.js';
import { all } from '../../foundation/database/pages.js';
import type { Call, Handler } from '../../gateway/operation/call.js';
import { FIGURES_KEPT_DAYS, HOURS_SECONDS, MINUTES_SECONDS } from '../../pipeline/figures.js';
import { commandFigures, commandFiguresStart, commands } from '../../pipeline/tables.js';
import { ofBatch } from './commands.js';
import { type Counted, groupsOf, tallyOf } from './tally.js';

/** The commands of a batch that a request reads. */
const ROWS_READ = 10_000;

type Query = z.infer<typeof contract.commands.figures.query>;
type Answer = z.infer<(typeof contract.commands.figures.responses)[200]>;
type Interval = Answer['interval'];

/** In Unix milliseconds. `to` is not part of it. */
type Range = { from: number; to: number; interval: Interval };
type Read = Range & { countedSince: number; isPartial: boolean; counted: Counted[] };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const lengths: Record<Interval, number> = { MINUTE: 60_000, HOUR: HOUR_MS, DAY: DAY_MS };

export const figuresCommands: Handler<'commands.figures'> = async ({ query }, call) => {
  const read = query.batch_id === undefined ? readFigures : readBatch;
  const { from, to, interval, countedSince, isPartial, counted } = await call.asTenant((tx) => read(tx, call, query));
  const body = {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    interval,
    counted_since: new Date(countedSince).toISOString(),
    ...tallyOf(counted),
    ...(query.group_by && { groups: groups(counted, query.group_by) }),
    is_partial: isPartial,
    request_id: call.requestId,
  };
  return { status: 200, body };
};

/** Durations are not counted by reason. */
const groups = (counted: readonly Counted[], property: NonNullable<Query['group_by']>) =>
  groupsOf(property === 'reason' ? counted.map((one) => ({ ...one, classes: null })) : counted).map(
    ({ value, is_other, ...figures }) => {
      const named = is_other ? { is_other } : { [property]: value === '' ? null : value };
      return { ...(named as object), ...figures };
    },
  );

const instantOf = (given: string | undefined, missing: number) => (given === undefined ? missing : Date.parse(given));

/** The whole intervals that this range touches. */
function rangeOf(from: number, to: number, ageMs: number): Range {
  const interval = ageMs <= MINUTES_SECONDS * 1_000 ? 'MINUTE' : ageMs <= HOURS_SECONDS * 1_000 ? 'HOUR' : 'DAY';
  const length = lengths[interval];
  return { from: Math.floor(from / length) * length, to: Math.ceil(to / length) * length, interval };
}

async function readFigures(tx: Transaction, { tenantId, admittedAt }: Call, query: Query): Promise<Read> {
  const now = admittedAt.getTime();
  const from = instantOf(query.completed_after, now - HOUR_MS);
  const range = rangeOf(from, instantOf(query.completed_before, now), now - from);
  const [start] = await tx.select().from(commandFiguresStart).limit(1);
  const began = start?.countedSince.getTime() ?? now;
  const countedSince = Math.max(began, Math.floor(now / DAY_MS) * DAY_MS - FIGURES_KEPT_DAYS * DAY_MS);
  const { hour, minute, reason, vendor, status } = commandFigures;
  const begin = sql`(${hour} + ${minute} * interval '1 minute')`;
  const source = tx
    .select({
      at: begins(range, begin).as('at'),
      value: sql`${query.group_by ? { reason, vendor, status }[query.group_by] : null}::text`.as('value'),
      isOther: (query.group_by === 'reason' ? sql`${commandFigures.isOther}` : sql`false`).as('is_other'),
      status,
      total: commandFigures.total,
      classes: commandFigures.classes,
      numbers: commandFigures.numbers,
    })
    .from(commandFigures)
    .where(
      all([
        eq(commandFigures.tenantId, tenantId),
        gte(hour, new Date(Math.floor(range.from / HOUR_MS) * HOUR_MS)),
        lt(hour, new Date(range.to)),
        sql`${begin} >= ${new Date(range.from).toISOString()}::timestamptz`,
        sql`${begin} < ${new Date(range.to).toISOString()}::timestamptz`,
        query.vendor && eq(vendor, query.vendor),
      ]),
    );
  return { ...range, countedSince, isPartial: false, counted: await sum(tx, source) };
}

/** A batch is counted from its commands. */
async function readBatch(tx: Transaction, { tenantId, admittedAt }: Call, query: Query): Promise<Read> {
  const isOfBatch = all([eq(commands.tenantId, tenantId), ofBatch(query)]);
  const [bounds] = await tx.execute<{ began: number | null; is_partial: boolean }>(sql`
    select (
        select extract(epoch from accepted_at)::float8 * 1000 from ${commands} where ${isOfBatch} order by command_id limit 1
      ) as began,
      exists (select from ${commands} where ${isOfBatch} order by command_id desc offset ${ROWS_READ}) as is_partial`);
  const now = admittedAt.getTime();
  const accepted = bounds?.began ?? now;
  const from = instantOf(query.completed_after, accepted);
  const to = instantOf(query.completed_before, now);
  const range = rangeOf(from, to, to - from);
  const read = tx
    .select({
      completedAt: commands.completedAt,
      acceptedAt: commands.acceptedAt,
      vendor: commands.vendor,
      status: commands.status,
      reason: sql`coalesce(${commands.statusReason} ->> 'code', '')`.as('reason'),
    })
    .from(commands)
    .where(isOfBatch)
    .orderBy(desc(commands.commandId))
    .limit(ROWS_READ)
    .as('read');
  const tookMs = sql`extract(epoch from ${read.completedAt} - ${read.acceptedAt}) * 1000`;
  const ended = tx
    .select({
      at: begins(range, sql`${read.completedAt}`).as('at'),
      value: sql`${query.group_by ? read[query.group_by] : null}::text`.as('value'),
      isOther: sql`false`.as('is_other'),
      status: read.status,
      total: sql`1`.as('total'),
      classes: sql`array[duration_class_v1(${tookMs}::float8)]`.as('classes'),
      numbers: sql`array[1]`.as('numbers'),
    })
    .from(read)
    .where(
      all([
        isNotNull(read.completedAt),
        gte(read.completedAt, new Date(range.from)),
        lt(read.completedAt, new Date(range.to)),
        query.vendor && eq(read.vendor, query.vendor),
      ]),
    );
  const isPartial = bounds?.is_partial ?? false;
  return { ...range, countedSince: accepted, isPartial, counted: await sum(tx, ended) };
}

/** When the interval of an instant begins, in Unix milliseconds. */
const begins = ({ interval }: Range, instant: SQL) =>
  sql`extract(epoch from date_trunc(${interval.toLowerCase()}, ${instant}, 'UTC')) * 1000`;

/**
 * Together, as one text: a row for each took three times as long. The classes of durations are added up here: the
 * database took twice as long.
 */
async function sum(tx: Transaction, source: SQLWrapper): Promise<Counted[]> {
  const [found] = await tx.execute<{ counted: Counted[] | null }>(sql`
    select json_agg(summed) as counted from (
      select at::float8, value, is_other, status, sum(total)::int as total,
        json_agg(classes) filter (where classes <> '{}') as classes,
        json_agg(numbers) filter (where classes <> '{}') as numbers
      from (${source}) as source group by 1, 2, 3, 4
    ) as summed`);
  return found?.counted ?? [];
}
