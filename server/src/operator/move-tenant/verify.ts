import { getTableName, sql } from 'drizzle-orm';
import { StartupError } from '../../foundation/startup-error.js';
import { parkedMessages } from '../../pipeline/tables.js';
import type { TenantTable } from '../../resources/rows.js';
import { sealedTables } from '../keys.js';
import { type Copying, openSecret } from './copy-rows.js';
import { differences, readAll, type Scope } from './pages.js';
import { CONTINUE, type Place, say } from './place.js';

/** Compares numbers and hashes of these rows, and all secrets. Counts what expires, and where the tenant was. */
export async function verify(copying: Copying, scopes: ReadonlyMap<TenantTable, Scope[]>): Promise<void> {
  const { source, target } = copying;
  for (const [table, ofTable] of scopes) {
    if (table !== parkedMessages) for (const scope of ofTable) await compareRows(copying, table, scope);
  }
  for (const sealed of sealedTables) await compareSecrets(source, target, sealed);
  await compareCounts(source, target);
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

/** What expires in the next minute does not count: parked messages are kept for a day or more. */
async function compareCounts(source: Place, target: Place): Promise<void> {
  const [clock] = await source.read<{ until: string }>(sql`select (now() + interval '1 minute')::text as until`);
  const until = sql`${clock?.until}::timestamptz`;
  // With `offset 0`, Postgres reads the nonces of each credential by index, and not those of all tenants.
  const count = async ({ tenantId: id, readAsSystem }: Place) => {
    const [found] = await readAsSystem<Record<string, number>>(sql`
      select (
        select count(*)::int from credentials cross join lateral (
          select from nonces where credential_number = credentials.number and expires_at > ${until} offset 0
        ) as nonce where tenant_id = ${id}
      ) as nonces, (
        select count(*)::int from parked_messages where tenant_id = ${id} and parked_at > ${until} - interval '1 day'
      ) as parked_messages, (select count(*)::int from event_log_origins where tenant_id = ${id}) as event_log_origins`);
    return found ?? {};
  };
  const [here, there] = [await count(source), await count(target)];
  for (const [table, known] of Object.entries(here)) {
    // The target also has the source as an origin, and may still have nonces of when the tenant was there.
    const [expected, found] = [table === 'event_log_origins' ? known + 1 : known, there[table] ?? 0];
    if (found < expected) throw differs(table, `${expected} expected, ${found} in the target`);
  }
}
