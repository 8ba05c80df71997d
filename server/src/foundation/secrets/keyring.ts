import { exec } from 'node:child_process';
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { eq, inArray } from 'drizzle-orm';
import { z } from 'zod';
import type { Database } from '../database/database.js';
import { StartupError } from '../startup-error.js';
import { keyringCanaries } from '../tables.js';

const Keyring = z
  .strictObject({
    primary: z.string().regex(/^[A-Za-z0-9_-]{1,32}$/),
    keys: z.record(z.string().regex(/^[A-Za-z0-9_-]{1,32}$/), z.base64()),
  })
  .refine(({ primary, keys }) => primary in keys, 'primary must name one of keys')
  .refine(({ keys }) => Object.values(keys).every((key) => Buffer.from(key, 'base64').length === 32), {
    message: 'every key must be the base64 of 32 bytes',
  });

/**
 * Seals secrets at rest. They cannot be hashed: verifying an HMAC needs the secret itself. `owner` is the identity of the
 * row, which becomes the associated data (AAD): a sealed text opens in no other row.
 */
export type Keyring = {
  primary: string;
  keyIds: string[];
  seal(text: string, owner: string): Buffer;
  open(sealed: Buffer, owner: string): string;
  has(keyId: string): boolean;
};

/** A secret is sealed with a key that the keyring of this process lacks. */
export class KeyMissingError extends Error {
  override name = 'KeyMissingError';

  constructor(readonly keyId: string) {
    super(
      `A secret is sealed with the master key ${keyId}, which the keyring of this process lacks. Add it and restart.`,
    );
  }
}

/** The id of the key that a secret is sealed with. */
export const keyIdOf = (sealed: Buffer) => sealed.toString('utf8', 1, 1 + (sealed[0] ?? 0));

/** AES-256-GCM: length of the key id, key id, 12 bytes of nonce, ciphertext, 16 bytes of tag. */
export function parseKeyring(json: string, from: string): Keyring {
  const { primary, keys } = parse(json, from);
  const bytesOf = new Map(Object.entries(keys).map(([id, key]) => [id, Buffer.from(key, 'base64')]));

  return {
    primary,
    keyIds: [...bytesOf.keys()],
    has: (keyId) => bytesOf.has(keyId),
    seal(text, owner) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', bytesOf.get(primary) as Buffer, nonce, { authTagLength: 16 });
      cipher.setAAD(Buffer.from(owner));
      const keyId = Buffer.from(primary);
      return Buffer.concat([
        Buffer.of(keyId.length),
        keyId,
        nonce,
        cipher.update(text, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
    },
    open(sealed, owner) {
      const start = 1 + (sealed[0] ?? 0);
      const key = bytesOf.get(keyIdOf(sealed));
      if (!key) throw new KeyMissingError(keyIdOf(sealed));
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(start, start + 12), { authTagLength: 16 });
      decipher.setAAD(Buffer.from(owner));
      decipher.setAuthTag(sealed.subarray(-16));
      return Buffer.concat([decipher.update(sealed.subarray(start + 12, -16)), decipher.final()]).toString('utf8');
    },
  };
}

/** No message shows any part of the text, because it consists of keys. */
function parse(json: string, from: string) {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new StartupError(`${from} is not JSON.`);
  }
  const parsed = Keyring.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => issue.message);
  throw new StartupError(
    `${from} must be {"primary": id, "keys": {id: base64 of 32 bytes}}: ${[...new Set(problems)].join('; ')}.`,
  );
}

export const generateKeyring = () =>
  JSON.stringify({ primary: 'k1', keys: { k1: randomBytes(32).toString('base64') } });

type Source = {
  KEYRING?: string | undefined;
  KEYRING_FILE?: string | undefined;
  KEYRING_COMMAND?: string | undefined;
  DATABASE_URL?: string | undefined;
  DATA_DIR: string;
};

/** The keyring of a database, and the key of the positions in its event log. */
export type OpenedKeyring = Keyring & { cursorKey: Buffer };

/**
 * Reads the keyring and verifies with the canaries that it is the one that sealed this database's secrets. The canaries
 * are the same key, sealed with each master key: it survives a rotation of the master key, and so do cursors.
 */
export async function openKeyring(source: Source, database: Database): Promise<OpenedKeyring> {
  const { drizzle } = database;
  const canaries = await readCanaries(database);
  const keyring = await readKeyring(source, canaries.length === 0);
  let cursorKey = randomBytes(32).toString('base64');
  for (const { keyId, sealed } of canaries) {
    const opened = openCanary(keyring, keyId, sealed);
    if (opened === null) {
      throw new StartupError(
        `The keyring is not the one of this database: the key ${keyId} is ${keyring.has(keyId) ? 'another' : 'missing'}. Use the keyring that sealed its secrets.`,
      );
    }
    cursorKey = opened;
  }
  await drizzle
    .insert(keyringCanaries)
    .values({ keyId: keyring.primary, sealed: keyring.seal(cursorKey, ownerOf(keyring.primary)) })
    .onConflictDoNothing();
  // Two nodes may start on a new database with two keyrings: the node whose canary lost must stop.
  const [kept] = await drizzle.select().from(keyringCanaries).where(eq(keyringCanaries.keyId, keyring.primary));
  const canary = kept && openCanary(keyring, kept.keyId, kept.sealed);
  if (!canary) throw new StartupError('Another node has just initialised this database with another keyring.');
  return { ...keyring, cursorKey: Buffer.from(canary, 'base64') };
}

/** The keys that the database knows. */
export const readCanaries = ({ drizzle }: Database) => drizzle.select().from(keyringCanaries);

/** After this, the keyring may lack these keys at a start. */
export const forgetCanaries = ({ drizzle }: Database, keyIds: string[]) =>
  drizzle.delete(keyringCanaries).where(inArray(keyringCanaries.keyId, keyIds));

const ownerOf = (keyId: string) => `keyring-canary:${keyId}`;

function openCanary(keyring: Keyring, keyId: string, sealed: Buffer): string | null {
  try {
    return keyring.open(sealed, ownerOf(keyId));
  } catch {
    return null;
  }
}

async function readKeyring(source: Source, isNewDatabase: boolean): Promise<Keyring> {
  if (source.KEYRING) return parseKeyring(source.KEYRING, 'KEYRING');
  if (source.KEYRING_COMMAND)
    return parseKeyring(await outputOf(source.KEYRING_COMMAND), 'What KEYRING_COMMAND prints');
  const file = source.KEYRING_FILE ?? path.join(source.DATA_DIR, 'keyring.json');
  const mayGenerate = !source.KEYRING_FILE && !source.DATABASE_URL && isNewDatabase;
  const text = await readFile(file, 'utf8').catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || !mayGenerate)
      throw new StartupError(`The keyring ${file} cannot be read (${error.code}).`);
    const generated = generateKeyring();
    await writePrivateFile(file, generated);
    return generated;
  });
  if (((await stat(file)).mode & 0o077) !== 0) {
    throw new StartupError(`The keyring ${file} can be read by others: chmod 600 it.`);
  }
  return parseKeyring(text, file);
}

const COMMAND_WITHIN_MS = 30_000;

/** Never quotes what the command printed: keys may be in both its outputs. */
async function outputOf(command: string): Promise<string> {
  try {
    return (await promisify(exec)(command, { timeout: COMMAND_WITHIN_MS })).stdout;
  } catch (error) {
    const { code, killed } = error as { code?: number | string; killed?: boolean };
    const reason = killed ? `did not end within ${COMMAND_WITHIN_MS / 1000} seconds` : `ended with ${code}`;
    throw new StartupError(
      `KEYRING_COMMAND ${reason}. Its output is not shown, because keys may be in it: run it by hand.`,
    );
  }
}

/**
 * Writes a file that only its owner can read. It appears whole or not at all, and is on the disk when this returns. With
 * `isNew` it replaces no file: it rejects with EEXIST.
 */
export async function writePrivateFile(file: string, text: string, { isNew = false } = {}): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}.tmp`;
  const handle = await open(temporary, 'w', 0o600);
  try {
    await handle.chmod(0o600);
    await handle.writeFile(`${text}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (!isNew) return rename(temporary, file);
  try {
    await link(temporary, file);
  } finally {
    await rm(temporary);
  }
}

export const SEALED_NUMBER = /^[A-Za-z0-9_-]{22}$/;

type Numbered = { generation: string; seq: string };

/**
 * Encrypts numbers below 2^63 for one owner. The texts show neither the number nor how far two numbers are apart. The
 * same number gives the same text. One AES block: 4 bytes of the owner's hash, which `open` checks; the generation of the
 * number (the first 4 bytes of its id, in hex), combined with the next 4 bytes of the hash; 8 bytes of the number.
 */
export function sealedNumbers(key: Buffer, owner: string) {
  const tag = createHash('sha256').update(owner).digest();
  return {
    seal({ generation, seq }: Numbered): string {
      const block = Buffer.alloc(16);
      tag.copy(block, 0, 0, 4);
      block.writeUInt32BE((tag.readUInt32BE(4) ^ Number.parseInt(generation, 16)) >>> 0, 4);
      block.writeBigInt64BE(BigInt(seq), 8);
      return createCipheriv('aes-256-ecb', key, null).setAutoPadding(false).update(block).toString('base64url');
    },
    /** Null if the text was not sealed for this owner. */
    open(text: string): Numbered | null {
      const sealed = Buffer.from(text, 'base64url');
      const block = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false).update(sealed);
      if (!block.subarray(0, 4).equals(tag.subarray(0, 4))) return null;
      return {
        generation: ((block.readUInt32BE(4) ^ tag.readUInt32BE(4)) >>> 0).toString(16).padStart(8, '0'),
        seq: String(block.readBigInt64BE(8)),
      };
    },
  };
}
