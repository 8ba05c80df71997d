import { randomUUID } from 'node:crypto';
import { allOperations } from '@tenant-open-platform/contract';
import type { Platform } from './platform.js';
import { median, type Run } from './results.js';
import { type Profile, post, sign } from './sign.js';

const PAGES = 5;
const pathValues: Record<string, string> = { ':tenant_id': 'demo', ':vendor': 'vendor_a' };

const hourAgo = () => new Date(Date.now() - 3_600_000).toISOString();
const minuteAgo = () => new Date(Date.now() - 60_000).toISOString();

/** Values for filters that are not enumerations: one that many rows have, and one that few or none have. */
const filterValues: Record<string, () => string[]> = {
  vendor: () => ['vendor_a', 'vendor_b'],
  device_id: () => ['device-7', 'device-none'],
  command_type: () => ['reboot', 'set_power'],
  request_type: () => ['firmware_check', 'none'],
  idempotency_key: () => ['filled-7', 'none'],
  client_id: () => ['filled-7', 'none'],
  operation: () => ['commands.create', 'roles.put'],
  command_id: () => [randomUUID()],
  credential_id: () => [randomUUID()],
  parked_after: () => [hourAgo(), minuteAgo()],
  parked_before: () => [hourAgo(), minuteAgo()],
  accepted_after: () => [hourAgo(), minuteAgo()],
  accepted_before: () => [hourAgo(), minuteAgo()],
  received_after: () => [hourAgo(), minuteAgo()],
  received_before: () => [hourAgo(), minuteAgo()],
  occurred_after: () => [hourAgo(), minuteAgo()],
  occurred_before: () => [hourAgo(), minuteAgo()],
};
const noFilters = new Set(['limit', 'cursor', 'wait_seconds']);

/** Milliseconds for a page of every list of the contract, without a filter and with each of its filters. */
export async function measureLists(platform: Platform): Promise<Run> {
  const readers = { platform: platform.admin, open: await createReader(platform) };
  const run: Run = {};
  for (const { name, route } of allOperations) {
    const path = route.path.replace(/:\w+/g, (parameter) => pathValues[parameter] ?? parameter);
    // A list of a single record's children, such as the subscriptions of an endpoint, is short because of a platform
    // limit.
    if (!('query' in route) || !isList(route.query) || path.includes(':')) continue;
    const reader = path.startsWith('/api/v1/platform/') ? readers.platform : readers.open;
    for (const [filter, value] of [['', ''], ...filtersOf(name, route.query)] as const) {
      const target = filter === '' ? path : `${path}?${filter}=${encodeURIComponent(value)}`;
      const { status, ms } = await pageOf(platform.baseUrl, reader, target);
      const row = `${name}${filter && ` by ${filter}`}${status === 200 ? '' : ` (${status})`} ms`;
      run[row] = Math.max(run[row] ?? 0, ms);
    }
  }
  return { 'slowest list ms': Math.max(...Object.values(run)), ...run };
}

/** The part of a zod object that is needed here. */
type Query = { shape: Record<string, { unwrap: () => { options?: string[] } }> };

const isList = (query: unknown): query is Query => 'limit' in ((query as Partial<Query> | undefined)?.shape ?? {});

function filtersOf(name: string, { shape }: Query): [filter: string, value: string][] {
  const filters = Object.entries(shape).filter(([filter]) => !noFilters.has(filter));
  return filters.flatMap(([filter, type]) => {
    const values = type.unwrap().options ?? filterValues[filter]?.();
    if (!values) throw new Error(`lists.ts has no value for the filter ${filter} of ${name}.`);
    return values.map((value): [string, string] => [filter, value]);
  });
}

async function pageOf(baseUrl: string, reader: Profile, target: string): Promise<{ status: number; ms: number }> {
  const times: number[] = [];
  let status = 0;
  for (let page = 1; page <= PAGES; page++) {
    const startedAt = performance.now();
    const answer = await fetch(baseUrl + target, { headers: sign(reader, 'GET', target) });
    await answer.arrayBuffer();
    times.push(performance.now() - startedAt);
    status = answer.status;
  }
  return { status, ms: median(times) };
}

/** A credential that may read everything of a tenant. */
async function createReader({ baseUrl, admin }: Platform): Promise<Profile> {
  const tenant = '/api/v1/platform/tenants/demo';
  const { secret = '' } = await post(baseUrl, admin, `${tenant}/credentials`, {
    client_id: 'bench-reader',
    name: 'Reader',
  });
  for (const role of ['tenant_admin', 'integration_operator']) {
    await post(baseUrl, admin, `${tenant}/role-bindings`, { client_id: 'bench-reader', role });
  }
  return { tenant_id: 'demo', client_id: 'bench-reader', secret };
}
