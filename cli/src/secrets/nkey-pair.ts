import { createPrivateKey, createPublicKey, randomBytes } from 'node:crypto';

/** The kinds of nkey pairs and their first byte, which makes a public key begin with U or A. */
const prefixes = { user: 20 << 3, account: 0 };
const SEED_PREFIX = 18 << 3;
/** A PKCS#8 document of an Ed25519 key up to the key itself (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

export type NkeyPair = { seed: string; publicKey: string };

/** A new pair of Ed25519 keys in the text form of NATS: base32 of prefix, key and checksum. */
export function newNkeyPair(kind: keyof typeof prefixes): NkeyPair {
  const prefix = prefixes[kind];
  const secret = randomBytes(32);
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8, secret]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32);
  return {
    seed: encode(Buffer.from([SEED_PREFIX | (prefix >> 5), (prefix & 31) << 3]), secret),
    publicKey: encode(Buffer.from([prefix]), publicKey),
  };
}

function encode(prefix: Buffer, key: Buffer): string {
  const bytes = Buffer.concat([prefix, key]);
  const checksum = Buffer.alloc(2);
  checksum.writeUInt16LE(crc16(bytes));
  return base32(Buffer.concat([bytes, checksum]));
}

/** CRC-16/XMODEM. */
function crc16(bytes: Buffer): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc;
}

/** RFC 4648, without padding. */
function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = bits.match(/.{1,5}/g) ?? [];
  return letters.map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}
