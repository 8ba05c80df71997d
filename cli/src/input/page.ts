import { MAX_PAGE } from '@tenant-open-platform/contract/facts';
import type { Invocation } from '../invocation.js';
import type { Page } from '../output/render.js';
import type { Field } from './field.js';
import { parseFlag } from './read-input.js';

/** The most items that the platform puts on one page. */

export const pageFields = {
  limit: { kind: 'integer', description: 'Maximum number of items to print.', default: '100' },
  all: { kind: 'switch', description: 'Print all items.' },
} as const satisfies Record<string, Field>;

export function pageOf(invocation: Invocation, flags: Record<string, unknown>): Page {
  const limit = parseFlag(
    invocation,
    'limit',
    pageFields.limit,
    String(flags.limit ?? pageFields.limit.default),
  ) as number;
  if (limit === 0) throw invocation.usageError('--limit must be at least 1');
  return { limit, all: flags.all === true };
}

export function pageSize({ limit, all }: Page): number {
  return all ? MAX_PAGE : Math.min(limit, MAX_PAGE);
}
