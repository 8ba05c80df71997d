import { InvalidArgumentError } from '../errors.js';

export type Query = object;

/** An id outside this alphabet cannot exist, and an empty one would address another operation. */
const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._~-]*$/;

/** `path[?query]`, in the spelling that is both signed and sent. `parameters` are the path parameters in order. */
export function buildTarget(template: string, parameters: readonly string[] = [], query: Query = {}): string {
  const values = parameters.values();
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const { value } = values.next();
    if (typeof value !== 'string' || !SEGMENT.test(value)) {
      throw new InvalidArgumentError(`${name} must be an id of the characters A-Z a-z 0-9 . _ ~ -, and not empty.`);
    }
    return value;
  });
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [`${name}=${encodeValue(name, String(value))}`],
  );
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

function encodeValue(name: string, value: string): string {
  if (value === '') throw new InvalidArgumentError(`${name} is empty: leave it out to not filter by it.`);
  try {
    if (value.includes('\0')) throw new TypeError('NUL');
    return encodeURIComponent(value).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  } catch (cause) {
    throw new InvalidArgumentError(`${name} is not a text without NUL.`, { cause });
  }
}
