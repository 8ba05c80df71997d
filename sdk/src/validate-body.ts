import { schemas } from './bodies.gen.js';
import type { Schema } from './json-schema.js';

interface Problem {
  readonly location: string;
  readonly message: string;
}

type Json = Readonly<Record<string, unknown>>;

const formats: Readonly<Record<string, RegExp>> = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
};

/** Every difference between a value and its schema. */
export function problemsOf(value: unknown, schema: Schema, location = 'body'): Problem[] {
  if (schema.$ref) return problemsOf(value, schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, location);
  const problem = (message: string, at = location) => ({ location: at, message });
  const types = [schema.type ?? []].flat();
  if (types.length > 0 && !types.some((type) => hasType(value, type)))
    return [problem(`must be ${types.join(' or ')}`)];
  if (schema.enum && !schema.enum.includes(value)) return [problem(`must be one of ${schema.enum.join(', ')}`)];
  if (typeof value === 'string') return problemsOfText(value, schema).map((message) => problem(message));
  if (typeof value === 'number') {
    return outside(value, schema.minimum, schema.maximum).map((bound) => problem(`must be ${bound}`));
  }
  if (Array.isArray(value)) {
    const { items = {}, minItems, maxItems, uniqueItems } = schema;
    const isRepeated = uniqueItems && new Set(value.map((item) => JSON.stringify(item))).size < value.length;
    return [
      ...outside(value.length, minItems, maxItems).map((bound) => problem(`must have ${bound} items`)),
      ...(isRepeated ? [problem('must have each item once')] : []),
      ...value.flatMap((item, index) => problemsOf(item, items, `${location}/${index}`)),
    ];
  }
  return isObject(value) ? problemsOfObject(value, schema, location) : [];
}

function problemsOfText(text: string, { pattern, format, minLength, maxLength }: Schema): string[] {
  const fits = (expression: RegExp | undefined) => expression === undefined || expression.test(text);
  return [
    ...outside([...text].length, minLength, maxLength).map((bound) => `must have ${bound} characters`),
    ...(fits(pattern === undefined ? undefined : new RegExp(pattern)) ? [] : [`must match ${pattern}`]),
    ...(fits(formats[format ?? '']) ? [] : [`must be a ${format}`]),
  ];
}

function problemsOfObject(value: Json, schema: Schema, location: string): Problem[] {
  const { properties = {}, required = [], dependentRequired = {}, additionalProperties = true } = schema;
  const needed = Object.entries(dependentRequired).flatMap(([name, others]) => (name in value ? others : []));
  const missing = [...required, ...needed].filter((name) => !(name in value));
  const other = typeof additionalProperties === 'object' ? additionalProperties : {};
  return [
    ...missing.map((name) => ({ location: `${location}/${name}`, message: 'is required' })),
    ...Object.entries(value).flatMap(([name, field]) => {
      const at = `${location}/${name}`;
      const isUnknown = !(name in properties) && additionalProperties === false;
      return isUnknown
        ? [{ location: at, message: 'is an unknown field' }]
        : problemsOf(field, properties[name] ?? other, at);
    }),
  ];
}

function outside(count: number, minimum = -Infinity, maximum = Infinity): string[] {
  if (count < minimum) return [`at least ${minimum}`];
  return count > maximum ? [`at most ${maximum}`] : [];
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function hasType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}
