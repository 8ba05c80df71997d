import type { FuncKeywordDefinition } from 'ajv/dist/2020.js';
import { canonicalJson } from '../../platform/json/canonical-json.js';

/**
 * These replace Ajv's own keywords. Ajv's equality calls `toString` and `valueOf` of the compared values, which a
 * payload may have as properties. Its uniqueItems compares every pair, a third of a second for the items of one
 * payload. Its multipleOf says that 0.3 is not a multiple of 0.1.
 */
export const vocabulary: FuncKeywordDefinition[] = [
  {
    keyword: 'const',
    compile(constant: unknown) {
      const expected = canonicalJson(constant);
      return (value: unknown) => canonicalJson(value) === expected;
    },
    error: { message: 'must be equal to constant' },
  },
  {
    keyword: 'enum',
    compile(values: unknown[]) {
      const expected = new Set(values.map(canonicalJson));
      return (value: unknown) => expected.has(canonicalJson(value));
    },
    error: { message: 'must be equal to one of the allowed values' },
  },
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
