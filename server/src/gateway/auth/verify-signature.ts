import { createHmac, timingSafeEqual } from 'node:crypto';
import { setTimeout as delay, setImmediate as nextTick } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { codedError } from '../../foundation/coded-error.js';
import type { Database } from '../../foundation/database/database.js';
import { asAllTenantsStatement } from '../../foundation/database/row-level-security.js';
import { credentialOwner, generateCredentialSecret } from '../../foundation/secrets/credential-secret.js';
import { KeyMissingError, type Keyring } from '../../foundation/secrets/keyring.js';
import { boundedLog, ONCE_A_MINUTE } from '../../foundation/telemetry/logger.js';

/** The current secret, and the previous one while both are valid. For an unknown client_id: a random secret. */
type SigningKeys = {
  /** Null if no credential has the client_id. */
  credential: VerifiedBy | null;
  current: Buffer;
  previous: Buffer;
};

/** The credential, by its number in the nonce table, and the version of the secret that verified. */
export type VerifiedBy = { tenantId: string; credentialNumber: string; secretVersion: number };

type SignedText = {
  clientId: string;
  stringToSign: string;
  signature: Buffer;
  /** Groups the reads that take turns: see createPacedReader. */
  network: string;
};

const CACHED_CREDENTIALS = 100_000;

/**
 * Verifies signatures with cached keys. It decides nothing that may change: admission checks whether the credential is
 * live and whether the secret's version is still valid. "Unknown" is never cached.
 * A wrong signature costs the same for every client_id, known or unknown, cached or not: two HMACs, a read of one row,
 * two secrets opened, two HMACs. Otherwise the response time would reveal which ids exist.
 * While the keyring lacks a key that the database knows, no signature can be called wrong: it may be one of a secret that
 * this process cannot open. All of them throw KeyMissingError, for every client_id, so that the answer does not reveal
 * which ids exist either. A credential whose sealed secret is damaged is refused like an unknown one.
 */
export function createSignatureVerifier(database: Database, keyring: Keyring, logger: Logger) {
  const log = boundedLog(logger, ONCE_A_MINUTE);
  const standInKey = generateCredentialSecret();
  const sealedStandIn = keyring.seal(standInKey, STAND_IN).toString('base64');
  /** Nobody knows the random secret, so no signature matches. */
  const unknown = { credential: null, current: Buffer.from(standInKey), previous: Buffer.from(standInKey) };
  const readRow = createPacedReader((clientIds) => readRows(database, keyring, sealedStandIn, clientIds));
  const cache = new LRUCache<string, SigningKeys>({ max: CACHED_CREDENTIALS });
  // In another generation a version may belong to another secret.
  database.generations.onNew(() => cache.clear());

  return async function verify({ clientId, stringToSign, signature, network }: SignedText): Promise<VerifiedBy | null> {
    const byCached = verifiedBy(cache.get(clientId) ?? unknown, stringToSign, signature);
    if (byCached) return byCached;
    const row = (await readRow(network, clientId)) as Row;
    const keys = open(row);
    if (keys.credential && row.missing_key === null) cache.set(clientId, keys);
    const verified = verifiedBy(keys, stringToSign, signature);
    if (!verified && row.missing_key !== null) throw new KeyMissingError(row.missing_key);
    return verified;
  };

  /** Opens two secrets, whatever the row holds. The stand-in takes the place of one that does not open. */
  function open(row: Row): SigningKeys {
    const { tenant_id: tenantId, client_id: clientId, number: credentialNumber, secret_version: secretVersion } = row;
    const opened = (sealed: string | null, version: number) => {
      const isStandIn = tenantId === null || sealed === null;
      const owner = isStandIn ? STAND_IN : credentialOwner(tenantId, clientId, version);
      try {
        return Buffer.from(keyring.open(Buffer.from(sealed ?? sealedStandIn, 'base64'), owner));
      } catch {
        if (row.missing_key === null) {
          const credential = { tenant_id: tenantId, client_id: clientId, secret_version: version };
          log('error', clientId, credential, 'The sealed secret of a credential does not open. Rotate the secret.');
        }
        return Buffer.from(standInKey);
      }
    };
    return {
      credential: tenantId === null ? null : { tenantId, credentialNumber, secretVersion },
      current: opened(row.secret, secretVersion),
      previous: opened(row.previous_secret, secretVersion - 1),
    };
  }
}

function verifiedBy({ credential, current, previous }: SigningKeys, text: string, signature: Buffer) {
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
  /** A master key that the database knows and the keyring lacks. */
  missing_key: string | null;
};

const STAND_IN = 'stand-in';

/** Returns a row for every id, so that an unknown id costs the database and the driver the same work. */
async function readRows(database: Database, { keyIds }: Keyring, standIn: string, clientIds: string[]) {
  const rows = await asAllTenantsStatement<Row>(
    database,
    sql`
    select asked.client_id, credential.tenant_id, coalesce(credential.number, 0)::text as number,
      coalesce(credential.secret_version, 0) as secret_version,
      coalesce(encode(credential.secret_sealed, 'base64'), ${standIn}) as secret,
      case when credential.previous_secret_expires_at > now()
        then encode(credential.previous_secret_sealed, 'base64') end as previous_secret,
      (select min(key_id) from keyring_canaries where key_id <> all (string_to_array(${keyIds.join()}, ','))) as missing_key
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

const INTERVAL_MS = 20;
const MAX_BATCH_SIZE = 256;
/** While the database answers, a read waits less than a second. */
const MAX_WAIT_MS = 10_000;

type Read<Row> = { id: string; row: Promise<Row | null>; settle: (row: Promise<Row | null>) => void };

/**
 * Reads rows by id for unauthenticated requests, whose senders choose both the ids and the networks. They cannot
 * overload the database: one statement runs at a time, at most 50 begin in a second, and each reads at most 256 ids. No
 * read is refused, because the request may have a correct signature. Networks take turns, so a flood from one network
 * delays only itself: behind a network with 10,000 waiting ids, a read of another network is in the next statement.
 * Every waiting read belongs to an open connection, and the number of connections is limited. A read fails if the
 * database has not answered it after 10 seconds.
 */
export function createPacedReader<Row>(readRows: (ids: string[]) => Promise<Map<string, Row>>) {
  const networks = new Map<string, Map<string, Read<Row>>>();
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    await nextTick();
    while (networks.size > 0) {
      const batch = nextBatch();
      const rows = readRows([...new Set(batch.map(({ id }) => id))]);
      for (const { id, settle } of batch) settle(rows.then((found) => found.get(id) ?? null));
      await Promise.allSettled([rows, delay(INTERVAL_MS)]);
    }
    isRunning = false;
  }

  /** The loop also visits networks that it inserts again at the end of the map. */
  function nextBatch(): Read<Row>[] {
    const batch: Read<Row>[] = [];
    for (const [network, reads] of networks) {
      const [read] = reads.values();
      if (read) {
        batch.push(read);
        reads.delete(read.id);
      }
      networks.delete(network);
      if (reads.size > 0) networks.set(network, reads);
      if (batch.length === MAX_BATCH_SIZE) break;
    }
    return batch;
  }

  /** The statement begins after the call, so it sees a secret that another node has just rotated. */
  return function read(network: string, id: string): Promise<Row | null> {
    const reads = networks.get(network) ?? new Map<string, Read<Row>>();
    networks.set(network, reads);
    const read = reads.get(id) ?? newRead<Row>(id);
    reads.set(id, read);
    read.row.catch(() => {
      if (reads.get(id) === read) reads.delete(id);
    });
    if (!isRunning) void run();
    return read.row;
  };
}

function newRead<Row>(id: string): Read<Row> {
  let settle!: Read<Row>['settle'];
  const row = new Promise<Row | null>((resolve, reject) => {
    const waitedTooLong = codedError('QUEUE_TIMEOUT', 'A credential was not read in time.');
    const timer = setTimeout(() => reject(waitedTooLong), MAX_WAIT_MS);
    settle = (found) => {
      void found.then(resolve, reject).finally(() => clearTimeout(timer));
    };
  });
  return { id, row, settle };
}
