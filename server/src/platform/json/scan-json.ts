import { precisionProblem } from './json-number.js';
import { locationOf } from './location.js';

const MAX_DEPTH = 32;

const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const LOWER_E = 0x65;
const LOWER_U = 0x75;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const END = -1;

/** 1 for bytes that stand for themselves in a string: ASCII without control characters, quote and backslash. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte < 0x80 && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
);

const SHORT_ESCAPES = new Set(Buffer.from('"\\/bfnrt'));

/** The problem of a body and its place: a JSON Pointer within `body`, and the byte offset in the message. */
export type JsonProblem = { location: string; message: string };

/** Parses JSON that has one unambiguous meaning. */
export function parseJson(bytes: Buffer): { value: unknown } | { problem: JsonProblem } {
  const problem = scanJson(bytes);
  return problem ? { problem } : { value: JSON.parse(bytes.toString('utf8')) };
}

/**
 * Finds every syntax error, and every construct that JSON.parse accepts but readers interpret differently, in one pass
 * over the received bytes. JSON.parse accepts every body that passes, and prints it with the same meaning.
 */
export function scanJson(bytes: Buffer): JsonProblem | null {
  const scan = new Scan(bytes);
  try {
    scan.document();
    return null;
  } catch (error) {
    if (error instanceof Refusal) return { location: scan.location(), message: error.message };
    throw error;
  }
}

/** Not an Error: refused bodies are common and need no stack trace. */
class Refusal {
  constructor(readonly message: string) {}
}

class Scan {
  private at = 0;
  /** Null stands for a member whose name is not read yet. */
  private readonly path: (string | number | null)[] = [];
  private readonly length: number;

  constructor(private readonly bytes: Buffer) {
    this.length = bytes.length;
  }

  location(): string {
    return locationOf(
      'body',
      this.path.filter((step) => step !== null),
    );
  }

  document(): void {
    if (this.bytes[0] === 0xef && this.bytes[1] === 0xbb && this.bytes[2] === 0xbf) {
      this.refuse('a byte order mark is not allowed');
    }
    this.value();
    if (this.token() !== END) this.unexpected('the end');
  }

  private value(): void {
    const byte = this.token();
    if (byte === QUOTE) this.string();
    else if (byte === OPEN_OBJECT) this.object();
    else if (byte === OPEN_ARRAY) this.array();
    else if (byte === MINUS || isDigit(byte)) this.number();
    else if (byte === 0x74) this.literal('true');
    else if (byte === 0x66) this.literal('false');
    else if (byte === 0x6e) this.literal('null');
    else this.unexpected('a value');
  }

  private object(): void {
    this.enter();
    if (this.token() === CLOSE_OBJECT) return this.leave();
    const names = new Set<string>();
    for (;;) {
      if (this.token() !== QUOTE) this.unexpected('a name in double quotes');
      const start = this.at;
      const name = this.name();
      this.path[this.path.length - 1] = name;
      if (name === '__proto__') this.refuse('the name __proto__ is not allowed', start);
      if (names.has(name)) this.refuse('the name is repeated', start);
      names.add(name);
      if (this.token() !== COLON) this.unexpected('a colon');
      this.at++;
      this.value();
      const byte = this.token();
      if (byte === CLOSE_OBJECT) return this.leave();
      if (byte !== COMMA) this.unexpected('a comma or }');
      this.at++;
      this.path[this.path.length - 1] = null;
    }
  }

  private array(): void {
    this.enter();
    if (this.token() === CLOSE_ARRAY) return this.leave();
    for (let index = 0; ; index++) {
      this.path[this.path.length - 1] = index;
      this.value();
      const byte = this.token();
      if (byte === CLOSE_ARRAY) return this.leave();
      if (byte !== COMMA) this.unexpected('a comma or ]');
      this.at++;
    }
  }

  private enter(): void {
    if (this.path.length === MAX_DEPTH) this.refuse(`nested deeper than ${MAX_DEPTH} levels`);
    this.path.push(null);
    this.at++;
  }

  private leave(): void {
    this.path.pop();
    this.at++;
  }

  private name(): string {
    const start = this.at;
    const plain = this.string();
    if (plain) return this.bytes.toString('latin1', start + 1, this.at - 1);
    return JSON.parse(this.bytes.toString('utf8', start, this.at));
  }

  /** Says whether the string is ASCII without escapes. */
  private string(): boolean {
    const { bytes, length } = this;
    let plain = true;
    let at = this.at + 1;
    for (;;) {
      while (at < length && PLAIN[bytes[at] as number] === 1) at++;
      this.at = at;
      const byte = this.peek();
      if (byte === QUOTE) {
        this.at++;
        return plain;
      }
      plain = false;
      if (byte === BACKSLASH) this.escape();
      else if (byte >= 0x80) this.multibyte(byte);
      else if (byte === END) this.unexpected('a closing quote');
      else this.refuse('a control character must be escaped');
      at = this.at;
    }
  }

  private escape(): void {
    const start = this.at++;
    const byte = this.peek();
    this.at++;
    if (SHORT_ESCAPES.has(byte)) return;
    if (byte !== LOWER_U) this.refuse('not a JSON escape', start);
    const unit = this.hex4(start);
    if (unit === 0) this.refuse('NUL is not allowed', start);
    if (unit < 0xd800 || unit > 0xdfff) return;
    const paired = unit < 0xdc00 && this.bytes[this.at] === BACKSLASH && this.bytes[this.at + 1] === LOWER_U;
    if (!paired) this.refuse('a lone surrogate is not text', start);
    this.at += 2;
    const low = this.hex4(start);
    if (low < 0xdc00 || low > 0xdfff) this.refuse('a lone surrogate is not text', start);
  }

  private hex4(start: number): number {
    let unit = 0;
    for (let digit = 0; digit < 4; digit++) {
      const value = hexValue(this.peek());
      if (value === -1) this.refuse('\\u needs four hex digits', start);
      unit = unit * 16 + value;
      this.at++;
    }
    return unit;
  }

  /** The well-formed sequences of RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. */
  private multibyte(lead: number): void {
    const { bytes, at } = this;
    const second = bytes[at + 1] ?? 0;
    let size = 0;
    if (lead >= 0xc2 && lead <= 0xdf) size = 2;
    else if (lead >= 0xe0 && lead <= 0xef) {
      size = (lead === 0xe0 && second < 0xa0) || (lead === 0xed && second > 0x9f) ? 0 : 3;
    } else if (lead >= 0xf0 && lead <= 0xf4) {
      size = (lead === 0xf0 && second < 0x90) || (lead === 0xf4 && second > 0x8f) ? 0 : 4;
    }
    for (let offset = 1; offset < size; offset++) {
      if (((bytes[at + offset] ?? 0) & 0xc0) !== 0x80) size = 0;
    }
    if (size === 0) this.refuse('not UTF-8');
    this.at += size;
  }

  private number(): void {
    const start = this.at;
    const negative = this.peek() === MINUS;
    if (negative) this.at++;
    const leading = this.peek();
    this.digits();
    if (leading === ZERO && this.at - start > (negative ? 2 : 1)) this.refuse('a number must not begin with 0', start);
    if (this.peek() === POINT) {
      this.at++;
      this.digits();
    }
    const exponent = this.peek();
    const hasExponent = (exponent | 0x20) === LOWER_E;
    if (hasExponent) {
      this.at++;
      const sign = this.peek();
      if (sign === PLUS || sign === MINUS) this.at++;
      this.digits();
    }
    // A double keeps every number of up to 15 digits; only -0 is left to check.
    if (this.at - start <= 15 && !hasExponent && !(negative && leading === ZERO)) return;
    const problem = precisionProblem(this.bytes.toString('latin1', start, this.at));
    if (problem) this.refuse(problem, start);
  }

  private digits(): void {
    if (!isDigit(this.peek())) this.unexpected('a digit');
    while (isDigit(this.peek())) this.at++;
  }

  private literal(text: string): void {
    for (let index = 0; index < text.length; index++) {
      if (this.peek() !== text.charCodeAt(index)) this.unexpected(text);
      this.at++;
    }
  }

  /** The next byte after white space. */
  private token(): number {
    const { bytes, length } = this;
    let at = this.at;
    while (at < length && isSpace(bytes[at] as number)) at++;
    this.at = at;
    return this.peek();
  }

  private peek(): number {
    return this.at < this.length ? (this.bytes[this.at] as number) : END;
  }

  private unexpected(expected: string): never {
    return this.refuse(this.at < this.length ? `expected ${expected}` : `expected ${expected}, but the body ends`);
  }

  private refuse(message: string, at = this.at): never {
    throw new Refusal(`${message} (byte ${at})`);
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

function hexValue(byte: number): number {
  if (isDigit(byte)) return byte - ZERO;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
