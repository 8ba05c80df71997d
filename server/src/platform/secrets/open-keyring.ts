import { exec } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { eq, inArray } from 'drizzle-orm';
import type { Database } from '../database/database.js';
import { StartupError } from '../startup-error.js';
import { generateKeyring, type Keyring, parseKeyring } from './keyring.js';
import { keyringCanaries } from './keyring-canaries.table.js';
import { writePrivateFile } from './private-file.js';

type Source = {
  KEYRING?: string | undefined;
  KEYRING_FILE?: string | undefined;
  KEYRING_COMMAND?: string | undefined;
  DATABASE_URL?: string | undefined;
  DATA_DIR: string;
};

const CANARY = 'the keyring opens what it sealed';

/** Reads the keyring and verifies with a canary that it is the one that sealed this database's secrets. */
export async function openKeyring(source: Source, database: Database): Promise<Keyring> {
  const { drizzle } = database;
  const canaries = await readCanaries(database);
  const keyring = await readKeyring(source, canaries.length === 0);
  for (const { keyId, sealed } of canaries) {
    if (!opens(keyring, keyId, sealed)) {
      throw new StartupError(
        `The keyring is not the one of this database: the key ${keyId} is ${keyring.has(keyId) ? 'another' : 'missing'}. Use the keyring that sealed its secrets.`,
      );
    }
  }
  await drizzle
    .insert(keyringCanaries)
    .values({ keyId: keyring.primary, sealed: keyring.seal(CANARY, ownerOf(keyring.primary)) })
    .onConflictDoNothing();
  // Two nodes may start on a new database with two keyrings: the node whose canary lost must stop.
  const [kept] = await drizzle.select().from(keyringCanaries).where(eq(keyringCanaries.keyId, keyring.primary));
  if (!kept || !opens(keyring, kept.keyId, kept.sealed)) {
    throw new StartupError('Another node has just initialised this database with another keyring.');
  }
  return keyring;
}

/** The keys that the database knows. */
export const readCanaries = ({ drizzle }: Database) => drizzle.select().from(keyringCanaries);

/** After this, the keyring may lack these keys at a start. */
export async function forgetCanaries({ drizzle }: Database, keyIds: string[]): Promise<void> {
  if (keyIds.length > 0) await drizzle.delete(keyringCanaries).where(inArray(keyringCanaries.keyId, keyIds));
}

const ownerOf = (keyId: string) => `keyring-canary:${keyId}`;

function opens(keyring: Keyring, keyId: string, sealed: Buffer): boolean {
  try {
    return keyring.open(sealed, ownerOf(keyId)) === CANARY;
  } catch {
    return false;
  }
}

async function readKeyring(source: Source, isNewDatabase: boolean): Promise<Keyring> {
  if (source.KEYRING) return parseKeyring(source.KEYRING, 'KEYRING');
  if (source.KEYRING_COMMAND)
    return parseKeyring(await outputOf(source.KEYRING_COMMAND), 'What KEYRING_COMMAND prints');
  const file = source.KEYRING_FILE ?? path.join(source.DATA_DIR, 'keyring.json');
  const mayGenerate = !source.KEYRING_FILE && !source.DATABASE_URL && isNewDatabase;
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && mayGenerate) return null;
    throw new StartupError(`The keyring ${file} cannot be read (${error.code}).`);
  });
  if (text === null) {
    const generated = generateKeyring();
    await writePrivateFile(file, generated);
    return parseKeyring(generated, file);
  }
  if (((await stat(file)).mode & 0o077) !== 0) {
    throw new StartupError(`The keyring ${file} can be read by others: chmod 600 it.`);
  }
  return parseKeyring(text, file);
}

const COMMAND_WITHIN_MS = 30_000;

/** Never quotes what the command printed: it is made of keys. */
async function outputOf(command: string): Promise<string> {
  try {
    return (await promisify(exec)(command, { timeout: COMMAND_WITHIN_MS })).stdout;
  } catch (error) {
    const { code, killed, stderr = '' } = error as { code?: number | string; killed?: boolean; stderr?: string };
    const reason = killed ? `did not end within ${COMMAND_WITHIN_MS / 1000} seconds` : `ended with ${code}`;
    throw new StartupError(`KEYRING_COMMAND ${reason}. ${stderr.trim().slice(0, 500)}`.trim());
  }
}
