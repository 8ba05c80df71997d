import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { TenantOpenPlatform } from '@tenant-open-platform/sdk';
import { atEnd, startNode, unlimited } from '@tenant-open-platform/testing';
import { startNatsCluster } from '@tenant-open-platform/testing/private-nats';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { expect, test, vi } from 'vitest';
import { createTurns } from '../src/foundation/concurrency/turns.js';
import { newPrincipal } from './support/new-principal.js';
import { startTenantAdapter } from './support/start-tenant-adapter.js';

/** Each has an adapter of its own for one vendor. */
const TENANTS = Number(process.env.TENANTS ?? 1_500);
/** So many of them send commands. */
const SENDERS = 50;
const PER_SECOND = 50;
const IDLE_MS = 20_000;
const LOAD_MS = 20_000;
const DOWN_MS = 30_000;
/** Longer than the 22 seconds that the durables of a killed server have needed for a new leader. */
const TIMEOUT_SECONDS = 120;

const nats = await startNatsCluster();
for (const server of nats) atEnd(server.stop);
const postgres = await ownPostgres();
const NATS_URL = nats.map(({ url }) => url).join(',');
const server = await startNode({ ...unlimited, DATABASE_URL: postgres.url, NATS_URL, TENANTS_PER_PLATFORM: '100000' });
const clientOf = ({ client_id: clientId, secret }: { client_id: string; secret: string }) =>
  new TenantOpenPlatform({ baseUrl: server.baseUrl, clientId, secret });
const admin = clientOf(server.admin);
const connection = await connect({
  servers: nats.map(({ url }) => url),
  maxReconnectAttempts: -1,
  reconnectTimeWait: 250,
});
atEnd(() => connection.close());

const names = Array.from({ length: TENANTS }, (_, number) => `tenant-${number}`);
const inTurn = createTurns({ atOnce: 16, maxWaitMs: 600_000 });
const rows = ['| | CPU of three nats-servers | resident |', '|---|---:|---:|'];

/** Linux counts 100 ticks a second: fields 14 and 15, the third is the first after the name. */
const cpuSeconds = () =>
  nats.reduce((sum, { pid }) => {
    const fields = readFileSync(`/proc/${pid()}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return sum + (Number(fields[11]) + Number(fields[12])) / 100;
  }, 0);
const residentMib = () =>
  nats
    .map(({ pid }) => /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid()}/status`, 'utf8'))?.[1])
    .map((kib) => Math.round(Number(kib) / 1_024))
    .join(' + ');

async function cpuWhile(work: () => Promise<unknown>): Promise<{ cpu: number; seconds: number }> {
  const [before, begunAt] = [cpuSeconds(), performance.now()];
  await work();
  return { cpu: cpuSeconds() - before, seconds: (performance.now() - begunAt) / 1_000 };
}

async function idle(what: string): Promise<number> {
  const { cpu, seconds } = await cpuWhile(() => delay(IDLE_MS));
  rows.push(`| ${what} | ${Math.round((100 * cpu) / seconds)} % of a core | ${residentMib()} MiB |`);
  return cpu / seconds;
}

test(`${TENANTS} tenants with adapters of their own on three nats-servers: each command ends, also when a server is killed`, async () => {
  const begunAt = performance.now();
  const register = async (tenant_id: string) => {
    await admin.tenants.create({ tenant_id, name: tenant_id });
    const principal = newPrincipal({ vendors: ['vendor_a'] });
    return (await admin.busPrincipals.create(tenant_id, principal as never)).problem;
  };
  const problems = await Promise.all(names.map((name) => inTurn('', () => register(name))));
  expect(problems.filter(Boolean)).toEqual([]);
  rows.push(`| registered in ${Math.round((performance.now() - begunAt) / 1_000)} s | | ${residentMib()} MiB |`);
  const counted = async () => (await fetch(`${server.baseUrl}/metrics`)).text();
  await vi.waitFor(
    async () => expect(await counted()).toContain(`top_bus_durables{stream="TOP_COMMANDS"} ${TENANTS}`),
    {
      timeout: 60_000,
    },
  );
  await delay(5_000);
  await idle('nobody reads');

  const client = jetstream(connection);
  const adapters = names.map((name) => startTenantAdapter(client, name, 'vendor_a'));
  await delay(10_000);
  const reading = await idle('each is read, as the kit does');

  const senders = await Promise.all(
    names.slice(0, SENDERS).map(async (name) => {
      const { secret } = await admin.credentials.create(name, { client_id: name, name });
      await admin.roleBindings.create(name, { client_id: name, role: 'integration_operator' });
      return clientOf({ client_id: name, secret });
    }),
  );
  const command = {
    vendor: 'vendor_a',
    device_id: 'pump-1',
    command_type: 'reboot',
    payload: {},
    timeout_seconds: TIMEOUT_SECONDS,
  };
  async function send(forMs: number) {
    const sent: Promise<{ client: TenantOpenPlatform; id: string }>[] = [];
    for (const until = performance.now() + forMs; performance.now() < until; await delay(1_000 / PER_SECOND)) {
      const client = senders[sent.length % SENDERS] as TenantOpenPlatform;
      sent.push(client.commands.create(command).then(({ command_id: id }) => ({ client, id })));
    }
    return Promise.all(sent);
  }
  async function ends(sent: { client: TenantOpenPlatform; id: string }[]): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    const ended = await Promise.all(sent.map(({ client, id }) => inTurn('', () => client.commands.wait(id))));
    for (const { status } of ended) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }
  let sent = 0;
  const { cpu, seconds } = await cpuWhile(async () => {
    const all = await send(LOAD_MS);
    sent = all.length;
    expect(await ends(all)).toEqual({ SUCCEEDED: sent });
  });
  rows.push(
    `| ${PER_SECOND} commands a second | ${(((cpu - reading * seconds) * 1_000) / sent).toFixed(2)} ms a command above that | |`,
  );

  const underFault = send(DOWN_MS + LOAD_MS);
  await delay(5_000);
  process.kill(nats[1]?.pid() as number, 'SIGKILL');
  await nats[1]?.suspend();
  await delay(DOWN_MS);
  await nats[1]?.resume();
  const all = await underFault;
  expect(await ends(all)).toEqual({ SUCCEEDED: all.length });
  rows.push(`| one server killed, for ${DOWN_MS / 1_000} s | ${all.length} commands, all SUCCEEDED | |`);
  console.log(rows.join('\n'));
  await Promise.all(adapters.map((adapter) => adapter.stop()));
}, 900_000);
