import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/**
 * `osk_`, 43 random base62 characters (256 bits) and 6 for their CRC-32 (IEEE). Secret scanners recognise it, and a
 * mistyped secret is noticed offline.
 */
export function generateCredentialSecret(): string {
  const random = Array.from({ length: 43 }, () => ALPHABET[randomInt(62)]).join('');
  return `osk_${random}${base62(crc32(random))}`;
}

function base62(value: number): string {
  let digits = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) digits = ALPHABET[rest % 62] + digits;
  return digits.padStart(6, '0');
}

/** The identity that a credential's secret is sealed for. The secret does not open in another row or version. */
export const credentialOwner = (tenantId: string, clientId: string, secretVersion: number) =>
  `credential:${tenantId}:${clientId}:${secretVersion}`;
