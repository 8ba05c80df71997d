import { MAX_FIGURE_GROUPS } from '@tenant-open-platform/contract';
import { finalStatuses } from '@tenant-open-platform/contract/facts';

type FinalStatus = (typeof finalStatuses)[number];

/**
 * Commands that ended in one interval as `status`, and how many of them have durations of which classes: see
 * server/drizzle/functions/duration_class_v1.sql. `value`: of the property by which they are grouped; null
 * without one.
 */
export type Counted = {
  at: number;
  value: string | null;
  is_other: boolean;
  status: FinalStatus;
  total: number;
  classes: readonly number[][] | null;
  numbers: readonly number[][] | null;
};

/** The middle of a class, in milliseconds. */
const middleOf = (durationClass: number) => Math.max(1, Math.round(1.1 ** (durationClass - 0.5)));

/** Half of the commands, 95 % and 99 % of them took at most this long. */
function durationsOf(numbers: ReadonlyMap<number, number>) {
  const inOrder = [...numbers].sort(([one], [other]) => one - other);
  const total = inOrder.reduce((sum, [, number]) => sum + number, 0);
  const atMost = (share: number) => {
    let counted = 0;
    const found = inOrder.find(([, number]) => {
      counted += number;
      return counted >= share * total;
    });
    return middleOf(found?.[0] ?? 0);
  };
  return total === 0 ? null : { p50: atMost(0.5), p95: atMost(0.95), p99: atMost(0.99) };
}

function figuresOf(counted: readonly Counted[]) {
  const counts = Object.fromEntries(finalStatuses.map((status) => [status, 0])) as Record<FinalStatus, number>;
  const durations = new Map<number, number>();
  let sum = 0;
  for (const { status, total, classes, numbers } of counted) {
    counts[status] += total;
    sum += total;
    classes?.forEach((inRow, row) => {
      inRow.forEach((durationClass, index) => {
        durations.set(durationClass, (durations.get(durationClass) ?? 0) + (numbers?.[row]?.[index] ?? 0));
      });
    });
  }
  return { counts, total: sum, duration_ms: durationsOf(durations) };
}

/** Of all these commands, and of each interval in which one ended. */
export function tallyOf(counted: readonly Counted[]) {
  const byTime = [...groupBy(counted, ({ at }) => at)].sort(([one], [other]) => one - other);
  const points = byTime.map(([at, some]) => ({ at: new Date(at).toISOString(), ...figuresOf(some) }));
  return { ...figuresOf(counted), points };
}

/** The largest first. Beyond the largest ones, and what was not counted by name, is in one group. */
export function groupsOf(found: readonly Counted[]) {
  const counted = found.filter(({ total }) => total > 0);
  const withName = counted.filter(({ is_other }) => !is_other);
  const named = [...groupBy(withName, ({ value }) => value)]
    .map(([value, some]) => ({ value, total: some.reduce((sum, { total }) => sum + total, 0) }))
    .sort(largestFirst);
  const largest = new Set(named.slice(0, MAX_FIGURE_GROUPS).map(({ value }) => value));
  const groups = groupBy(counted, ({ value, is_other }) => (!is_other && largest.has(value) ? value : OTHER));
  return [...groups]
    .map(([value, some]) => ({ value, is_other: value === OTHER, ...tallyOf(some) }))
    .sort(largestFirst);
}

/** No value of a property. */
const OTHER = Symbol('other');

type Sized = { value: string | null | symbol; total: number };

const largestFirst = (one: Sized, other: Sized) =>
  other.total - one.total || (String(one.value) < String(other.value) ? -1 : 1);

export function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
