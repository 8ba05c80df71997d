import { createHmac, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Database } from '../database/database.js';
import { asAllTenantsStatement } from '../database/roles.js';
import { credentialOwner } from '../secrets/credential-owner.js';
import { generateCredentialSecret } from '../secrets/credential-secret.js';
import type { Keyring } from '../secrets/keyring.js';
import { createPacedReader } from './paced-reader.js';

/** The current secret, and the previous one while both are valid. For an unknown client_id: a random secret. */
type SigningKeys = {
  /** Null if no credential has the client_id. */
  credential: Credential | null;
  current: Buffer;
  previous: Buffer;
};

/** Identifies the credential in the nonce table. */
type Credential = { tenantId: string; credentialNumber: string; secretVersion: number };

/** The version of the secret that verified. */
export type VerifiedBy = Credential;

type SignedText = {
  clientId: string;
  stringToSign: string;
  signature: Buffer;
  /** Groups the reads that take turns: see pacedReader. */
  network: string;
};

const CACHED_CREDENTIALS = 100_000;

/**
 * Verifies signatures with cached keys. It decides nothing that may change: admission checks whether the credential is
 * live and whether the secret's version is still valid. "Unknown" is never cached.
 * A wrong signature costs the same for every client_id, known or unknown, cached or not: two HMACs, a read of one row,
 * two secrets opened, two HMACs. Otherwise the response time would reveal which ids exist.
 */
export function createSignatureVerifier(database: Database, keyring: Keyring) {
  const standIn = sealStandIn(keyring);
  const unknown = open(keyring, standIn, standIn);
  const readRow = createPacedReader((clientIds) => readRows(database, standIn.secret, clientIds));
  const cache = new LRUCache<string, SigningKeys>({ max: CACHED_CREDENTIALS });

  return async function verify({ clientId, stringToSign, signature, network }: SignedText): Promise<VerifiedBy | null> {
    const byCached = match(cache.get(clientId) ?? unknown, stringToSign, signature);
    if (byCached) return byCached;
    const keys = open(keyring, (await readRow(network, clientId)) ?? standIn, standIn);
    if (keys.credential) cache.set(clientId, keys);
    return match(keys, stringToSign, signature);
  };
}

function match({ credential, current, previous }: SigningKeys, text: string, signature: Buffer): VerifiedBy | null {
  if (isSignedWith(current, text, signature)) return credential;
  if (!isSignedWith(previous, text, signature)) return null;
  return credential && { ...credential, secretVersion: credential.secretVersion - 1 };
}

/** Both have 32 bytes: the header's syntax was checked before. */
const isSignedWith = (key: Buffer, text: string, signature: Buffer) =>
  timingSafeEqual(createHmac('sha256', key).update(text).digest(), signature);

type Row = {
  client_id: string;
  /** Null if no credential has the client_id: the other fields then come from a random secret. */
  tenant_id: string | null;
  number: string;
  secret_version: number;
  secret: string;
  previous_secret: string | null;
};

/** A random secret in place of a missing one. Nobody knows it, so no signature matches. */
const sealStandIn = (keyring: Keyring): Row => ({
  client_id: '',
  tenant_id: null,
  number: '0',
  secret_version: 0,
  secret: keyring.seal(generateCredentialSecret(), STAND_IN).toString('base64'),
  previous_secret: null,
});

const STAND_IN = 'stand-in';

/** Returns a row for every id, so that an unknown id costs the database and the driver the same work. */
async function readRows(database: Database, standIn: string, clientIds: string[]): Promise<Map<string, Row>> {
  const rows = await asAllTenantsStatement<Row>(
    database,
    (sql) => sql<Row[]>`
      select asked.client_id, credential.tenant_id, coalesce(credential.number, 0)::text as number,
        coalesce(credential.secret_version, 0) as secret_version,
        coalesce(encode(credential.secret_sealed, 'base64'), ${standIn}) as secret,
        case when credential.previous_secret_expires_at > now()
          then encode(credential.previous_secret_sealed, 'base64') end as previous_secret
      from json_array_elements_text(${JSON.stringify(clientIds)}::text::json) as asked (client_id)
      -- \`offset 0\`: looked up by the indexes, whatever Postgres knows of the sizes of the tables.
      left join lateral (
        select tenant_id from taken_names where kind = 'CLIENT_ID' and name = asked.client_id offset 0
      ) as taken on true
      left join lateral (
        select * from credentials
        where credentials.tenant_id = taken.tenant_id and credentials.client_id = asked.client_id offset 0
      ) as credential on true`,
  );
  return new Map(rows.map((row) => [row.client_id, row]));
}

/** Opens two secrets, whatever the row holds. If a secret does not open, only requests of its own credential fail. */
function open(keyring: Keyring, row: Row, standIn: Row): SigningKeys {
  const { tenant_id: tenantId, client_id: clientId, number: credentialNumber, secret_version: secretVersion } = row;
  const ownerOf = (version: number) => (tenantId === null ? STAND_IN : credentialOwner(tenantId, clientId, version));
  const opened = (sealed: string, owner: string) => Buffer.from(keyring.open(Buffer.from(sealed, 'base64'), owner));
  return {
    credential: tenantId === null ? null : { tenantId, credentialNumber, secretVersion },
    current: opened(row.secret, ownerOf(secretVersion)),
    previous: row.previous_secret
      ? opened(row.previous_secret, ownerOf(secretVersion - 1))
      : opened(standIn.secret, STAND_IN),
  };
}
