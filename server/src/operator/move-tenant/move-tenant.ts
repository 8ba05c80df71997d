import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { Config } from '../../config.js';
import { openBus } from '../../engines.js';
import { onMigratingConnection, openDatabase } from '../../foundation/database/database.js';
import { appliedHashes, missingMigrations } from '../../foundation/database/migrate.js';
import { waitForPostgres } from '../../foundation/database/startup-problem.js';
import { openKeyring } from '../../foundation/secrets/keyring.js';
import { topics } from '../../foundation/signals/signals.js';
import { StartupError } from '../../foundation/startup-error.js';
import type { Move } from '../../foundation/tables.js';
import { createLogger } from '../../foundation/telemetry/logger.js';
import { isDatabaseUrl } from '../../foundation/urls.js';
import type { Bus } from '../../pipeline/bus/bus.js';
import { check, checkNames, readMoving, readNames } from './check.js';
import { type Copying, copyRows } from './copy-rows.js';
import { copyOrigins, shiftOf } from './origins.js';
import { CONTINUE, type Place, placeOf } from './place.js';
import { isQuiet, readOpen, untilEarlierTransactionsEnded, untilQuiet } from './quiet.js';
import { advance, close, giveBack, leave, open, readLogEnd, readTenant, reopen, reserve } from './steps.js';
import { verify } from './verify.js';

const USAGE = `Usage: move-tenant <tenant_id> --to-url <https://…> [--plan]
       move-tenant <tenant_id> --undo
The environment has the settings of the source as for its nodes, and of the target TO_DATABASE_URL and TO_KEYRING_FILE, TO_KEYRING_COMMAND or TO_KEYRING.`;

const POOL_SIZE = 4;

/** Everything that goes on is said on stderr. Returns the line to print. */
export async function moveTenant(config: Config, env: NodeJS.ProcessEnv, args: string[]): Promise<string> {
  const { tenantId, toUrl, isPlan, isUndo } = readArguments(args);
  const { DATABASE_URL: url } = config;
  const toDatabaseUrl = env.TO_DATABASE_URL;
  if (!url) throw wrong('DATABASE_URL of the source is missing: the embedded database belongs to its process alone');
  if (!toDatabaseUrl || !isDatabaseUrl(toDatabaseUrl)) throw wrong('TO_DATABASE_URL must be a postgres:// URL');
  if ((await fingerprintOf(url)) !== (await fingerprintOf(toDatabaseUrl))) {
    throw new StartupError('Source and target have different migrations. Upgrade both to one version first.');
  }
  const toKeyring = {
    DATABASE_URL: toDatabaseUrl,
    KEYRING_FILE: env.TO_KEYRING_FILE,
    KEYRING: env.TO_KEYRING,
    KEYRING_COMMAND: env.TO_KEYRING_COMMAND,
    DATA_DIR: config.DATA_DIR,
  };
  if (!toKeyring.KEYRING_FILE && !toKeyring.KEYRING && !toKeyring.KEYRING_COMMAND)
    throw wrong('TO_KEYRING_FILE is missing');
  const closing: (() => Promise<void>)[] = [];
  const openPlace = async (name: Place['name'], url: string, keyringOf: Parameters<typeof openKeyring>[0]) => {
    const database = await openDatabase({ DATABASE_URL: url, DATABASE_POOL_SIZE: POOL_SIZE, DATA_DIR: '' });
    closing.push(database.close);
    return placeOf({ name, url, database, keyring: await openKeyring(keyringOf, database) }, tenantId);
  };
  try {
    const source = await openPlace('source', url, config);
    const target = await openPlace('target', toDatabaseUrl, toKeyring);
    closing.push(await lockMove(source));
    if (isUndo) return await undo(source, target);
    const moving = { source, target, toUrl: toUrl ?? '' };
    if (isPlan) return await plan(moving);
    if (!config.NATS_URL) throw wrong('NATS_URL of the source is missing: nothing of the tenant may wait on its bus');
    const bus = await openBus(config, createLogger(config.LOG_LEVEL));
    closing.push(() => bus.close());
    return await move(moving, bus);
  } finally {
    for (const end of closing.reverse()) await end();
  }
}

const wrong = (problem: string) => new StartupError(`move-tenant: ${problem}. ${USAGE}`);

function readArguments(args: string[]) {
  const { positionals, values } = parse(args);
  const [tenantId, ...others] = positionals;
  const { 'to-url': toUrl, plan: isPlan, undo: isUndo } = values;
  if (tenantId === undefined || others.length > 0) throw wrong('name one tenant');
  if (isPlan && isUndo) throw wrong('--plan and --undo exclude each other');
  const isUrl = toUrl !== undefined && /^https?:\/\//.test(toUrl) && URL.canParse(toUrl);
  if (!isUndo && !isUrl) throw wrong('--to-url must be the address of the target, such as https://cell-b.example.com');
  return { tenantId, toUrl: toUrl?.replace(/\/+$/, ''), isPlan, isUndo };
}

function parse(args: string[]) {
  const flag = { type: 'boolean', default: false } as const;
  try {
    const options = { 'to-url': { type: 'string' }, plan: flag, undo: flag } as const;
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    throw wrong((error as Error).message.replaceAll('\n', ' '));
  }
}

/** What both must have in common. */
async function fingerprintOf(url: string): Promise<string> {
  let fingerprint = '';
  await waitForPostgres(url, () =>
    onMigratingConnection(url, async (sql) => {
      const missing = await missingMigrations(sql);
      if (missing.length > 0) {
        throw new StartupError(
          `A database lacks migrations (${missing.map(({ name }) => name).join(', ')}). Start its platform first.`,
        );
      }
      fingerprint = (await appliedHashes(sql)).join();
    }),
  );
  return fingerprint;
}

/** One command for a tenant at a time. The lock ends with the connection; what a frozen command does then is refused. */
async function lockMove({ database, tenantId }: Place): Promise<() => Promise<void>> {
  const connection = await database.sql.reserve();
  const [lock] = await connection<{ isLocked: boolean }[]>`
    select pg_try_advisory_lock(hashtextextended(${`move-tenant ${tenantId}`}, 0)) as "isLocked"`;
  if (!lock?.isLocked) {
    connection.release();
    throw new StartupError(`Another command is moving ${tenantId} now.`);
  }
  return async () => {
    await connection`select pg_advisory_unlock_all()`.catch(() => {});
    connection.release();
  };
}

type Moving = { source: Place; target: Place; toUrl: string };

const say = (line: string) => console.error(`${new Date().toISOString()} ${line}`);

async function plan({ source, target }: Moving): Promise<string> {
  const tenant = await readMoving(source);
  if (tenant.status === 'MOVED') return hasMoved(tenant.move?.to);
  await check({ source, target }, tenant);
  const { commands, until } = await readOpen(source, null);
  const last = until === null ? '' : `; the last one ends at ${new Date(until).toISOString()} at the latest`;
  return `${source.tenantId} can move. Nothing has changed. Open commands now: ${commands}${last}.`;
}

const hasMoved = (to: string | undefined) => `The tenant has moved to ${to}.`;

async function move(moving: Moving, bus: Bus): Promise<string> {
  const { source, target, toUrl } = moving;
  const { tenantId } = source;
  const before = await readMoving(source);
  if (before.status === 'MOVED') return hasMoved(before.move?.to);
  // After the switch nothing may hold it up.
  if (before.move?.step !== 'SWITCHING') await check(moving, before);
  if (before.status === 'ACTIVE' || before.status === 'DISABLED') {
    await close(source, { id: randomUUID(), to: toUrl, status: before.status });
  }
  say(`closed: requests of ${tenantId} get 503`);
  const tenant = await readMoving(source);
  const { id, to, status = 'ACTIVE', closed_at } = tenant.move as Move;
  if (tenant.move?.step === 'UNDOING') throw new StartupError('The move is being undone. Run the command with --undo.');
  if (to !== toUrl) throw new StartupError(`The tenant is moving to ${to}. Name that address, or undo the move.`);
  if (tenant.move?.step !== 'SWITCHING') {
    const names = await readNames(source);
    await reserve(target, tenant, names);
    const now = (await readTenant(source))?.move;
    if (now?.id !== id || now.step === 'UNDOING') {
      // This command was frozen meanwhile. The target must not stay reserved.
      await giveBack(target, id);
      await target.notify(topics.deletion);
      throw new StartupError('The move was undone meanwhile.');
    }
    await checkNames(target, names);
    const logEnd = await untilFrozen(source, bus, id);
    say('nothing is under way: the rows are copied');
    const shift = await shiftOf(source, target, logEnd);
    const copying: Copying = { source, target, moveId: id, shift, say };
    await copyOrigins(copying, logEnd);
    await copyRows(copying);
    await verify(copying);
    await advance(source, id, ['COPYING'], { step: 'SWITCHING' });
  }
  say('switching: from here on the move cannot be undone');
  await open(target, { id, status });
  const seconds = (Date.now() - Date.parse(closed_at ?? '')) / 1_000;
  // Before the last step: if the command is killed here, the next one says so again, and the durables do not wait for it.
  await target.notify(topics.busAccess);
  say('the target is open');
  await leave(source, id);
  await source.notify(topics.deletion);
  return `${tenantId} has moved to ${to}. It answered 503 for ${seconds.toFixed(1)} seconds. For one more minute the old address answers 503, then TENANT_MOVED.`;
}

/**
 * Waits until nothing of the tenant is under way, and nothing but the move can change its rows. Returns the end of the
 * log.
 */
async function untilFrozen(source: Place, bus: Bus, id: string): Promise<string> {
  for (let isFirst = true; ; isFirst = false) {
    const { id: now, step } = (await readTenant(source))?.move ?? {};
    if (now !== id || (step !== 'CLOSING' && step !== 'COPYING'))
      throw new StartupError('The move was undone meanwhile.');
    if (step === 'CLOSING') {
      await untilEarlierTransactionsEnded(source);
      await untilQuiet(source, bus, say);
      await advance(source, id, ['CLOSING'], { step: 'COPYING', log_end: await readLogEnd(source) });
    }
    await untilEarlierTransactionsEnded(source);
    if (isQuiet(await readOpen(source, null))) return (await readTenant(source))?.move?.log_end ?? '0';
    // Rows may be copied already.
    if (step !== 'CLOSING' || !isFirst) throw new StartupError(`A request was admitted late. ${CONTINUE}`);
    await advance(source, id, ['COPYING'], { step: 'CLOSING' });
  }
}

async function undo(source: Place, target: Place): Promise<string> {
  const tenant = await readMoving(source);
  const { step, id } = tenant.move ?? {};
  if (tenant.status === 'MOVED' || step === 'SWITCHING') {
    throw new StartupError(
      'The tenant has been switched: the move cannot be undone. Move it back with the platforms exchanged.',
    );
  }
  if (tenant.status !== 'MOVING' || id === undefined) return `${source.tenantId} is not moving.`;
  await advance(source, id, ['CLOSING', 'COPYING', 'UNDOING'], { step: 'UNDOING' });
  await giveBack(target, id);
  await target.notify(topics.deletion);
  await reopen(source, id);
  return `${source.tenantId} is open again. The target deletes what was copied.`;
}
