import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { StartupError } from '../startup-error.js';

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
