import type { TenantOpenPlatform } from '@tenant-open-platform/sdk';
import type { Invocation } from '../invocation.js';
import type { Field } from './field.js';

const MILLISECONDS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export const sinceField = {
  kind: 'text',
  description: 'Begin this long ago: a number and the unit s, m, h or d, such as 10m.',
} as const satisfies Field;

/** The instant that `10m` or `2h` ago was, on the platform's clock. */
export async function instantOf(invocation: Invocation, client: TenantOpenPlatform, since: string): Promise<Date> {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(since) ?? [];
  if (count === undefined) throw invocation.usageError('--since must be a number with s, m, h or d, such as 10m');
  const { server_time } = await client.me.get();
  return new Date(Date.parse(server_time) - Number(count) * (MILLISECONDS[unit] ?? 0));
}
