import type { TenantOpenPlatform } from '@tenant-open-platform/sdk';
import type { Invocation } from '../invocation.js';
import type { Field } from './field.js';

const MILLISECONDS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export const sinceField = {
  kind: 'text',
  description: 'Begin this long ago: a number and the unit s, m, h or d, such as 10m.',
} as const satisfies Field;

const SPAN = /^(\d{1,6})([smhd])$/;

/** The instant that `10m` or `2h` ago was, on the platform's clock. */
export async function instantOf(invocation: Invocation, client: TenantOpenPlatform, since: string): Promise<Date> {
  const [, count, unit = ''] = SPAN.exec(since) ?? [];
  if (count === undefined) throw invocation.usageError('--since must be a number with s, m, h or d, such as 10m');
  const { server_time } = await client.me.get();
  return new Date(Date.parse(server_time) - Number(count) * (MILLISECONDS[unit] ?? 0));
}

/** An instant of RFC 3339, or a duration before now. */
export async function instantAt(invocation: Invocation, client: TenantOpenPlatform, at: string): Promise<Date> {
  if (SPAN.test(at)) return instantOf(invocation, client, at);
  const instant = new Date(/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(at) ? at : Number.NaN);
  if (!Number.isNaN(instant.getTime())) return instant;
  throw invocation.usageError('--at must be a time such as 2026-01-31T09:30:00Z, or how long ago, such as 2d');
}
