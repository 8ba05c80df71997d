import { isUtf8 } from 'node:buffer';
import { UsageError } from '../errors.js';

/**
 * The bytes of a text in UTF-8, without a byte order mark. Editors and shells of Windows write one, and UTF-16. `place`:
 * the name of the text in errors.
 */
export function inUtf8(bytes: Buffer, place: string): Buffer {
  const [first, second, third, fourth] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return bytes.subarray(3);
  const isLittle = first === 0xff && second === 0xfe;
  if (isLittle && third === 0 && fourth === 0) throw new UsageError(`${place} is UTF-32; save it as UTF-8`);
  if (isLittle) return decoded(bytes, 'utf-16le', place);
  if (first === 0xfe && second === 0xff) return decoded(bytes, 'utf-16be', place);
  if (first === 0 || second === 0) {
    throw new UsageError(`${place} is UTF-16 without a byte order mark, or no text; save it as UTF-8`);
  }
  return bytes;
}

/** The same as a string. Other bytes are refused: decoding would replace them, and a secret would be another one. */
export function textIn(bytes: Buffer, place: string): string {
  const text = inUtf8(bytes, place);
  if (isUtf8(text)) return text.toString('utf8');
  throw new UsageError(`${place} is not UTF-8`);
}

function decoded(bytes: Buffer, encoding: string, place: string): Buffer {
  try {
    return Buffer.from(new TextDecoder(encoding, { fatal: true }).decode(bytes));
  } catch {
    throw new UsageError(`${place} is broken UTF-16; save it as UTF-8`);
  }
}
