import type { Config } from '../config.js';
import { openStorage } from '../engines.js';
import type { Database } from '../foundation/database/database.js';
import { asTenantAnyway } from '../foundation/database/row-level-security.js';
import { readTenantIds } from '../foundation/database/tenant-ids.js';
import { forgetCanaries, type Keyring, readCanaries } from '../foundation/secrets/keyring.js';
import type { SealedRow } from '../foundation/secrets/rewrap-secrets.js';
import { StartupError } from '../foundation/startup-error.js';
import { sealedAnswers } from '../gateway/idempotency/once.js';
import { sealedOrigins } from '../pipeline/moved-cursors.js';
import { sealedCallbackEndpoints } from '../resources/callback-endpoints/callback-endpoints.js';
import { sealedCredentials } from '../resources/credentials/credentials.js';
import { sealedObjectCredentials } from '../resources/object-credentials/object-credentials.js';

export const sealedTables = [
  sealedCredentials,
  sealedCallbackEndpoints,
  sealedObjectCredentials,
  sealedAnswers,
  sealedOrigins,
];

/** `keys status|rewrap`: prints JSON. The process ends with 9 if a secret could not be opened. */
export async function runKeys(config: Config, args: string[]): Promise<void> {
  const [verb, ...rest] = args;
  if ((verb !== 'status' && verb !== 'rewrap') || rest.length > 0) throw new StartupError('Usage: keys status|rewrap');
  const { database, keyring } = await openStorage(config);
  try {
    const rewrapped = verb === 'rewrap' ? await rewrap(database, keyring) : undefined;
    const keys = await countByKey(database, keyring);
    if (rewrapped) {
      // From here on the keyring may lack these keys.
      const unused = keys.filter(({ is_primary, secrets }) => !is_primary && secrets === 0).map(({ key_id }) => key_id);
      await forgetCanaries(database, unused);
      if (rewrapped.not_opened.length > 0) process.exitCode = 9;
    }
    console.log(JSON.stringify({ ...rewrapped, keys }, null, 2));
  } finally {
    await database.close();
  }
}

/** How many secrets each key seals. A key without any, but the primary one, can be removed from the keyring. */
async function countByKey(database: Database, keyring: Keyring) {
  const known = (await readCanaries(database)).map(({ keyId }) => keyId);
  const secrets = new Map<string, number>([...keyring.keyIds, ...known].map((keyId) => [keyId, 0]));
  for await (const { row } of sealedRows(database)) {
    for (const keyId of row.keyIds) secrets.set(keyId, (secrets.get(keyId) ?? 0) + 1);
  }
  return [...secrets].map(([key_id, count]) => ({
    key_id,
    is_primary: key_id === keyring.primary,
    is_in_keyring: keyring.has(key_id),
    secrets: count,
  }));
}

/** Seals every secret with the primary key, while nodes serve. */
async function rewrap(database: Database, keyring: Keyring) {
  const done = { rewrapped: 0, not_opened: [] as { tenant_id: string; table: string; id: string; reason: string }[] };
  for await (const { tenantId, row } of sealedRows(database)) {
    if (row.keyIds.every((keyId) => keyId === keyring.primary)) continue;
    const reason = row.problem(keyring);
    if (reason !== null) done.not_opened.push({ tenant_id: tenantId, table: row.table, id: row.id, reason });
    else if (await asTenantAnyway(database, tenantId, (tx) => row.rewrap(tx, keyring))) done.rewrapped++;
  }
  return done;
}

async function* sealedRows(database: Database): AsyncGenerator<{ tenantId: string; row: SealedRow }> {
  for (const tenantId of await readTenantIds(database)) {
    for (const rowsOf of sealedTables) for await (const row of rowsOf(database, tenantId)) yield { tenantId, row };
  }
}
