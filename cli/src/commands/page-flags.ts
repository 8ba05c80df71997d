import { positiveInteger } from '../flags.js';

/** The most items that the platform puts on one page. */
const MAX_PAGE = 500;

export const limitFlag = ['--limit <count>', 'the most items to print', positiveInteger, 100] as const;
export const allFlag = ['--all', 'print all items, however many'] as const;

export function pageSize({ limit, all }: { limit: number; all?: true }): number {
  return all ? MAX_PAGE : Math.min(limit, MAX_PAGE);
}
