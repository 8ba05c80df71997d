import { canonicalJson } from '@tenant-open-platform/contract/strict-json';
import type { FuncKeywordDefinition } from 'ajv/dist/2020.js';

/**
 * These replace Ajv's own keywords. Ajv's equality calls `toString` and `valueOf` of the compared values, which a
 * payload may have as properties. Its uniqueItems compares every pair, a second for the items of one payload.
 */
export const vocabulary: FuncKeywordDefinition[] = [
  {
    keyword: 'const',
    compile: (constant: unknown) => isOneOf([constant]),
    error: { message: 'must be equal to constant' },
  },
  { keyword: 'enum', compile: isOneOf, error: { message: 'must be equal to one of the allowed values' } },
  {
    keyword: 'uniqueItems',
    type: 'array',
    compile: (isAsked: boolean) => (items: unknown[]) =>
      !isAsked || new Set(items.map(canonicalJson)).size === items.length,
    error: { message: 'must NOT have duplicate items' },
  },
  {
    keyword: 'multipleOf',
    type: 'number',
    compile: (divisor: number) => (value: number) => {
      const times = value / divisor;
      return Math.abs(times - Math.round(times)) <= Math.abs(times) * 4 * Number.EPSILON;
    },
    error: { message: ({ schema }) => `must be multiple of ${schema}` },
  },
];

function isOneOf(values: unknown[]) {
  const expected = new Set(values);
  const texts = new Set(values.map(canonicalJson));
  return (value: unknown) =>
    typeof value === 'object' && value !== null ? texts.has(canonicalJson(value)) : expected.has(value);
}
