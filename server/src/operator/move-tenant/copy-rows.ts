import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Transaction } from '../../foundation/database/database.js';
import { listed } from '../../foundation/database/pages.js';
import { StartupError } from '../../foundation/startup-error.js';
import { busPrincipals, credentials } from '../../foundation/tables.js';
import { eventLogOrigins, outbox } from '../../pipeline/tables.js';
import type { TenantTable } from '../../resources/rows.js';
import { tenantTables } from '../../resources/tenants/tenant-tables.js';
import { sealedTables } from '../keys.js';
import { inTarget, named, type Page, readLastKey, readPage } from './pages.js';
import { CONTINUE, type Place, say } from './place.js';

export type Copying = {
  source: Place;
  target: Place;
  moveId: string;
  /** Events have this much less in the target: see eventLogOrigins. */
  shift: bigint;
};

/** A row comes after the rows that it refers to. The outbox is empty. */
export const copiedTables = tenantTables.toReversed().filter((table) => table !== outbox && table !== eventLogOrigins);

/** Each platform numbers credentials by itself. What the provisioning of the target finds is its own. */
export const ownColumns: PgColumn[] = [credentials.number, busPrincipals.problem];

/**
 * Copies all tables, each from the last key that the target has: only the move writes rows of the tenant there, in the
 * order of the keys.
 */
export async function copyRows(copying: Copying): Promise<void> {
  for (const table of copiedTables) await copyTable(copying, table);
  await copyNonces(copying);
}

async function copyTable(copying: Copying, table: TenantTable): Promise<void> {
  const { source, target } = copying;
  // A tenant that was in the target before has left its credentials there.
  const after = table === credentials ? null : await readLastKey(target, table);
  let copied = 0;
  for (let page = await readPage(source, table, after); page; ) {
    // The source reads while the target writes.
    const [next] = await Promise.all([readPage(source, table, page.last), write(copying, table, page)]);
    copied += page.count;
    say(`copied ${copied} rows of ${getTableName(table)}`);
    page = next;
  }
}

async function write(copying: Copying, table: TenantTable, page: Page): Promise<void> {
  const columns = Object.values<PgColumn>(getTableColumns(table)).filter((column) => !ownColumns.includes(column));
  const values = listed(columns.map((column) => inTarget(column, copying.shift)));
  const rows = resealed(copying, table, page);
  await whileArriving(copying, getTableName(table), (tx) =>
    tx.execute(sql`
      insert into ${table} (${listed(columns.map(named))}) overriding system value
      select ${values} from json_populate_recordset(null::${table}, ${rows}::text::json)
      ${table === credentials ? conflictOfCredentials(columns) : sql`on conflict do nothing`}`),
  );
}

/** The number stays: processes of the target may remember it from when the tenant was there. */
function conflictOfCredentials(columns: PgColumn[]): SQL {
  const changed = columns.filter((column) => column !== credentials.tenantId && column !== credentials.clientId);
  const sets = changed.map((column) => sql`${named(column)} = excluded.${named(column)}`);
  return sql`on conflict (tenant_id, client_id) do update set ${listed(sets)}`;
}

/** Opens each secret with the keyring of the source, and seals it with that of the target, for the same row. */
function resealed({ source, target }: Copying, table: TenantTable, page: Page): string {
  const described = sealedTables.find((one) => one.table === table);
  if (!described) return page.rows;
  const rows = JSON.parse(page.rows) as Record<string, unknown>[];
  for (const row of rows) {
    for (const { column, sealed, owner } of described.secretsIn(row)) {
      row[column] = `\\x${target.keyring.seal(openSecret(source, sealed, owner), owner).toString('hex')}`;
    }
  }
  return JSON.stringify(rows);
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
  nonces: 'top_ingest',
  device_requests: 'top_system',
  parked_messages: 'top_system',
};

/** Writes rows of a table in the target, unless the move has been undone meanwhile. */
export function whileArriving(
  { target, moveId }: Copying,
  table: string,
  work: (tx: Transaction) => Promise<unknown>,
): Promise<unknown> {
  return target.asTenant(async (tx) => {
    const arriving = await tx.execute(sql`
      select from tenants where tenant_id = ${target.tenantId} and status = 'MOVING' and move ->> 'id' = ${moveId}
      for share`);
    if (arriving.length === 0) throw new StartupError('The target has no such move any more: it was undone.');
    await tx.execute(sql`select set_config('role', ${writers[table] ?? 'top_app'}, true)`);
    return work(tx);
  });
}

const NONCES = 5_000;

type NumberOf = { client_id: string; number: string };
type Nonce = { nonce_hash: string; expires_at: string };

/** A nonce belongs to the number of its credential, which is another one in the target. */
async function copyNonces(copying: Copying): Promise<void> {
  const { source, target } = copying;
  const numbersIn = (place: Place) =>
    place.read<NumberOf>(sql`select client_id, number::text from credentials where tenant_id = ${place.tenantId}`);
  const targetNumbers = new Map((await numbersIn(target)).map(({ client_id, number }) => [client_id, number]));
  let copied = 0;
  for (const { client_id, number } of await numbersIn(source)) {
    for (let after = ''; ; ) {
      const page = await source.readAsSystem<Nonce>(sql`
        select encode(nonce_hash, 'hex') as nonce_hash, expires_at::text from nonces
        where credential_number = ${number}::bigint and nonce_hash > decode(${after}, 'hex')
        order by nonce_hash limit ${NONCES}`);
      if (page.length === 0) break;
      after = page.at(-1)?.nonce_hash ?? '';
      copied += page.length;
      const rows = JSON.stringify(page);
      await whileArriving(copying, 'nonces', (tx) =>
        tx.execute(sql`
          insert into nonces (credential_number, nonce_hash, expires_at)
          select ${targetNumbers.get(client_id)}::bigint, decode(nonce_hash, 'hex'), expires_at
          from json_to_recordset(${rows}::text::json) as nonce (nonce_hash text, expires_at timestamptz)
          on conflict do nothing`),
      );
    }
  }
  say(`copied ${copied} nonces`);
}
