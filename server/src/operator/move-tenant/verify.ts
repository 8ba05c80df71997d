import { getTableColumns, getTableName, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { listed } from '../../foundation/database/pages.js';
import { StartupError } from '../../foundation/startup-error.js';
import { credentials } from '../../foundation/tables.js';
import { deviceRequests, eventLogOrigins, parkedMessages } from '../../pipeline/tables.js';
import type { TenantTable } from '../../resources/rows.js';
import { sealedTables } from '../keys.js';
import { type Copying, copiedTables, openSecret, ownColumns } from './copy-rows.js';
import { inTarget, nextRows, readPage } from './pages.js';
import { CONTINUE, type Place, say } from './place.js';

/** What each platform notes by itself. */
const differing: PgColumn[] = [
  ...ownColumns,
  credentials.lastUsedAt,
  credentials.secretLastUsedAt,
  credentials.previousSecretLastUsedAt,
  deviceRequests.status,
];

/** Secrets are compared by what they open to. */
const isCompared = (column: PgColumn) => !differing.includes(column) && !column.name.endsWith('_sealed');

/** Compares numbers and hashes of rows of every table, all secrets, and the nonces. */
export async function verify(copying: Copying): Promise<void> {
  const { source, target } = copying;
  // Parked messages may expire at any time.
  for (const table of copiedTables.filter((one) => one !== parkedMessages)) await compareRows(copying, table);
  for (const sealed of sealedTables) if (sealed.table !== eventLogOrigins) await compareSecrets(source, target, sealed);
  await compareNonces(source, target);
  say('verified all rows and secrets');
}

const differs = (table: string, found: string) =>
  new StartupError(`The copy of ${table} differs: ${found}. The tenant has not moved. ${CONTINUE}`);

async function compareRows({ source, target, shift }: Copying, table: TenantTable): Promise<void> {
  for (let after: string[] | null = null; ; ) {
    const expected: Sum = await sumUp(source, table, after, shift);
    const found = await sumUp(target, table, after, 0n);
    if (found.count !== expected.count || found.sum !== expected.sum) {
      const place = after === null ? '' : ` after ${after.join(' ')}`;
      throw differs(
        getTableName(table),
        `${expected.count} rows${place} in the source, ${found.count} in the target, or other values`,
      );
    }
    if (expected.last === null) return;
    after = expected.last;
  }
}

/** Each may have a payload and a result of 64 KiB. */
const SUMMED_ROWS = 2_000;

/** The number of the next rows, the sum of their hashes, and the key of the last one. */
type Sum = { count: number; sum: string; last: string[] | null };

async function sumUp(place: Place, table: TenantTable, after: string[] | null, shift: bigint): Promise<Sum> {
  const columns = Object.values<PgColumn>(getTableColumns(table)).filter(isCompared);
  const row = listed(columns.map((column) => inTarget(column, shift)));
  const hash = sql`('x' || left(md5(row(${row})::text), 15))::bit(60)::bigint as hash`;
  const [sum] = await place.read<Sum>(sql`
    select count(*)::int as count, coalesce(sum(hash), 0)::text as sum, (array_agg(key order by place desc))[1] as last
    from (${nextRows(place, table, after, hash, SUMMED_ROWS)}) as lines`);
  return sum as Sum;
}

type Sealed = (typeof sealedTables)[number];

async function* secretsOf(place: Place, { table, secretsIn }: Sealed) {
  for (let page = await readPage(place, table, null); page; page = await readPage(place, table, page.last)) {
    for (const row of JSON.parse(page.rows) as Record<string, unknown>[]) {
      for (const { sealed, owner } of secretsIn(row)) yield { owner, text: openSecret(place, sealed, owner) };
    }
  }
}

async function compareSecrets(source: Place, target: Place, sealed: Sealed): Promise<void> {
  const copies = secretsOf(target, sealed);
  for await (const { owner, text } of secretsOf(source, sealed)) {
    const { value: copy } = await copies.next();
    if (copy?.owner !== owner || copy.text !== text)
      throw differs(getTableName(sealed.table), `the secret of ${owner}`);
  }
}

/** Nonces that expire during the comparison, in the next minute, do not count. */
async function compareNonces(source: Place, target: Place): Promise<void> {
  const [clock] = await source.read<{ until: string }>(sql`select (now() + interval '1 minute')::text as until`);
  const count = async (place: Place) => {
    // `offset 0`: Postgres asks for the nonces of each credential, and does not read those of all tenants.
    const [found] = await place.readAsSystem<{ count: number }>(sql`
      select count(*)::int as count
      from credentials cross join lateral (
        select from nonces
        where credential_number = credentials.number and expires_at > ${clock?.until}::timestamptz offset 0
      ) as nonce
      where tenant_id = ${place.tenantId}`);
    return found?.count ?? 0;
  };
  const [expected, found] = [await count(source), await count(target)];
  // The target may still have some of when the tenant was there.
  if (found < expected) throw differs('nonces', `${expected} in the source, ${found} in the target`);
}
