const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const SECRET = /^osk_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/**
 * The problem of a secret, or null. It never quotes the secret. A secret without `osk_` is not checked: it has no
 * checksum.
 */
export function secretProblem(secret: string): string | null {
  if (!/^[\x21-\x7e]+$/.test(secret)) return 'has spaces, line breaks or other characters that no secret has';
  if (!secret.startsWith('osk_')) return null;
  const [, random = '', checksum] = SECRET.exec(secret) ?? [];
  if (!checksum) return `must be osk_ and 49 letters and digits, but has ${secret.length - 4}: copy all of it`;
  return base62(crc32(random)) === checksum ? null : 'has a typo: its checksum does not match';
}

/** The IEEE CRC-32, bit by bit: it runs once over 43 characters. */
function crc32(text: string): number {
  let crc = ~0;
  for (let i = 0; i < text.length; i += 1) {
    crc ^= text.charCodeAt(i);
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function base62(value: number): string {
  let text = '';
  for (let rest = value; text.length < 6; rest = Math.floor(rest / 62)) text = ALPHABET.charAt(rest % 62) + text;
  return text;
}
