import { createHmac, timingSafeEqual } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { batched } from '../database/batch.js';
import type { Database } from '../database/database.js';
import { asSystem } from '../database/roles.js';
import { credentialOwner } from '../secrets/credential-owner.js';
import type { Keyring } from '../secrets/keyring.js';

export type SigningKeys = {
  tenantId: string;
  /** Stands for the credential in the nonce table. */
  credentialNumber: string;
  /** The current secret and, while it overlaps, the previous one. */
  secrets: { version: number; key: Buffer }[];
};

export type VerifiedBy = { tenantId: string; credentialNumber: string; secretVersion: number };

const CACHED_CREDENTIALS = 100_000;
const REREAD_INTERVAL_MS = 100;
/**
 * An unknown client_id costs a read and an HMAC, like one whose keys are not cached. Cached keys and a second secret cost
 * an HMAC more each: microseconds beside the read.
 */
const DUMMY_KEY = Buffer.alloc(53);

/**
 * Verifies signatures with keys from a cache. Nothing that may change is decided here: whether the credential lives
 * and the secret's version still counts is admission's to say. "Unknown" is never cached.
 */
export function signatureVerifier(database: Database, keyring: Keyring) {
  const readKeys = keyReader(database, keyring);
  const cache = new LRUCache<string, SigningKeys>({ max: CACHED_CREDENTIALS });
  const lastRead = new LRUCache<string, number>({ max: CACHED_CREDENTIALS, ttl: REREAD_INTERVAL_MS });
  const reading = new Map<string, Promise<SigningKeys | null>>();
  const scheduled = new Map<string, Promise<SigningKeys | null>>();

  function read(clientId: string): Promise<SigningKeys | null> {
    lastRead.set(clientId, Date.now());
    const keys = readKeys(clientId)
      .then((found) => {
        if (found) cache.set(clientId, found);
        return found;
      })
      .finally(() => reading.delete(clientId));
    reading.set(clientId, keys);
    return keys;
  }

  /**
   * Reads the row once more, at most once per interval for a client_id. A caller that comes within it waits for a
   * read that starts after it came: a secret rotated a moment ago on another node is never refused.
   */
  function readAgain(clientId: string): Promise<SigningKeys | null> {
    const coming = scheduled.get(clientId);
    if (coming) return coming;
    const last = lastRead.get(clientId);
    if (last === undefined) return read(clientId);
    const next = delay(Math.max(0, last + REREAD_INTERVAL_MS - Date.now())).then(() => {
      scheduled.delete(clientId);
      return read(clientId);
    });
    scheduled.set(clientId, next);
    return next;
  }

  return async function verify(clientId: string, stringToSign: string, signature: Buffer): Promise<VerifiedBy | null> {
    const cached = cache.get(clientId);
    const byCached = cached && match(cached, stringToSign, signature);
    if (byCached) return byCached;
    // A read that is under way may be too old to refuse, never to accept: admission has the last word.
    const underWay = await reading.get(clientId);
    const byUnderWay = underWay && match(underWay, stringToSign, signature);
    if (byUnderWay) return byUnderWay;
    const current = await readAgain(clientId);
    if (current) return match(current, stringToSign, signature);
    isSignedWith(DUMMY_KEY, stringToSign, signature);
    return null;
  };
}

function match(keys: SigningKeys, stringToSign: string, signature: Buffer): VerifiedBy | null {
  const secret = keys.secrets.find(({ key }) => isSignedWith(key, stringToSign, signature));
  if (!secret) return null;
  return { tenantId: keys.tenantId, credentialNumber: keys.credentialNumber, secretVersion: secret.version };
}

/** Both sides have 32 bytes: the syntax of the header was checked before. */
const isSignedWith = (key: Buffer, stringToSign: string, signature: Buffer) =>
  timingSafeEqual(createHmac('sha256', key).update(stringToSign).digest(), signature);

type Row = {
  tenant_id: string;
  client_id: string;
  number: string;
  secret_version: number;
  secret: string;
  previous_secret: string | null;
};

/** The statement is shared, opening is not: a secret that does not open fails its own requests and no others. */
function keyReader(database: Database, keyring: Keyring) {
  const readRow = batched<string, Row | null>(
    (clientId) => clientId,
    async (clientIds) => {
      const rows = await asSystem<Row>(
        database,
        (sql) => sql<Row[]>`
          select credential.tenant_id, credential.client_id, credential.number::text, credential.secret_version,
            encode(credential.secret_sealed, 'base64') as secret,
            case when credential.previous_secret_expires_at > now()
              then encode(credential.previous_secret_sealed, 'base64') end as previous_secret
          from json_array_elements_text(${JSON.stringify([...new Set(clientIds)])}::text::json) as asked (client_id)
          join taken_names on taken_names.kind = 'CLIENT_ID' and taken_names.name = asked.client_id
          join credentials as credential
            on credential.tenant_id = taken_names.tenant_id and credential.client_id = asked.client_id`,
      );
      const rowOf = new Map(rows.map((row) => [row.client_id, row]));
      return clientIds.map((clientId) => rowOf.get(clientId) ?? null);
    },
  );
  return async (clientId: string): Promise<SigningKeys | null> => {
    const row = await readRow(clientId);
    return row && toSigningKeys(row);
  };

  function toSigningKeys(row: Row): SigningKeys {
    const open = (sealed: string, version: number) => ({
      version,
      key: Buffer.from(
        keyring.open(Buffer.from(sealed, 'base64'), credentialOwner(row.tenant_id, row.client_id, version)),
      ),
    });
    const secrets = [open(row.secret, row.secret_version)];
    if (row.previous_secret) secrets.push(open(row.previous_secret, row.secret_version - 1));
    return { tenantId: row.tenant_id, credentialNumber: row.number, secrets };
  }
}
