import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { atEnd, newKeyring, signedRequest, startNode, temporaryFolder, unlimited } from '@tenant-open-platform/testing';
import { freePort } from '@tenant-open-platform/testing/free-port';
import { ownNats } from '@tenant-open-platform/testing/private-nats';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { startExporter } from '@tenant-open-platform/testing/start-exporter';
import { startPrometheus } from '@tenant-open-platform/testing/start-prometheus';
import connect from 'postgres';
import { expect, vi } from 'vitest';
import { runMove, startCell } from './support/cells.js';
import { COMMANDS, newCommand } from './support/commands.js';
import { freeze, lockTable, repeat, testFaults } from './support/on-call.js';

const MAX_FILES = 256;
const ME = '/api/v1/open/me';
const EVENTS = '/api/v1/open/events';

/** The server, in a process that may open so many files. */
function serverWithFiles(limit: number): string {
  const file = join(temporaryFolder(), 'main.mjs');
  const server = new URL('../dist/main.js', import.meta.url);
  writeFileSync(
    file,
    `import { execFileSync } from 'node:child_process';
    execFileSync('prlimit', ['--pid', String(process.pid), '--nofile=${limit}:${limit}']);
    process.argv[1] = ${JSON.stringify(server.pathname)};
    await import(${JSON.stringify(server.href)});`,
  );
  return file;
}

const [postgres, nats] = await Promise.all([ownPostgres(), ownNats()]);
const environment = { ...unlimited, DATABASE_URL: postgres.url, NATS_URL: nats.url, KEYRING: newKeyring() };
const worker = await startNode({ ...environment, ROLE: 'worker' });
const ofApi = { ...environment, ROLE: 'api', DATA_DIR: worker.folder };
const api = await startNode(ofApi, serverWithFiles(MAX_FILES));
const PROBES_PORT = String(await freePort());
const modest = await startNode({
  ...ofApi,
  PROBES_PORT,
  MAX_CONNECTIONS_PER_ADDRESS: '5',
  REQUESTS_PER_MINUTE: '600',
  CHANGE_BYTES_PER_DAY_PER_TENANT: '65536',
});
const demo = { ...worker.demo, base_url: api.baseUrl };
const ofModest = { ...demo, base_url: modest.baseUrl };
const platformAdmin = { ...worker.admin, base_url: api.baseUrl };

/** The proxy in front of the platform, for its certificate. */
const folder = temporaryFolder();
const certificate = (days: number) => {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const named = ['-subj', '/CN=localhost', '-days', String(days), '-keyout', key, '-out', cert];
  execFileSync('openssl', [...made, ...named], { stdio: 'ignore' });
  return { key: readFileSync(key), cert: readFileSync(cert) };
};
const proxy = createServer(certificate(90), (_req, res) => void res.setHeader('Connection', 'close').end());
await once(proxy.listen(0, '127.0.0.1'), 'listening');
atEnd(() => proxy.close());
const modules = join(folder, 'blackbox.yaml');
const tls = 'tls_config: { insecure_skip_verify: true }';
writeFileSync(modules, `modules: { http_2xx: { prober: http, http: { ${tls} } } }`);
const exporter = await startExporter('prometheus-blackbox-exporter', [`--config.file=${modules}`]);
const url = `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`;

const prometheus = await startPrometheus([api.baseUrl, worker.baseUrl, `http://127.0.0.1:${PROBES_PORT}`], {
  blackbox: { exporter, url },
  isShortened: true,
});

const sendCommand = () => {
  const command = { vendor: 'vendor_a', device_id: 'ok-1', command_type: 'reboot', payload: {} };
  return signedRequest(demo, 'POST', COMMANDS, { body: { ...command, idempotency_key: randomUUID() } });
};

/** As a copy of the database that was put back with its witness: nothing shows it but cursors. */
async function loseHistory(): Promise<void> {
  const superuser = connect(postgres.superuserUrl, { max: 1, onnotice: () => {} });
  await superuser`update database_generations set id = gen_random_uuid() where shared_until is null`;
  await superuser`select pg_notify('top_signals', '{"from":"","topics":["generation"]}')`;
  await superuser.end();
}

/** Closes a tenant as a move does, and kills the command. Returns how to open the tenant again. */
async function closeTenant(tenant_id: string) {
  const body = { tenant_id, name: tenant_id };
  const { status, raw } = await signedRequest(platformAdmin, 'POST', '/api/v1/platform/tenants', { body });
  if (status !== 201) throw new Error(raw);
  const target = await startCell();
  const run = (args: string[], step?: string) => runMove({ environment }, target, [tenant_id, ...args], step);
  await run(['--to-url', target.baseUrl], 'nothing is under way');
  return () => run(['--undo']);
}

/** Longer than the windows and waits of the alerts that count failures. */
const PLANNED_MOVE_MS = 70_000;

testFaults(prometheus, [
  {
    fault: 'a tenant that moves, whose requests fire no alert; then the command is forgotten',
    alerts: { TopTenantClosed: 120 },
    begin: async () => {
      const undo = await closeTenant('acme');
      const role = { body: { scopes: ['open:event:read'] } };
      const stop = repeat(100, () =>
        signedRequest(platformAdmin, 'PUT', '/api/v1/platform/tenants/acme/roles/r', role),
      );
      await delay(PLANNED_MOVE_MS);
      expect((await prometheus.ask('alerts')).alerts).toEqual([]);
      const superuser = connect(postgres.superuserUrl, { max: 1 });
      await superuser`update tenants set move = move || '{"closed_at": "2026-01-01T00:00:00Z"}' where status = 'MOVING'`;
      await superuser.end();
      return () => Promise.all([undo(), stop()]);
    },
  },
  {
    fault: 'a history that was lost with its witness',
    alerts: { TopHistoryLost: 30 },
    begin: async () => {
      const { body } = await signedRequest(demo, 'GET', `${EVENTS}?from=now`);
      await loseHistory();
      return repeat(1_000, () => signedRequest(demo, 'GET', `${EVENTS}?cursor=${body.next_cursor}`));
    },
  },
  {
    fault: 'an expiring certificate of the proxy',
    alerts: { TopCertificateExpires: 30 },
    begin: async () => {
      proxy.setSecureContext(certificate(3));
      return () => proxy.setSecureContext(certificate(90));
    },
  },
  {
    fault: 'a caller with an old secret',
    alerts: { TopAuthenticationsFail: 60 },
    begin: async () => {
      const caller = { ...demo, secret: randomUUID().repeat(2) };
      return repeat(100, () => signedRequest(caller, 'GET', ME));
    },
  },
  {
    fault: 'a credential over its rate limit',
    alerts: { TopRequestsOverQuota: 60 },
    begin: async () => repeat(40, () => signedRequest(ofModest, 'GET', ME)),
  },
  {
    fault: 'a tenant over the bytes of a day',
    alerts: { TopRequestsOverQuota: 90 },
    begin: async () => {
      const body = { client_id: demo.client_id, scope: 'open:callback:create' };
      const { status, raw } = await signedRequest(platformAdmin, 'POST', '/api/v1/platform/tenants/demo/policies', {
        body,
      });
      if (status !== 201) throw new Error(raw);
      return repeat(200, () => {
        const body = { name: randomUUID(), url: `https://hooks.acme.example/${'a'.repeat(1_900)}` };
        const headers = { 'Idempotency-Key': randomUUID() };
        return signedRequest(ofModest, 'POST', '/api/v1/open/callbacks/endpoints', { body, headers });
      });
    },
  },
  {
    fault: 'an address with more waiting requests than connections',
    alerts: { TopConnectionsRefused: 60 },
    begin: async () => {
      const target = `${COMMANDS}/${await newCommand(demo, { timeout_seconds: 60 })}?wait_seconds=10`;
      return repeat(500, () => signedRequest(ofModest, 'GET', target));
    },
  },
  {
    fault: 'a process that gets a tenth of a core',
    alerts: { TopEventLoopBlocked: 60 },
    begin: async () =>
      repeat(1_000, async () => {
        const wake = await freeze(modest.process.pid as number);
        await delay(900);
        wake();
      }),
  },
  {
    fault: 'an api with few file descriptors and many waiting requests',
    alerts: { TopFileDescriptorsLow: 60 },
    begin: async () => {
      const metrics = await (await fetch(`${api.baseUrl}/metrics`)).text();
      const before = Number(/^process_open_fds (\d+)/m.exec(metrics)?.[1]);
      const target = `${COMMANDS}/${await newCommand(demo, { timeout_seconds: 300 })}?wait_seconds=30`;
      const waits = Array.from({ length: Math.ceil(0.9 * MAX_FILES) - before }, () =>
        repeat(31_000, () => signedRequest(demo, 'GET', target)),
      );
      return async () => void (await Promise.all(waits.map((stop) => stop())));
    },
  },
  {
    fault: 'a table locked, under load',
    alerts: { TopErrors: 60, TopCommandsSlow: 60 },
    load: async () => repeat(250, sendCommand),
    begin: () => lockTable(postgres, 'commands'),
  },
  {
    fault: 'a session of Postgres killed while it stores a command',
    alerts: { TopInternalErrors: 60 },
    begin: async () => {
      await newCommand(demo);
      const unlock = await lockTable(postgres, 'commands');
      const superuser = connect(postgres.superuserUrl, { max: 1 });
      const answer = sendCommand();
      const waiting = async () => {
        const query = superuser`
          select pid from pg_stat_activity
          where wait_event_type = 'Lock' and usename = 'platform' and query ilike '%admit%'`;
        const [found] = await query;
        return (found as { pid: number } | undefined)?.pid ?? Promise.reject(new Error('Nobody waits.'));
      };
      process.kill(await vi.waitFor(waiting, { timeout: 10_000, interval: 20 }), 'SIGKILL');
      await answer;
      return () => Promise.allSettled([unlock(), superuser.end()]);
    },
  },
  {
    fault: 'a purge that waits for a lock',
    alerts: { TopMaintenanceStuck: 160 },
    begin: () => lockTable(postgres, 'object_grants'),
  },
]);
