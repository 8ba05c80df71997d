import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { serveVendor } from '@tenant-open-platform/sdk/adapter';
import {
  atEnd,
  databaseFolder,
  newKeyring,
  type Profile,
  signedRequest,
  startNode,
  type TestNode,
  temporaryFolder,
  unlimited,
} from '@tenant-open-platform/testing';
import { freePort } from '@tenant-open-platform/testing/free-port';
import { ownNats, type PrivateNats } from '@tenant-open-platform/testing/private-nats';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { openSession } from './open-pool.js';
import type { DatabaseAddress } from './stored.js';
import { untilServed } from './until-served.js';

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** A platform with a database, a nats-server and a keyring of its own. */
export type Cell = Awaited<ReturnType<typeof startOn>>;
export type PostgresCell = Awaited<ReturnType<typeof startCell>>;

/** A cell on a Postgres of its own. */
export async function startCell(settings: Record<string, string> = {}) {
  const postgres = await ownPostgres();
  const environment = { DATA_DIR: temporaryFolder(), DATABASE_URL: postgres.url, KEYRING: newKeyring(), ...settings };
  const cell = await startOn(environment, postgres.url);
  return { ...cell, postgres, owner: openSession(postgres.superuserUrl, { max: 2 }) };
}

/** A cell with the embedded database. */
export function startEmbeddedCell(): Promise<Cell> {
  const DATA_DIR = databaseFolder();
  return startOn({ DATA_DIR }, { path: join(DATA_DIR, 'database.sock'), user: 'postgres' });
}

export async function startOn(own: Record<string, string>, database: DatabaseAddress, given?: PrivateNats) {
  const nats = given ?? (await ownNats());
  const environment: Record<string, string> = {
    ...unlimited,
    NATS_URL: nats.url,
    PORT: String(await freePort()),
    ...own,
  };
  const node: TestNode = await startNode(environment);
  const { admin, baseUrl } = node;
  const call = async (method: string, path: string, body?: object, caller: Profile = admin) => {
    const target = `/api/v1/${path}`;
    const headers = { 'Idempotency-Key': randomUUID() };
    const options = { node: baseUrl, headers, ...(body && { body }) };
    const answer = await untilServed(() => signedRequest(caller, method, target, options));
    if (answer.status >= 300) throw new Error(`${method} ${target} answered ${answer.status}: ${answer.raw}`);
    return answer.body;
  };
  return {
    environment,
    database,
    nats,
    admin,
    baseUrl,
    call,
    node,
    stderr: node.stderr,
    kill: () => node.process.kill('SIGKILL'),
    /** A credential of the tenant with this role. */
    async newProfile(tenant_id: string, role: string, client_id = `${tenant_id}-${role}`): Promise<Profile> {
      const tenant = `platform/tenants/${tenant_id}`;
      const { secret } = await call('POST', `${tenant}/credentials`, { client_id, name: role });
      await call('POST', `${tenant}/role-bindings`, { client_id, role });
      return { base_url: baseUrl, tenant_id, client_id, secret };
    },
    /** An adapter of one tenant. `ran`: gets the commands that its devices carry out, as often as they do. */
    async serve(tenantId: string, ran: string[] = [], takesMs = 0): Promise<void> {
      const adapter = await serveVendor({
        servers: nats.url,
        tenantId,
        vendor: 'vendor_a',
        concurrency: 200,
        log: () => {},
        async onCommand({ command_id }) {
          ran.push(command_id);
          if (takesMs > 0) await delay(takesMs);
        },
      });
      atEnd(() => adapter.stop());
    },
  };
}

type Ended = { exitCode: number | null; stdout: string; stderr: string };

/** Loaded into the command: kills it a millisecond after the line, however long this process takes to read the line. */
const killAt = (step: string) => `
  const { error } = console;
  const kill = () => process.kill(process.pid, 'SIGKILL');
  console.error = (line) => {
    error(line);
    if (line.includes(${JSON.stringify(step)})) setTimeout(kill, 1);
  };`;

/**
 * `move-tenant` from one cell to another one. At the first line on stderr that contains `step`, it is killed, or `act`
 * called, which reads what the command has said so far.
 */
export async function runMove(
  from: Pick<Cell, 'environment'>,
  to: Pick<Cell, 'environment'>,
  args: string[],
  step?: string,
  act?: (said: () => string) => Promise<void>,
): Promise<Ended> {
  const { PATH, HOME, TMPDIR } = process.env;
  const isKilled = step !== undefined && act === undefined;
  const NODE_OPTIONS = isKilled ? `--import=data:text/javascript,${encodeURIComponent(killAt(step))}` : '';
  const env = { PATH, HOME, TMPDIR, NODE_OPTIONS, ...from.environment, ...targetOf(to) };
  const mover: ChildProcess = spawn(process.execPath, [main, 'move-tenant', ...args], { env });
  let stdout = '';
  let stderr = '';
  let acting: Promise<void> | undefined;
  mover.stdout?.on('data', (text) => {
    stdout += text;
  });
  mover.stderr?.on('data', (text) => {
    stderr += text;
    if (act && step !== undefined && stderr.includes(step)) acting ??= act(() => stderr);
  });
  const [exitCode] = await once(mover, 'close');
  await acting;
  return { exitCode, stdout, stderr };
}

const targetOf = ({ environment: { DATABASE_URL, KEYRING, DATA_DIR } }: Pick<Cell, 'environment'>) =>
  DATABASE_URL ? { TO_DATABASE_URL: DATABASE_URL, TO_KEYRING: KEYRING } : { TO_DATA_DIR: DATA_DIR };

export async function move(
  from: Pick<Cell, 'environment'>,
  to: Pick<Cell, 'environment' | 'baseUrl'>,
  tenantId: string,
): Promise<Ended> {
  const moved = await runMove(from, to, [tenantId, '--to-url', to.baseUrl]);
  if (moved.exitCode !== 0) throw new Error(moved.stderr);
  return moved;
}
