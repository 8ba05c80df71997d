import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { chownSync, existsSync, writeFileSync } from 'node:fs';

/**
 * Creates what the platform and NATS need before their first start, once: the keyring, the platform's nkey, and the
 * configuration of nats-server. Run as root, it gives these folders and files to the user 1000.
 */
const [secrets, nats, natsData] = process.argv.slice(2);

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Nkeys are written in base32 (RFC 4648). */
function base32(bytes) {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const characters = bits.match(/.{1,5}/g).map((five) => BASE32[Number.parseInt(five.padEnd(5, '0'), 2)]);
  return characters.join('');
}

/** CRC-16/XMODEM, low byte first, ends every nkey. */
function withChecksum(bytes) {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return Buffer.concat([bytes, Buffer.from([crc & 0xff, (crc >> 8) & 0xff])]);
}

const SEED = 18 << 3;
const USER = 20 << 3;

function createUserKey() {
  const { privateKey } = generateKeyPairSync('ed25519');
  const seed = Buffer.from(privateKey.export({ format: 'jwk' }).d, 'base64url');
  const key = Buffer.from(createPublicKey(privateKey).export({ format: 'jwk' }).x, 'base64url');
  return {
    seed: base32(withChecksum(Buffer.concat([Buffer.from([SEED | (USER >> 5), (USER & 31) << 3]), seed]))),
    publicKey: base32(withChecksum(Buffer.concat([Buffer.from([USER]), key]))),
  };
}

const { seed, publicKey } = createUserKey();
const keyring = { primary: 'k1', keys: { k1: randomBytes(32).toString('base64') } };
const files = [
  [`${nats}/nats.conf`, `jetstream { store_dir: ${JSON.stringify(natsData)} }\ninclude "accounts.conf"\n`],
  [`${nats}/accounts.conf`, `accounts { TOP { jetstream: enabled, users: [ { nkey: ${publicKey} } ] } }\n`],
  [`${secrets}/keyring.json`, JSON.stringify(keyring)],
  [`${secrets}/platform.pub`, publicKey],
  // Last: with it the folders are complete.
  [`${secrets}/platform.nk`, seed],
];
if (!existsSync(`${secrets}/platform.nk`)) {
  for (const [file, content] of files) writeFileSync(file, content, { mode: 0o600 });
}
// Last, and on every run: without further capabilities, root cannot write to the files of another user. A run may be
// killed at any line.
for (const path of [...files.map(([file]) => file), secrets, nats, natsData]) chownSync(path, 1000, 1000);
