import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';

export const SEALED_NUMBER = /^[A-Za-z0-9_-]{22}$/;

/**
 * Encrypts numbers below 2^63 for one owner. The texts show neither the number nor how far two numbers are apart. The
 * same number gives the same text. One AES block: 8 bytes of the owner's hash, which `open` checks, and 8 of the number.
 */
export function sealedNumbers(key: Buffer, owner: string) {
  const tag = createHash('sha256').update(owner).digest().subarray(0, 8);
  return {
    seal(number: string): string {
      const block = Buffer.concat([tag, Buffer.alloc(8)]);
      block.writeBigInt64BE(BigInt(number), 8);
      return createCipheriv('aes-256-ecb', key, null).setAutoPadding(false).update(block).toString('base64url');
    },
    /** Null if the text was not sealed for this owner. */
    open(text: string): string | null {
      const sealed = Buffer.from(text, 'base64url');
      const block = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false).update(sealed);
      return block.subarray(0, 8).equals(tag) ? String(block.readBigInt64BE(8)) : null;
    },
  };
}
