import { MAX_DEPTH } from '../facts.js';
import { precisionProblem } from './json-number.js';
import { locationOf } from './location.js';

const SPACE = /[ \t\n\r]*/y;
const LITERAL = /true|false|null/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\d.eE+-])/y;
/** A string up to its closing quote, or up to what it must not contain. */
const STRING =
  /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u(?!0000|[dD][89a-fA-F])[\da-fA-F]{4}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2})[ !#-[\]-\uffff]*)*/y;

/** What a string must not contain: its beginning and the problem. */
const PROBLEMS_IN_STRINGS: [start: RegExp, problem: string][] = [
  [/^\\u0000/, 'NUL is not allowed'],
  [/^\\u[dD][89a-fA-F][\da-fA-F]{2}/, 'a lone surrogate is not text'],
  [/^\\u/, '\\u needs four hex digits'],
  [/^\\/, 'not a JSON escape'],
  [/^/, 'a control character must be escaped'],
];

/** The location is a JSON Pointer in the part; the message ends with the byte offset. */
export type JsonProblem = { location: string; message: string };

/**
 * Parses JSON that has the same meaning for every reader: I-JSON (RFC 7493), but with noncharacters. It refuses repeated
 * names, lone surrogates, bytes that are not UTF-8, and numbers that a double does not keep; moreover NUL, the name
 * `__proto__` and more than `maxDepth` levels. `part` names the text, such as the part of a request.
 */
export function parseJson(
  bytes: Uint8Array,
  part = 'body',
  maxDepth = MAX_DEPTH,
): { value: unknown } | { problem: JsonProblem } {
  const whole = decoded(bytes);
  const text = whole ?? wellFormedPartOf(bytes);
  const scan = new Scan(text, maxDepth, whole === undefined ? 'these bytes are not UTF-8' : `the ${part} ends`);
  try {
    scan.document(whole !== undefined);
    return { value: JSON.parse(text) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const message = `${error.message} (byte ${new TextEncoder().encode(text.slice(0, error.at)).length})`;
    return { problem: { location: locationOf(part, scan.path), message } };
  }
}

const STRICT = { fatal: true, ignoreBOM: true };
const utf8 = new TextDecoder('utf-8', STRICT);

/** Undefined if the bytes are not UTF-8. */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The characters before the first bytes that are not UTF-8, found by halving. */
function wellFormedPartOf(bytes: Uint8Array): string {
  let text = '';
  let [good, bad] = [0, bytes.length + 1];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    try {
      // As a part of a stream, bytes may end within a character, which is left out.
      text = new TextDecoder('utf-8', STRICT).decode(bytes.subarray(0, middle), { stream: true });
      good = middle;
    } catch {
      bad = middle;
    }
  }
  return text;
}

/** Not an Error: refused bodies are common and need no stack trace. */
class Refusal {
  constructor(
    readonly message: string,
    readonly at: number,
  ) {}
}

class Scan {
  /** The names and indices that lead to the current value. */
  readonly path: (string | number)[] = [];
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly maxDepth: number,
    private readonly end: string,
  ) {}

  document(isWhole: boolean): void {
    if (this.text.startsWith('\ufeff')) this.refuse('a byte order mark is not allowed');
    this.value();
    if (this.next() !== undefined || !isWhole) this.unexpected('the end');
  }

  private value(): void {
    const first = this.next();
    const start = this.at;
    if (first === '"') this.string();
    else if (first === '{') this.object();
    else if (first === '[') this.array();
    else if (this.match(NUMBER)) {
      const problem = precisionProblem(this.text.slice(start, this.at));
      if (problem) this.refuse(problem, start);
    } else if (!this.match(LITERAL)) {
      if (/[-\d]/.test(first ?? '')) this.refuse('not a JSON number');
      this.unexpected('a value');
    }
  }

  private object(): void {
    const names = new Set<string>();
    this.items('}', () => {
      if (this.next() !== '"') this.unexpected('a name in double quotes');
      const start = this.at;
      this.string();
      const quoted = this.text.slice(start, this.at);
      const name: string = quoted.includes('\\') ? JSON.parse(quoted) : quoted.slice(1, -1);
      this.path.push(name);
      if (name === '__proto__') this.refuse('the name __proto__ is not allowed', start);
      if (names.has(name)) this.refuse('the name is repeated', start);
      names.add(name);
      if (!this.take(':')) this.unexpected('a colon');
      this.value();
    });
  }

  private array(): void {
    let index = 0;
    this.items(']', () => {
      this.path.push(index++);
      this.value();
    });
  }

  /** Reads items up to the closing bracket. An item adds its step to the path. */
  private items(close: '}' | ']', readItem: () => void): void {
    if (this.path.length === this.maxDepth) this.refuse(`nested deeper than ${this.maxDepth} levels`);
    this.at++;
    if (this.take(close)) return;
    for (;;) {
      readItem();
      if (this.take(close)) break;
      if (!this.take(',')) this.unexpected(`a comma or ${close}`);
      this.path.pop();
    }
    this.path.pop();
  }

  private string(): void {
    this.match(STRING);
    const next = this.text[this.at];
    if (next === undefined) this.unexpected('a closing quote');
    if (next === '"') this.at++;
    else {
      const rest = this.text.slice(this.at, this.at + 6);
      this.refuse(PROBLEMS_IN_STRINGS.find(([start]) => start.test(rest))?.[1] ?? '');
    }
  }

  private match(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    if (!pattern.test(this.text)) return false;
    this.at = pattern.lastIndex;
    return true;
  }

  /** Takes this character if it is the next one after white space. */
  private take(wanted: string): boolean {
    if (this.next() !== wanted) return false;
    this.at++;
    return true;
  }

  /** The next character after white space; undefined at the end. */
  private next(): string | undefined {
    if (this.text.charCodeAt(this.at) <= 0x20) this.match(SPACE);
    return this.text[this.at];
  }

  private unexpected(expected: string): never {
    this.refuse(this.at < this.text.length ? `expected ${expected}` : `expected ${expected}, but ${this.end}`);
  }

  private refuse(message: string, at = this.at): never {
    throw new Refusal(message, at);
  }
}
