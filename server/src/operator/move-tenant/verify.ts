import { getTableName, type SQL, sql } from 'drizzle-orm';
import { StartupError } from '../../foundation/startup-error.js';
import { events, parkedMessages } from '../../pipeline/tables.js';
import type { TenantTable } from '../../resources/rows.js';
import { sealedTables } from '../keys.js';
import { type Copying, copiedTables, openSecret } from './copy-rows.js';
import { readPage, sumUp } from './pages.js';
import { CONTINUE, type Place } from './place.js';

/** What may differ: numbers and seals, and what each platform notes by itself. */
const omitted: Record<string, readonly string[]> = {
  credentials: [
    ['number', 'secret_sealed', 'previous_secret_sealed'],
    ['last_used_at', 'secret_last_used_at', 'previous_secret_last_used_at'],
  ].flat(),
  bus_principals: ['problem'],
  callback_endpoints: ['secret_sealed', 'previous_secret_sealed'],
  object_credentials: ['secret_access_key_sealed', 'session_token_sealed'],
  idempotent_answers: ['answer_sealed'],
  device_requests: ['status'],
};

/** Compares numbers and hashes of rows of every table, all secrets, and the nonces. */
export async function verify(copying: Copying): Promise<void> {
  const { source, target, say } = copying;
  // Parked messages may expire at any time.
  for (const table of copiedTables.filter((one) => one !== parkedMessages)) await compareRows(copying, table);
  for (const described of sealedTables) {
    const table = copiedTables.find((one) => getTableName(one) === described.table);
    if (table) await compareSecrets(source, target, table);
  }
  await compareNonces(source, target);
  say('verified all rows and secrets');
}

const differs = (table: string, found: string) =>
  new StartupError(`The copy of ${table} differs: ${found}. The tenant has not moved. ${CONTINUE}`);

async function compareRows({ source, target, shift }: Copying, table: TenantTable): Promise<void> {
  const name = getTableName(table);
  const same = { omitted: omitted[name] ?? [] };
  const shifted: Record<string, SQL> = table === events ? { seq: sql`seq - ${String(shift)}::bigint` } : {};
  for (let after: string[] | null = null; ; ) {
    const expected = await sumUp(source, table, { after }, { ...same, changed: shifted });
    const found = await sumUp(target, table, { after, until: expected.last }, same);
    if (found.count !== expected.count || found.sum !== expected.sum) {
      const place = after === null ? '' : ` after ${after.join(' ')}`;
      throw differs(
        name,
        `${expected.count} rows${place} in the source, ${found.count} in the target, or other values`,
      );
    }
    if (expected.last === null) return;
    after = expected.last;
  }
}

async function* secretsOf(place: Place, table: TenantTable) {
  const described = sealedTables.find((one) => one.table === getTableName(table));
  for (let after: string[] | null = null; ; ) {
    const page = await readPage(place, table, after);
    if (!page || !described) return;
    after = page.last;
    for (const row of JSON.parse(page.rows) as Record<string, unknown>[]) {
      for (const { sealed, owner } of described.secretsIn(row)) yield { owner, text: openSecret(place, sealed, owner) };
    }
  }
}

async function compareSecrets(source: Place, target: Place, table: TenantTable): Promise<void> {
  const copies = secretsOf(target, table);
  for await (const { owner, text } of secretsOf(source, table)) {
    const { value: copy } = await copies.next();
    if (copy?.owner !== owner || copy.text !== text) throw differs(getTableName(table), `the secret of ${owner}`);
  }
}

/** Nonces that expire during the comparison do not count. */
const SOON = '1 minute';

async function compareNonces(source: Place, target: Place): Promise<void> {
  const [clock] = await source.read<{ until: string }>(sql`select (now() + ${SOON}::interval)::text as until`);
  const count = async (place: Place) => {
    const numbers = await place.read<{ number: string }>(
      sql`select number::text from credentials where tenant_id = ${place.tenantId}`,
    );
    const [found] = await place.readAsSystem<{ count: number }>(sql`
      select count(*)::int as count from json_array_elements_text(${JSON.stringify(numbers.map(({ number }) => number))}::text::json) as own (number)
      cross join lateral (
        select from nonces where credential_number = own.number::bigint and expires_at > ${clock?.until}::timestamptz
      ) as nonce`);
    return found?.count ?? 0;
  };
  const [expected, found] = [await count(source), await count(target)];
  // The target may still have some of when the tenant was there.
  if (found < expected) throw differs('nonces', `${expected} in the source, ${found} in the target`);
}
