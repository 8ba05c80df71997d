import { getTableName, sql } from 'drizzle-orm';
import { StartupError } from '../../foundation/startup-error.js';
import { eventLogOrigins, parkedMessages } from '../../pipeline/tables.js';
import type { TenantTable } from '../../resources/rows.js';
import { sealedTables } from '../keys.js';
import { type Copying, openSecret } from './copy-rows.js';
import { differences, readAll, type Scope } from './pages.js';
import { CONTINUE, type Place, say } from './place.js';

/** Compares numbers and hashes of these rows, all secrets, and the nonces. */
export async function verify(copying: Copying, scopes: ReadonlyMap<TenantTable, Scope[]>): Promise<void> {
  const { source, target } = copying;
  for (const [table, ofTable] of scopes) {
    // Parked messages may expire at any time.
    if (table !== parkedMessages) for (const scope of ofTable) await compareRows(copying, table, scope);
  }
  for (const sealed of sealedTables) if (sealed.table !== eventLogOrigins) await compareSecrets(source, target, sealed);
  await compareNonces(source, target);
  say('verified all rows and secrets');
}

const differs = (table: string, found: string) =>
  new StartupError(`The copy of ${table} differs: ${found}. The tenant has not moved. ${CONTINUE}`);

async function compareRows(copying: Copying, table: TenantTable, scope: Scope): Promise<void> {
  for await (const { scope: page, expected, found } of differences(copying, table, scope)) {
    const place = 'after' in page && page.after !== null ? ` after ${page.after.join(' ')}` : '';
    const counts = `${expected.count} rows${place} in the source, ${found.count} in the target, or other values`;
    throw differs(getTableName(table), counts);
  }
}

type Sealed = (typeof sealedTables)[number];

async function* secretsOf(place: Place, { table, secretsIn }: Sealed) {
  for await (const row of readAll(place, table)) {
    for (const { sealed, owner } of secretsIn(row)) yield { owner, text: openSecret(place, sealed, owner) };
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
