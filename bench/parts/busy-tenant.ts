import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { allOperations, type Operation } from '@tenant-open-platform/contract';
import type { Build } from '../builds.js';
import { fork, messageOf } from '../node-process.js';
import { type Platform, startPlatform } from '../platform.js';
import { type Measured, median } from '../results.js';
import { call, type Profile, post } from '../sign.js';
import type { Part } from './part.js';

const IN_FLIGHT = 100;
const SECONDS = 4;
const KEPT = 2_000;
const COMMANDS = '/api/v1/open/downlink/commands';
const BATCHES = '/api/v1/open/downlink/command-batches';
const ME = '/api/v1/open/me';
const busyFile = fileURLToPath(new URL('../busy-tenant.mjs', import.meta.url));

export const busyTenant: Part = {
  about: `Each operation of the contract, ${IN_FLIGHT} requests in flight by one tenant without quotas for ${SECONDS} s: its pages have 500 items, its batches as many commands as allowed. Meanwhile another tenant calls \`me.get\` and \`commands.create\` one after the other. Milliseconds to their answers, and the answers of the busy tenant.`,
  hasRatios: false,
  async measure({ builds, ...form }) {
    const measured: Measured = {};
    for (const build of builds) {
      const columns = [
        'me.get p50',
        'me.get p99',
        'commands.create p50',
        'commands.create p99',
        'refused',
        'busy answers/s',
        'of these 2xx',
      ];
      const platform = await startPlatform({ build, ...form });
      const rows = await measure(platform, build);
      await platform.stop();
      for (const [at, column] of columns.entries())
        measured[`${build.name}: ${column}`] = [
          Object.fromEntries(rows.map(([name, values]) => [name, values[at] ?? Number.NaN])),
        ];
    }
    return measured;
  },
};

type Row = [string, number[]];

async function measure(platform: Platform, { name }: Build): Promise<Row[]> {
  const { baseUrl, admin } = platform;
  const tenant = '/api/v1/platform/tenants';
  await platform.startAdapter('platform');
  await post(baseUrl, admin, tenant, { tenant_id: 'calm', name: 'Calm' });
  const created = await post(baseUrl, admin, `${tenant}/calm/credentials`, { client_id: 'calm', name: 'Calm' });
  await post(baseUrl, admin, `${tenant}/calm/role-bindings`, { client_id: 'calm', role: 'integration_operator' });
  const calm = { tenant_id: 'calm', client_id: 'calm', secret: created.secret as string };
  const ids = await prepareBusy(platform);
  const rows: Row[] = [['quiet', await look(platform, calm)]];
  for (const operation of allOperations) {
    console.error(`  ${name}: ${operation.name}`);
    const { child, exited, message } = fork(busyFile, {
      args: [
        JSON.stringify({
          baseUrl,
          profile: callerOf(operation, platform),
          inFlight: IN_FLIGHT,
          ...requestOf(operation, ids),
        }),
      ],
    });
    await message;
    const figures = await look(platform, calm);
    const counted = messageOf(child) as Promise<{ answers: number; successes: number; seconds: number }>;
    child.send('stop');
    const { answers, successes, seconds } = await counted;
    child.kill('SIGKILL');
    await exited;
    rows.push([operation.name, [...figures, answers / seconds, successes / Math.max(1, answers)]]);
    await platform.database.drained();
  }
  rows.push(['quiet again', await look(platform, calm)]);
  return rows;
}

/** Milliseconds: me.get p50 and p99, commands.create p50 and p99; and how many calls were refused. */
async function look({ baseUrl }: Platform, calm: Profile): Promise<number[]> {
  const reads: number[] = [];
  const creations: number[] = [];
  let refused = 0;
  const timed = async (into: number[], send: () => Promise<unknown>) => {
    const begunAt = performance.now();
    await send().catch(() => refused++);
    into.push(performance.now() - begunAt);
  };
  for (const until = performance.now() + SECONDS * 1_000; performance.now() < until; await pause(5)) {
    await timed(reads, () => call(baseUrl, calm, ['GET', ME]));
    await timed(creations, () => post(baseUrl, calm, COMMANDS, commandOf(), 202));
  }
  return [...[reads, creations].flatMap((all) => [median(all), p99(all)]), refused];
}

const p99 = (values: number[]) => values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN;

const commandOf = (idempotency_key: string = randomUUID()) => ({
  vendor: 'vendor_a',
  device_id: 'device-1',
  command_type: 'reboot',
  payload: {},
  idempotency_key,
});

/** The busy tenant may call what a tenant may, and keeps commands. Ids of other objects lead to 404. */
async function prepareBusy({ baseUrl, demo, admin, database }: Platform): Promise<Record<string, string>> {
  const access = `/api/v1/platform/tenants/${demo.tenant_id}/role-bindings`;
  await post(baseUrl, admin, access, { client_id: demo.client_id, role: 'tenant_admin' });
  const batch = () => Array.from({ length: 500 }, () => commandOf());
  const send = () => post(baseUrl, demo, BATCHES, { commands: batch() }, 200) as Promise<unknown>;
  for (let kept = 500; kept < KEPT; kept += 500) await send();
  const { items } = (await send()) as { items: { command_id: string }[] };
  await database.drained();
  await call(baseUrl, admin, ['PUT', '/api/v1/platform/catalog/vendors/busy'], { enabled: true });
  const endpoint = await post(baseUrl, admin, '/api/v1/open/callbacks/endpoints', {
    name: 'Shop',
    url: 'https://hooks.acme.example/top',
  }).catch(() => ({}) as Record<string, string>);
  return {
    tenant_id: demo.tenant_id,
    client_id: demo.client_id,
    vendor: 'busy',
    command_type: 'reboot',
    role: 'integration_reader',
    command_id: items[0]?.command_id ?? '',
    endpoint_id: endpoint.endpoint_id ?? '',
  };
}

const callerOf = ({ route }: Operation, { demo, admin }: Platform) =>
  route.metadata.tenant === 'platform' ? admin : demo;

const uniqueFields = ['tenant_id', 'client_id', 'idempotency_key'];

function requestOf({ name, route }: Operation, ids: Record<string, string>) {
  const path = route.path.replace(/:([a-z_]+)/g, (_, id) => ids[id] ?? randomUUID());
  const query = new URLSearchParams();
  const shape = (route.query as { shape?: object } | undefined)?.shape ?? {};
  if ('limit' in shape) query.set('limit', '500');
  if (name === 'access.explain') query.set('operation', 'commands.create');
  const target = query.size > 0 ? `${path}?${query}` : path;
  return { method: route.method, target, body: bodyOf({ name, route } as Operation) };
}

/** In the text of a body, `{unique}` becomes another text in each request. */
function bodyOf({ name, route }: Operation): string | undefined {
  if (!('body' in route) || route.body === undefined) return undefined;
  const most = route.metadata.largeBody?.items.commands;
  if (name === 'commands.createMany')
    return JSON.stringify({ commands: Array.from({ length: most ?? 1 }, (_, at) => commandOf(`{unique}-${at}`)) });
  if (name === 'commands.create') return JSON.stringify(commandOf('{unique}'));
  const { example = {} } = (route.body as { meta: () => { example?: Record<string, unknown> } }).meta();
  const fields = Object.entries(example).map(([field, value]) => [
    field,
    uniqueFields.includes(field) ? 'b{unique}' : value,
  ]);
  return JSON.stringify(Object.fromEntries(fields));
}
