import type { Catalog, CommandFigures, PlatformState } from '@tenant-open-platform/sdk';
import type { Context } from '../context.js';
import { columnOf, renderRows } from '../output/table.js';

const WIDTH = 80;
const BARS = '▁▂▃▄▅▆▇█';
const MINUTES = 60;
/** The vendors of a frame. */
const VENDORS = 8;
/** A name may have 63 characters. */
const LONGEST_NAME = { ofTenant: 24, ofPlatform: 60 };
/** The platform looks once a minute whether adapters read. */
const SILENT_MS = 5 * 60_000;

type Point = CommandFigures['points'][number];

/** Of a tenant, for the last hour. `parked` is absent for a credential that may not read it. */
export type TenantFrame = {
  tenant: string;
  now: Date;
  figures: CommandFigures;
  catalog: Catalog | undefined;
  parked: string | undefined;
};

export function tenantFrame(context: Context, { tenant, now, figures, catalog, parked }: TenantFrame): string {
  const { to, counts, points, groups = [] } = figures;
  const minuteOf = (back: number) => new Date(Date.parse(to) - (back + 1) * 60_000).toISOString();
  const pointOf = (at: string) => points.find((point) => point.at === at);
  // The present minute is not over.
  const last = pointOf(minuteOf(1));
  const rows = Object.entries(counts)
    .filter(([status, count]) => count > 0 || status === 'SUCCEEDED')
    .map(([status, count]) => ({
      ended: status,
      'last minute': last?.counts[status as keyof Point['counts']] ?? 0,
      hour: count,
    }));
  const took = (['p50', 'p99'] as const).map((share) => ({
    ended: `${share}, seconds`,
    'last minute': seconds(last?.duration_ms?.[share]),
    hour: seconds(figures.duration_ms?.[share]),
  }));
  const lastReads = new Map(catalog?.vendors.map(({ vendor, last_read_at }) => [vendor, last_read_at]));
  const named = groups.flatMap(({ vendor, ...group }) => (vendor === undefined ? [] : [{ vendor, ...group }]));
  const quiet = [...lastReads.keys()].filter((vendor) => !named.some((group) => group.vendor === vendor));
  // The platform names the 20 vendors with most commands: others may have some, too.
  const unnamed = groups.some(({ is_other }) => is_other) ? '-' : 0;
  const unread = (vendor: string) => Number(isUnread(lastReads.get(vendor), now));
  const ofVendors = [...named, ...quiet.map((vendor) => ({ vendor, total: unnamed, counts: null, duration_ms: null }))]
    .sort((one, other) => unread(other.vendor) - unread(one.vendor))
    .map(({ vendor, total, counts, duration_ms }) => ({
      vendor: cut(vendor, LONGEST_NAME.ofTenant),
      hour: total,
      succeeded: counts ? `${Math.floor((100 * counts.SUCCEEDED) / Number(total))} %` : '-',
      'p50, s': seconds(duration_ms?.p50),
      'p99, s': seconds(duration_ms?.p99),
      'last read': readOf(lastReads.get(vendor), now),
    }));
  return [
    heading(`Tenant ${tenant}`, now),
    ...(parked === undefined ? [] : [`parked messages: ${parked}\n`]),
    table(context, ['ended', 'last minute', 'hour'], [...rows, ...took]),
    `a minute  ${bars(Array.from({ length: MINUTES }, (_, index) => pointOf(minuteOf(MINUTES - index))?.total ?? 0))}\n`,
    table(context, ['vendor', 'hour', 'succeeded', 'p50, s', 'p99, s', 'last read'], some(ofVendors)),
  ].join('\n');
}

export function platformFrame(context: Context, state: PlatformState, now: Date): string {
  const { outbox, events, slots, workers } = state;
  const oldestOf = (some: PlatformState['slots']) =>
    Math.max(...some.map(({ oldest_event_seconds }) => oldest_event_seconds ?? 0));
  const ofWorkers = workers.map(({ worker, can_publish }) => {
    const held = slots.filter((slot) => slot.worker === worker);
    const oldest = held.length > 0 ? oldestOf(held) : 0;
    return { worker, slots: held.length, 'can publish': can_publish ? 'yes' : 'NO', 'oldest event, s': oldest };
  });
  const unheld = slots.filter(({ worker }) => worker === null).length;
  const ofVendors = state.vendors
    .filter(({ enabled }) => enabled)
    .sort((one, other) => ((one.last_read_at ?? '') < (other.last_read_at ?? '') ? -1 : 1))
    .map(({ vendor, last_read_at }) => ({
      vendor: cut(vendor, LONGEST_NAME.ofPlatform),
      'last read': readOf(last_read_at, now),
    }));
  const waits = (name: string, { waiting, oldest_seconds }: PlatformState['outbox']) =>
    `${name} ${waiting}${oldest_seconds === null ? '' : `, oldest ${oldest_seconds.toFixed(1)} s`}`;
  return [
    heading('Platform', now),
    `waiting: ${waits('outbox', outbox)}; ${waits('events', events)}\nparked messages: ${state.parked_messages}\n`,
    table(context, ['worker', 'slots', 'can publish', 'oldest event, s'], ofWorkers),
    ...(unheld > 0 ? [`${unheld} of ${slots.length} slots have no worker: their commands wait.\n`] : []),
    table(context, ['vendor', 'last read'], some(ofVendors)),
  ].join('\n');
}

const heading = (what: string, now: Date) => {
  const time = `${now.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  return `${what.slice(0, WIDTH - time.length - 2).padEnd(WIDTH - time.length)}${time}\n`;
};

const table = ({ env, stdout }: Context, columns: readonly string[], rows: readonly object[]) =>
  rows.length === 0
    ? ''
    : renderRows({ env, stdout: { isTTY: stdout.isTTY, columns: WIDTH } } as Context, columns.map(columnOf), rows);

const cut = (name: string, most: number) => (name.length > most ? `${name.slice(0, most - 1)}…` : name);

/** The first ones, and how many more there are. */
function some<Row extends { vendor: string }>(rows: readonly Row[]): object[] {
  const more = rows.length - VENDORS;
  return more > 0 ? [...rows.slice(0, VENDORS), { vendor: `and ${more} more` }] : [...rows];
}

const isUnread = (lastReadAt: string | null | undefined, now: Date) =>
  lastReadAt === null || (lastReadAt !== undefined && now.getTime() - Date.parse(lastReadAt) > SILENT_MS);

function readOf(lastReadAt: string | null | undefined, now: Date): string {
  if (lastReadAt === undefined) return '-';
  if (lastReadAt === null) return 'NO ADAPTER YET';
  const silentMs = now.getTime() - Date.parse(lastReadAt);
  return isUnread(lastReadAt, now) ? `NOT FOR ${Math.floor(silentMs / 60_000)} MIN` : 'reads';
}

const seconds = (milliseconds: number | undefined) =>
  milliseconds === undefined ? '-' : (milliseconds / 1_000).toFixed(2);

function bars(numbers: readonly number[]): string {
  const most = Math.max(1, ...numbers);
  const bar = (number: number) => (number === 0 ? ' ' : BARS[Math.ceil((number / most) * BARS.length) - 1]);
  return `${numbers.map(bar).join('')}  ${most}`;
}
