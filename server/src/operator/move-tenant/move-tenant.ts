import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Config } from '../../config.js';
import { openBus } from '../../engines.js';
import {
  type Database,
  joinEmbedded,
  onMigratingConnection,
  openDatabase,
} from '../../foundation/database/database.js';
import { hasOwnBus } from '../../foundation/database/embedded.js';
import { lockInDirectory } from '../../foundation/database/lock-in-directory.js';
import { appliedHashes, missingMigrations } from '../../foundation/database/migrate.js';
import { waitForPostgres } from '../../foundation/database/startup-problem.js';
import { openKeyring } from '../../foundation/secrets/keyring.js';
import { topics } from '../../foundation/signals/signals.js';
import { StartupError } from '../../foundation/startup-error.js';
import type { Move } from '../../foundation/tables.js';
import { createLogger } from '../../foundation/telemetry/logger.js';
import { isDatabaseUrl } from '../../foundation/urls.js';
import type { Bus } from '../../pipeline/bus/bus.js';
import { readArguments } from '../arguments.js';
import { check, checkNames, readMoving, readNames } from './check.js';
import { type Copying, copyRows, type Prepared, prepare, readScopes } from './copy-rows.js';
import { copyOrigins, shiftOf } from './origins.js';
import { CONTINUE, type Place, placeOf, say } from './place.js';
import { isQuiet, readOpen, untilEarlierTransactionsEnded, untilOpenCommandsEnded, untilQuiet } from './quiet.js';
import {
  advance,
  close,
  giveBack,
  hasArrived,
  leave,
  open,
  originOf,
  type Reservation,
  readHistory,
  readLogEnd,
  readReservation,
  readTenant,
  reopen,
  reserve,
  type TenantRow,
} from './steps.js';
import { verify } from './verify.js';

const USAGE = `Usage: move-tenant <tenant_id> --to-url <https://…> [--switch <command>] [--plan]
       move-tenant <tenant_id> --undo
The environment has the settings of the source as for its nodes, and of the target TO_DATABASE_URL and TO_KEYRING_FILE, TO_KEYRING_COMMAND or TO_KEYRING. For a platform with an embedded database: its DATA_DIR, or TO_DATA_DIR.`;

/** Everything that goes on is said on stderr. Returns the line to print. */
export async function moveTenant(config: Config, env: NodeJS.ProcessEnv, args: string[]): Promise<string> {
  const { tenantId, toUrl, switchCommand, isPlan, isUndo } = readCommand(args);
  const toSettings = settingsOfTarget(env);
  const closing: (() => Promise<void>)[] = [];
  const openPlace = async (name: Place['name'], settings: Settings) => {
    const database = await openUnchanged(settings);
    closing.push(database.close);
    await refuseMissing(database.sql);
    const keyring = await openKeyring(settings, database);
    const { DATABASE_URL: url, DATA_DIR } = settings;
    return placeOf({ name, url, folder: resolve(DATA_DIR), database, keyring }, tenantId);
  };
  try {
    const source = await openPlace('source', config);
    const target = await openPlace('target', toSettings);
    const hashesOf = async ({ database }: Place) => (await appliedHashes(database.sql)).join();
    if ((await hashesOf(source)) !== (await hashesOf(target)))
      throw new StartupError('Source and target have different migrations. Upgrade both to one version first.');
    closing.push(await (config.DATABASE_URL ? lockMove(source) : lockMoves(config.DATA_DIR)));
    if (isUndo) return await undo(source, target);
    const moving = { source, target, toUrl, switchCommand };
    if (isPlan) return await plan(moving);
    if (!config.NATS_URL && (config.DATABASE_URL || !(await hasOwnBus(config.DATA_DIR))))
      throw wrong('NATS_URL of the source is missing: nothing of the tenant may wait on its bus');
    // The bus inside a process has messages of simulated devices only.
    const bus = config.NATS_URL ? await openBus(config, createLogger(config.LOG_LEVEL)) : null;
    closing.push(async () => bus?.close());
    return await move(moving, bus);
  } finally {
    for (const end of closing.reverse()) await end();
  }
}

const wrong = (problem: string) => new StartupError(`move-tenant: ${problem}. ${USAGE}`);

function readCommand(args: string[]) {
  const flag = { type: 'boolean', default: false } as const;
  const options = {
    'to-url': { type: 'string', default: '' },
    switch: { type: 'string' },
    plan: flag,
    undo: flag,
  } as const;
  const { positionals, values } = readArguments({ args, allowPositionals: true, options }, wrong);
  const [tenantId, ...others] = positionals;
  const { 'to-url': toUrl, switch: switchCommand = null, plan: isPlan, undo: isUndo } = values;
  if (tenantId === undefined || others.length > 0) throw wrong('name one tenant');
  if (isPlan && isUndo) throw wrong('--plan and --undo exclude each other');
  if (!isUndo && !(/^https?:\/\//.test(toUrl) && URL.canParse(toUrl)))
    throw wrong('--to-url must be the address of the target, such as https://cell-b.example.com');
  return { tenantId, toUrl: toUrl.replace(/\/+$/, ''), switchCommand, isPlan, isUndo };
}

type Settings = Pick<Config, 'DATABASE_URL' | 'DATA_DIR' | 'KEYRING' | 'KEYRING_FILE' | 'KEYRING_COMMAND'>;

function settingsOfTarget(env: NodeJS.ProcessEnv): Settings {
  const of = (variable: string) => env[`TO_${variable}`] || undefined;
  const [url, folder] = [of('DATABASE_URL'), of('DATA_DIR')];
  if (url ? !isDatabaseUrl(url) : !folder)
    throw wrong('TO_DATABASE_URL must be a postgres:// URL, or TO_DATA_DIR the DATA_DIR of a platform');
  const keyring = {
    KEYRING: of('KEYRING'),
    KEYRING_FILE: of('KEYRING_FILE'),
    KEYRING_COMMAND: of('KEYRING_COMMAND'),
  };
  if (url && Object.values(keyring).every((from) => from === undefined)) throw wrong('TO_KEYRING_FILE is missing');
  return { ...keyring, DATABASE_URL: url, DATA_DIR: folder ?? '' };
}

/** Opens the database of a platform, and changes nothing there: a node would apply what is missing. */
async function openUnchanged({ DATABASE_URL: url, DATA_DIR: folder }: Settings): Promise<Database> {
  if (url) {
    await waitForPostgres(url, () => onMigratingConnection(url, refuseMissing));
    return openDatabase({ DATABASE_URL: url, DATABASE_POOL_SIZE: 4, DATA_DIR: '' });
  }
  const database = await joinEmbedded(folder);
  if (!database) throw wrong(`no platform is running in DATA_DIR ${folder}. Start it, or name the DATABASE_URL`);
  return database;
}

async function refuseMissing(sql: Database['sql']): Promise<void> {
  const names = (await missingMigrations(sql)).map(({ name }) => name).join(', ');
  if (names) throw new StartupError(`A database lacks migrations (${names}). Start its platform first.`);
}

/** Of all connections to an embedded database, locks belong to the same session. */
const lockMoves = async (folder: string) =>
  (await lockInDirectory(folder, 'move', new StartupError(`Another command is moving a tenant of ${folder} now.`)))
    .release;

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

type Moving = { source: Place; target: Place; toUrl: string; switchCommand: string | null };

async function plan({ source, target }: Moving): Promise<string> {
  const tenant = await readMoving(source);
  if (tenant.status === 'MOVED') return hasMoved(target, tenant);
  await check({ source, target }, tenant);
  const { commands, until } = await readOpen(source, null);
  const last = until === null ? '' : `; the last one ends at ${new Date(until).toISOString()} at the latest`;
  return `${source.tenantId} can move. Nothing has changed. Open commands now: ${commands}${last}.`;
}

async function hasMoved(target: Place, { move }: TenantRow): Promise<string> {
  if (await hasArrived(target, move?.id ?? '')) return `The tenant has moved to ${move?.to}.`;
  throw new StartupError(
    `The source says that the tenant has moved to ${move?.to}, and this target does not know it. If it is that one, it was restored to before the move: restore it to a later time, because the source deletes its rows.`,
  );
}

async function move(moving: Moving, bus: Bus | null): Promise<string> {
  const { source, target, toUrl } = moving;
  const { tenantId } = source;
  const before = await readMoving(source);
  if (before.status === 'MOVED') return hasMoved(target, before);
  const isOpen = before.status === 'MOVING' && (await hasArrived(target, before.move?.id ?? ''));
  // After the switch nothing may hold it up.
  if (!isOpen && before.move?.step !== 'SWITCHING') await check(moving, before);
  let copied: Copied | null = null;
  if (before.status !== 'MOVING') {
    copied = await copyWhileOpen(moving, before);
    const { status } = await readMoving(source);
    if (status !== 'ACTIVE' && status !== 'DISABLED') throw new StartupError(`${tenantId} is ${status} now.`);
    await close(source, { id: copied.copying.moveId, to: toUrl, status });
  }
  say(`closed: requests of ${tenantId} get 503`);
  const tenant = await readMoving(source);
  const { id, to, status = 'ACTIVE', closed_at } = tenant.move as Move;
  if (!isOpen && tenant.move?.step === 'UNDOING')
    throw new StartupError('The move is being undone. Run the command with --undo.');
  if (to !== toUrl) throw new StartupError(`The tenant is moving to ${to}. Name that address, or undo the move.`);
  if (!isOpen) {
    const { copying, prepared } = copied ?? { copying: await arrange(moving, tenant), prepared: null };
    const histories = copied?.histories ?? (await readHistories(moving));
    const names = await readNames(source);
    await reserve(target, tenant, { ...reservationOf(copying), from: originOf(source) }, names);
    await checkNames(target, names);
    const now = (await readTenant(source))?.move;
    if (now?.id !== id || now.step === 'UNDOING') {
      // This command was frozen meanwhile. The target must not stay reserved.
      await giveBack(target, id);
      throw new StartupError('The move was undone meanwhile.');
    }
    const logEnd = await untilFrozen(source, bus, now);
    say('nothing is under way: the rest is copied');
    await copyOrigins(copying, logEnd);
    const scopes = await readScopes(source, prepared);
    await copyRows(copying, scopes, prepared);
    await verify(copying, scopes);
    await switchOver(moving);
    await advance(source, id, ['COPYING', 'SWITCHING'], { step: 'SWITCHING' }, histories.source);
    say('switching: from here on the move cannot be undone');
    await open(target, { id, status, from: source.address, to, history: histories.target });
  }
  const seconds = (Date.now() - Date.parse(closed_at ?? '')) / 1_000;
  // Before the last step: if the command is killed here, the next one says so again, and the durables do not wait for it.
  await target.notify(topics.busAccess);
  say('the target is open');
  await leave(source, { id, to });
  return `${tenantId} has moved to ${to}. It answered 503 for ${seconds.toFixed(1)} seconds. For one more minute the old address answers 503, then TENANT_MOVED.`;
}

type Copied = { copying: Copying; prepared: Prepared; histories: { source: string; target: string } };

/** What is compared before it counts only while both databases are the same. */
const readHistories = async ({ source, target }: Moving) => ({
  source: await readHistory(source),
  target: await readHistory(target),
});

const reservationOf = ({ moveId, shift }: Copying): Reservation => ({ id: moveId, shift: String(shift) });

/** Reserves the target, or goes on with what an earlier command has reserved there. */
async function arrange({ source, target }: Moving, tenant: TenantRow): Promise<Copying> {
  const known = await readReservation(target, source);
  const id = tenant.move?.id ?? known?.id ?? randomUUID();
  const shift = known?.shift ?? String(await shiftOf(source, target, await readLogEnd(source)));
  await reserve(target, tenant, { id, shift, from: originOf(source) }, await readNames(source));
  return { source, target, moveId: id, shift: BigInt(shift) };
}

/** The tenant goes on. What it changes meanwhile is copied again. */
async function copyWhileOpen(moving: Moving, tenant: TenantRow): Promise<Copied> {
  const histories = await readHistories(moving);
  const copying = await arrange(moving, tenant);
  say(`${tenant.tenantId} is open, and is copied`);
  const prepared = await prepare(copying, () => untilOpenCommandsEnded(moving.source));
  return { copying, prepared, histories };
}

/** Leads the clients to the target: they get 503 there until it is open. `cell-map` reads SWITCHING_TENANT. */
async function switchOver({ source, switchCommand }: Moving): Promise<void> {
  if (switchCommand === null) return;
  say(`running ${switchCommand}`);
  const env = { ...process.env, SWITCHING_TENANT: source.tenantId };
  const child = spawn(switchCommand, { shell: true, env, stdio: ['ignore', process.stderr, 'inherit'] });
  const [code, signal] = await once(child, 'exit');
  if (code !== 0)
    throw new StartupError(
      `The command of --switch ended with ${signal ?? `exit code ${code}`}. The tenant is closed. ${CONTINUE}`,
    );
}

/** Waits until nothing is under way, and nothing but the move can change rows of the tenant. Returns the end of the log. */
async function untilFrozen(source: Place, bus: Bus | null, { id, step, log_end }: Move): Promise<string> {
  let logEnd = log_end;
  if (step === 'CLOSING') {
    await untilEarlierTransactionsEnded(source);
    await untilQuiet(source, bus);
    logEnd = await readLogEnd(source);
    await advance(source, id, ['CLOSING'], { step: 'COPYING', log_end: logEnd });
  }
  await untilEarlierTransactionsEnded(source);
  if (!isQuiet(await readOpen(source, null)))
    throw new StartupError('A request was admitted late. Undo the move with --undo, and begin again.');
  return logEnd ?? '0';
}

async function undo(source: Place, target: Place): Promise<string> {
  const status = (await readTenant(source))?.status;
  if (status !== 'MOVING' && status !== 'MOVED') return giveBackUnneeded(source, target);
  const { move } = await readMoving(source);
  const { step, id = '' } = move ?? {};
  if (status === 'MOVED' || step === 'SWITCHING') {
    throw new StartupError(
      'The tenant has been switched: the move cannot be undone. Move it back with the platforms exchanged.',
    );
  }
  if (await hasArrived(target, id)) throw new StartupError(HAS_ARRIVED);
  await advance(source, id, ['CLOSING', 'COPYING', 'UNDOING'], { step: 'UNDOING' });
  const isGiven = await giveBack(target, id);
  if (await hasArrived(target, id)) throw new StartupError(HAS_ARRIVED);
  await reopen(source, id);
  return `${source.tenantId} is open again. The target ${isGiven ? 'deletes what was copied' : 'has nothing of this move'}.`;
}

const HAS_ARRIVED = 'The tenant has arrived in the target. Run the same command without --undo: it ends the move.';

/** A command was killed before it closed the tenant, or the source was restored to before the move and does not know it. */
async function giveBackUnneeded(source: Place, target: Place): Promise<string> {
  const reservation = await readReservation(target, source);
  if (!reservation || !(await giveBack(target, reservation.id)))
    return `${(await readMoving(source)).tenantId} is not moving.`;
  return `${source.tenantId} is not moving. The target deletes what a move had copied there.`;
}
