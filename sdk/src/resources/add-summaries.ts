import type { CommandCounts, CommandGroup, CommandSummary } from '../api.gen.js';

/** The sum of two answers, with what else the later one has. */
export function addSummaries(sum: CommandSummary, later: CommandSummary): CommandSummary {
  const counts = addCounts(sum.counts, later.counts);
  const groups = later.groups && { groups: addGroups([...(sum.groups ?? []), ...later.groups]) };
  return { ...later, counts, total: sum.total + later.total, ...groups };
}

/** One group for the same values, the largest first. */
function addGroups(groups: readonly CommandGroup[]): CommandGroup[] {
  const sums = new Map<string, CommandGroup>();
  for (const group of groups) {
    const { counts, total, ...values } = group;
    const key = JSON.stringify(values);
    const sum = sums.get(key);
    sums.set(key, sum ? { ...sum, counts: addCounts(sum.counts, counts), total: sum.total + total } : group);
  }
  return [...sums.values()].sort((one, other) => other.total - one.total);
}

function addCounts(sum: CommandCounts, later: CommandCounts): CommandCounts {
  const counts: Record<string, number> = { ...sum };
  for (const [status, count] of Object.entries(later)) counts[status] = (counts[status] ?? 0) + count;
  return counts as unknown as CommandCounts;
}
