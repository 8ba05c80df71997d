export type Payload = Record<string, unknown>;

/** What a reader wrote as JSON: the object, or why it is none that the platform gets as it was written. */
export type PayloadText = { payload: Payload; problem?: undefined } | { payload?: undefined; problem: PayloadProblem };

export type PayloadProblem =
  | { kind: 'NOT_JSON'; message: string }
  | { kind: 'NOT_AN_OBJECT' }
  /** Parsing would silently change it. */
  | { kind: 'INEXACT_NUMBER'; number: string }
  | { kind: 'REPEATED_NAME' }
  | { kind: 'FORBIDDEN_NAME' };

export function readPayload(text: string): PayloadText {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: { kind: 'NOT_JSON', message: (error as Error).message } };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: { kind: 'NOT_AN_OBJECT' } };
  const tokens = text.match(TOKEN) ?? [];
  const number = tokens.find((token) => !token.startsWith('"') && !isExact(token));
  if (number) return { problem: { kind: 'INEXACT_NUMBER', number } };
  const names = tokens.filter((token) => token.endsWith(':')).length;
  if (tokens.some((token) => /^"__proto__"\s*:$/.test(token))) return { problem: { kind: 'FORBIDDEN_NAME' } };
  if (names > countNames(value)) return { problem: { kind: 'REPEATED_NAME' } };
  return { payload: value as Payload };
}

export const payloadText = (payload: Payload) => JSON.stringify(payload, null, 2);

/** A string, with the colon after it if it is a name; a number. */
const TOKEN = /"(?:[^"\\]|\\.)*"(?:\s*:)?|-?\d[\d.eE+-]*/g;

/** Whether the number is the same after it was parsed and printed, as the platform demands. */
function isExact(text: string): boolean {
  const value = Number(text);
  if (Object.is(value, -0) || !Number.isFinite(value)) return false;
  const isUnsafe = Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21;
  return !isUnsafe && digitsOf(text) === digitsOf(String(value));
}

const digitsOf = (text: string) =>
  text
    .replace(/e.*/i, '')
    .replace(/[-.]/g, '')
    .replace(/^0+|0+$/g, '');

function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value).reduce((sum: number, item) => sum + countNames(item), 0);
  return Array.isArray(value) ? inner : inner + Object.keys(value).length;
}
