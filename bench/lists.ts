import { randomUUID } from 'node:crypto';
import { allOperations } from '@tenant-open-platform/contract';
import type { Platform } from './platform.js';
import { median, type Run } from './results.js';
import { type Profile, post, sign } from './sign.js';

const PAGES = 5;
const pathValues: Record<string, string> = { ':tenant_id': 'demo', ':vendor': 'vendor_a' };

const hourAgo = () => new Date(Date.now() - 3_600_000).toISOString();
const minuteAgo = () => new Date(Date.now() - 60_000).toISOString();

/** Values for filters that are not enumerations: some that many rows have, and some that few or none have. */
const filterValues: Record<string, () => string[]> = {
  is_final: () => ['true', 'false'],
  has_late_result: () => ['true', 'false'],
  from: () => ['now', minuteAgo()],
  vendor: () => ['vendor_a', 'vendor_b'],
  device_id: () => ['device-7', 'device-none'],
  command_type: () => ['reboot', 'set_power'],
  request_type: () => ['firmware_check', 'none'],
  idempotency_key: () => ['filled-7', 'none'],
  client_id: () => ['filled-7', 'none'],
  created_by_client_id: () => ['demo', 'none'],
  role: () => ['integration_operator', 'none'],
  scope: () => ['open:command:create', 'open:none'],
  operation: () => ['commands.create', 'roles.put'],
  target: () => ['tenants/demo', 'none'],
  source_address: () => ['127.0.0.1', '192.0.2.1'],
  batch_id: () => [randomUUID()],
  command_id: () => [randomUUID()],
  credential_id: () => [randomUUID()],
  parked_after: () => [hourAgo(), minuteAgo()],
  parked_before: () => [hourAgo(), minuteAgo()],
  accepted_after: () => [hourAgo(), minuteAgo()],
  accepted_before: () => [hourAgo(), minuteAgo()],
  completed_after: () => [hourAgo(), minuteAgo()],
  completed_before: () => [hourAgo(), minuteAgo()],
  reason: () => ['UNREACHABLE', 'none'],
  received_after: () => [hourAgo(), minuteAgo()],
  received_before: () => [hourAgo(), minuteAgo()],
  changed_after: () => [hourAgo(), minuteAgo()],
  occurred_after: () => [hourAgo(), minuteAgo()],
  occurred_before: () => [hourAgo(), minuteAgo()],
};
const noFilters = new Set(['limit', 'cursor', 'wait_seconds']);

/** The parts of zod's types that are needed here: of an object, and of an enumeration or a list of its values. */
type Values = { options?: unknown[]; out?: { element?: Values } };
type Query = {
  shape: Record<string, { unwrap: () => Values }>;
  safeParse: (query: unknown) => { success: boolean };
};
type List = { name: string; path: string; query: Query; requests: { filters: string[]; target: string }[] };

const isList = (query: unknown): query is Query => 'limit' in ((query as Partial<Query> | undefined)?.shape ?? {});

/**
 * Every list of the contract with requests for a page: without filters, with each value of each filter, and with each
 * pair of filters.
 */
export function lists(): List[] {
  return allOperations.flatMap(({ name, route }) => {
    const path = route.path.replace(/:\w+/g, (parameter) => pathValues[parameter] ?? parameter);
    // A list of a single record's children, such as the subscriptions of an endpoint, is short because of a platform
    // limit. An export needs a DISABLED tenant.
    if (!('query' in route) || !isList(route.query) || path.includes(':') || name === 'tenants.export') return [];
    const { shape, safeParse } = route.query;
    const filters = Object.entries(shape).filter(([filter]) => !noFilters.has(filter));
    const single = filters.flatMap(([filter, type]) =>
      valuesOf(name, filter, type).map((value) => ({ [filter]: value })),
    );
    const pairs = single.flatMap((one, index) => single.slice(index + 1).map((other) => ({ ...one, ...other })));
    const requests = [{}, ...single, ...pairs]
      // The contract does not allow every pair.
      .filter((query) => Object.keys(query).length < 2 || safeParse(query).success)
      .map((query) => {
        const filters = Object.keys(query);
        return { filters, target: filters.length === 0 ? path : `${path}?${new URLSearchParams(query)}` };
      });
    return [{ name, path, query: route.query, requests }];
  });
}

function valuesOf(name: string, filter: string, type: Query['shape'][string]): string[] {
  const { options, out } = type.unwrap();
  const names = (options ?? out?.element?.options ?? []).filter((option) => typeof option === 'string');
  const values = names.length > 0 ? names : filterValues[filter]?.();
  if (!values) throw new Error(`lists.ts has no value for the filter ${filter} of ${name}.`);
  return values;
}

/** Milliseconds for a page of every list: for each filter, and for two filters, the slowest request. */
export async function measureLists(platform: Platform): Promise<Run> {
  const readers = { platform: platform.admin, open: await createReader(platform) };
  const run: Run = {};
  for (const { name, path, requests } of lists()) {
    const reader = path.startsWith('/api/v1/platform/') ? readers.platform : readers.open;
    for (const { filters, target } of requests) {
      const { status, ms } = await pageOf(platform.baseUrl, reader, target);
      const by = ['', ` by ${filters[0]}`, ' by two filters'][filters.length];
      const row = `${name}${by}${status === 200 ? '' : ` (${status})`} ms`;
      run[row] = Math.max(run[row] ?? 0, ms);
    }
  }
  return { 'slowest list ms': Math.max(...Object.values(run)), ...run };
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
