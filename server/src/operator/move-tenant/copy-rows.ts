import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Transaction } from '../../foundation/database/database.js';
import { errorCodeOf } from '../../foundation/database/database-error.js';
import { listed } from '../../foundation/database/pages.js';
import { StartupError } from '../../foundation/startup-error.js';
import { credentials } from '../../foundation/tables.js';
import { commands, deviceRequests, eventLogOrigins, events, outbox } from '../../pipeline/tables.js';
import type { TenantTable } from '../../resources/rows.js';
import { objectGrants } from '../../resources/tables.js';
import { tenantTables } from '../../resources/tenants/tenant-tables.js';
import { sealedTables } from '../keys.js';
import {
  changedSince,
  differences,
  EVERYTHING,
  inTarget,
  isIn,
  type Mark,
  named,
  ownColumns,
  readMark,
  readRows,
  type Scope,
} from './pages.js';
import { CONTINUE, type Place, say } from './place.js';

export type Copying = {
  source: Place;
  target: Place;
  moveId: string;
  /** Events have this much less in the target: see eventLogOrigins. */
  shift: bigint;
};

/** A row comes after the rows that it refers to. The outbox is empty. */
const copiedTables = tenantTables.toReversed().filter((table) => table !== outbox && table !== eventLogOrigins);

/** The tables that grow with the traffic. They are copied while the tenant is open, and no row refers to one of theirs. */
const facts: readonly TenantTable[] = [commands, events, deviceRequests, objectGrants];

/** While the tenant was open, all facts were copied but those `left`, and those that have changed `since`. */
export type Prepared = { since: Mark; left: ReadonlyMap<TenantTable, Scope[]> };

/** If a round found at most so many pages that differ, the tenant closes. A busy tenant always has some. */
const FEW_PAGES = 20;
const ROUNDS = 6;

/** Copies the facts while the tenant is open, in rounds: each takes what changed during the one before. */
export async function prepare(copying: Copying, untilEnded: () => Promise<boolean>): Promise<Prepared> {
  const left = new Map<TenantTable, Scope[]>(facts.map((table) => [table, [{ ...EVERYTHING, isEnded: true }]]));
  let since: Mark | null = null;
  for (let round = 1; ; round++) {
    const mark = await readMark(copying.source);
    let differing = 0;
    await copyScopes(copying, credentials, [EVERYTHING]);
    for (const [table, scopes] of left) {
      const changed: Scope[] = since ? await changedSince(copying.source, table, since, true) : [];
      const copied = await copyScopes(copying, table, [...scopes, ...changed]);
      differing += copied.length;
      // What is equal now counts as verified. What still differs has just changed again.
      left.set(table, await copyScopes(copying, table, copied));
    }
    await copyNonces(copying, since);
    since = mark;
    const hasWaited = round < ROUNDS && (await untilEnded());
    if (round === ROUNDS || (round > 1 && differing <= FEW_PAGES && !hasWaited)) return { since, left };
  }
}

/** What is copied and then compared while the tenant is closed. */
export async function readScopes(source: Place, prepared: Prepared | null): Promise<Map<TenantTable, Scope[]>> {
  const scopes = new Map<TenantTable, Scope[]>(copiedTables.map((table) => [table, [EVERYTHING]]));
  if (!prepared) return scopes;
  for (const [table, left] of prepared.left) {
    const changed = await changedSince(source, table, prepared.since, false);
    scopes.set(table, [...left.map((scope) => ({ ...scope, isEnded: false })), ...changed]);
  }
  return scopes;
}

export async function copyRows(
  copying: Copying,
  scopes: ReadonlyMap<TenantTable, Scope[]>,
  prepared: Prepared | null,
): Promise<void> {
  for (const [table, ofTable] of scopes) await copyScopes(copying, table, ofTable);
  await copyNonces(copying, prepared?.since ?? null);
}

const SAY_AGAIN_MS = 5_000;

/** Copies the pages that differ, and returns them. */
async function copyScopes(copying: Copying, table: TenantTable, scopes: readonly Scope[]): Promise<Scope[]> {
  const copied: Scope[] = [];
  let rows = 0;
  let saidAt = performance.now();
  for (const scope of scopes) {
    for await (const difference of differences(copying, table, scope)) {
      await copyPage(copying, table, difference.scope);
      copied.push(difference.scope);
      rows += difference.expected.count;
      if (performance.now() - saidAt < SAY_AGAIN_MS) continue;
      say(`copying: ${rows} rows of ${getTableName(table)}`);
      saidAt = performance.now();
    }
  }
  say(`copied ${rows} rows of ${getTableName(table)}`);
  return copied;
}

async function copyPage(copying: Copying, table: TenantTable, scope: Scope): Promise<void> {
  const rows = resealed(copying, table, await readRows(copying.source, table, scope));
  const write = () =>
    whileArriving(copying, async (tx) => {
      if (facts.includes(table)) {
        await workAs(tx, 'top_system');
        await tx.execute(sql`delete from ${table} where ${isIn(table, copying.target.tenantId, scope)}`);
      }
      await workAs(tx, writers[getTableName(table)] ?? 'top_app');
      await insert(tx, copying, table, rows);
    });
  try {
    await write();
  } catch (error) {
    // The tenant is open: a credential was created after the others were copied, and then it created a command.
    if (errorCodeOf(error) !== FOREIGN_KEY_VIOLATION) throw error;
    await copyScopes(copying, credentials, [EVERYTHING]);
    await write();
  }
}

const FOREIGN_KEY_VIOLATION = '23503';

function insert(tx: Transaction, { shift }: Copying, table: TenantTable, rows: string) {
  const columns = Object.values<PgColumn>(getTableColumns(table)).filter((column) => !ownColumns.includes(column));
  const values = listed(columns.map((column) => inTarget(column, shift)));
  return tx.execute(sql`
    insert into ${table} (${listed(columns.map(named))}) overriding system value
    select ${values} from json_populate_recordset(null::${table}, ${rows}::text::json)
    ${table === credentials ? conflictOfCredentials(columns) : sql`on conflict do nothing`}`);
}

/** The number stays: processes of the target may remember it from when the tenant was there. */
function conflictOfCredentials(columns: PgColumn[]): SQL {
  const changed = columns.filter((column) => column !== credentials.tenantId && column !== credentials.clientId);
  const sets = changed.map((column) => sql`${named(column)} = excluded.${named(column)}`);
  return sql`on conflict (tenant_id, client_id) do update set ${listed(sets)}`;
}

/** Opens each secret with the keyring of the source, and seals it with that of the target, for the same row. */
function resealed({ source, target }: Copying, table: TenantTable, rows: string): string {
  const described = sealedTables.find((one) => one.table === table);
  if (!described) return rows;
  const opened = JSON.parse(rows) as Record<string, unknown>[];
  for (const row of opened) {
    for (const { column, sealed, owner } of described.secretsIn(row)) {
      row[column] = `\\x${target.keyring.seal(openSecret(source, sealed, owner), owner).toString('hex')}`;
    }
  }
  return JSON.stringify(opened);
}

export function openSecret({ name, keyring }: Place, sealed: Buffer, owner: string): string {
  try {
    return keyring.open(sealed, owner);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(`The secret of ${owner} in the ${name} does not open: ${reason} ${CONTINUE}`);
  }
}

/** The roles that write the tables which handlers cannot write. */
const writers: Record<string, string> = {
  commands: 'top_ingest',
  device_requests: 'top_system',
  parked_messages: 'top_system',
};

const workAs = (tx: Transaction, role: string) => tx.execute(sql`select set_config('role', ${role}, true)`);

/** Writes rows in the target, unless the move has been undone meanwhile. */
export function whileArriving(
  { target, moveId }: Copying,
  work: (tx: Transaction) => Promise<unknown>,
): Promise<unknown> {
  return target.asTenant(async (tx) => {
    const arriving = await tx.execute(sql`
      select from tenants where tenant_id = ${target.tenantId} and status = 'MOVING' and move ->> 'id' = ${moveId}
      for share`);
    if (arriving.length === 0) throw new StartupError('The target has no such move any more: it was undone.');
    return work(tx);
  });
}

const NONCES = 5_000;

type NumberOf = { client_id: string; number: string };
type Nonce = { nonce_hash: string; expires_at: string };

/** A nonce belongs to the number of its credential, which is another one in the target. */
async function copyNonces(copying: Copying, since: Mark | null): Promise<void> {
  const { source, target } = copying;
  const numbersIn = (place: Place) =>
    place.read<NumberOf>(sql`select client_id, number::text from credentials where tenant_id = ${place.tenantId}`);
  const targetNumbers = new Map((await numbersIn(target)).map(({ client_id, number }) => [client_id, number]));
  let copied = 0;
  for (const { client_id, number } of await numbersIn(source)) {
    const there = targetNumbers.get(client_id);
    // Created since the credentials were copied, while the tenant is open.
    if (there === undefined) continue;
    for (let after = ''; ; ) {
      const page = await source.readAsSystem<Nonce>(sql`
        select encode(nonce_hash, 'hex') as nonce_hash, expires_at::text from nonces
        where credential_number = ${number}::bigint and nonce_hash > decode(${after}, 'hex')
          and ${since === null ? sql`true` : sql`age(nonces.xmin) <= age(${since.xid}::text::xid)`}
        order by nonce_hash limit ${NONCES}`);
      if (page.length === 0) break;
      after = page.at(-1)?.nonce_hash ?? '';
      copied += page.length;
      const rows = JSON.stringify(page);
      await whileArriving(copying, async (tx) => {
        await workAs(tx, 'top_ingest');
        await tx.execute(sql`
          insert into nonces (credential_number, nonce_hash, expires_at)
          select ${there}::bigint, decode(nonce_hash, 'hex'), expires_at
          from json_to_recordset(${rows}::text::json) as nonce (nonce_hash text, expires_at timestamptz)
          on conflict do nothing`);
      });
    }
  }
  say(`copied ${copied} nonces`);
}
