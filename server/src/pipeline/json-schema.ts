import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { entries, value as held, removeUriSchemePlugin } from '@hyperjump/browser';
import {
  registerSchema,
  setShouldValidateSchema,
  unregisterSchema,
  type Validator,
  validate,
} from '@hyperjump/json-schema/draft-2020-12';
import {
  addFormat,
  addKeyword,
  defineVocabulary,
  type EvaluationPlugin,
  getKeyword,
  type Keyword,
  loadDialect,
  Validation,
} from '@hyperjump/json-schema/experimental';
import '@hyperjump/json-schema/formats';
import { value as instanceValue, typeOf } from '@hyperjump/json-schema/instance/experimental';
import { isDateTime, isTime } from '@hyperjump/json-schema-formats';
import type { ErrorDetail } from '@tenant-open-platform/contract';
import { RE2JS } from 're2js';
import { Faults } from './json-schema-faults.js';

export type Schema = Record<string, unknown>;

/** What is wrong with a value: nothing if the schema allows it. `part` names the value, such as `body/payload`. */
export type Check = (value: unknown, part: string) => ErrorDetail[];

export const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** The keywords of the dialect by what they hold, without those that lead a $ref elsewhere. */
const HELD = {
  SCHEMA: `additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems
    unevaluatedProperties`,
  SCHEMAS: 'allOf anyOf oneOf prefixItems',
  NAMED_SCHEMAS: '$defs dependentSchemas patternProperties properties',
  VALUE: `$ref const dependentRequired enum exclusiveMaximum exclusiveMinimum format maxContains maxItems maxLength maxProperties
    maximum minContains minItems minLength minProperties minimum multipleOf pattern required type uniqueItems`,
  NOTE: `$comment $id $schema $vocabulary contentEncoding contentMediaType default deprecated description examples
    readOnly title writeOnly`,
};
export const KEYWORDS = new Map(
  Object.entries(HELD).flatMap(([held, names]) => names.split(/\s+/).map((name) => [name, held] as const)),
);

/** The formats of the dialect, without those for international names. Each takes linear time. */
export const FORMATS =
  'date date-time duration email hostname ipv4 ipv6 json-pointer regex relative-json-pointer time uri uri-reference uri-template uuid'.split(
    ' ',
  );

type Inner = { keyword: string; steps: string[]; schema: Schema };

/** The schemas directly inside a schema that is valid against the meta-schema, each with the steps to it. */
export function innerSchemas(schema: Schema): Inner[] {
  return Object.entries(schema).flatMap(([keyword, value]): Inner[] => {
    const held = KEYWORDS.get(keyword);
    if (held === 'SCHEMA') return [{ keyword, steps: [keyword], schema: value as Schema }];
    if (held !== 'SCHEMAS' && held !== 'NAMED_SCHEMAS') return [];
    const inside = Object.entries(value as Record<string, Schema>);
    return inside.map(([name, inner]) => ({ keyword, steps: [keyword, name], schema: inner }));
  });
}

/** RE2 takes linear time. An ECMAScript pattern such as (a+)+$ can run forever. */
export const linearPattern = (pattern: string) => RE2JS.compile(pattern);

/**
 * The dialect that checks payloads, with keywords that replace those of the library. Its patterns are ECMAScript's, it
 * takes 1e-8 for a multiple of 1e-7, and it takes an `$id` in a constant for one of a schema: constants come as texts.
 */
const CHECKS = 'urn:tenant-open-platform:payloads';
const replaced: Record<string, string> = {};

function replace<A>(name: string, keyword: Omit<Keyword<A>, 'id'>): void {
  const id = `${CHECKS}:${name}`;
  addKeyword({ ...keyword, id });
  replaced[name] = id;
}

type Tested = { test(name: string): boolean };
const standard = <A>(name: string) => getKeyword<A>(`https://json-schema.org/keyword/${name}`);

replace('pattern', {
  compile: async (schema) => linearPattern(held(schema)),
  interpret: (pattern, instance) => typeOf(instance) !== 'string' || pattern.test(instanceValue(instance)),
});
replace<[Tested, string][]>('patternProperties', {
  ...standard('patternProperties'),
  async compile(schema, ast) {
    const compiled: [Tested, string][] = [];
    for await (const [pattern, inner] of entries(schema) as AsyncGenerator<[string, typeof schema]>)
      compiled.push([linearPattern(pattern), await Validation.compile(inner, ast, schema)]);
    return compiled;
  },
});
replace<[Tested, string]>('additionalProperties', {
  ...standard('additionalProperties'),
  async compile(schema, ast, parent) {
    const { properties = {}, patternProperties = {} } = held<Record<string, Schema>>(parent);
    const names = new Set(Object.keys(properties));
    const patterns = Object.keys(patternProperties).map(linearPattern);
    const test = (name: string) => names.has(name) || patterns.some((pattern) => pattern.test(name));
    return [{ test }, await Validation.compile(schema, ast, parent)];
  },
});
replace('multipleOf', {
  compile: async (schema) => held<number>(schema),
  interpret: (divisor, instance) => typeOf(instance) !== 'number' || isMultiple(instanceValue(instance), divisor),
});
for (const name of ['const', 'enum'])
  replace(name, {
    compile: async (schema) => constants([held<string | string[]>(schema)].flat()),
    interpret: ({ has }, instance) => has(instanceValue(instance)),
  });

/** A comparison ends at the first difference: 199 texts of a payload of 32 KiB would take a second. */
function constants(texts: string[]) {
  const values: unknown[] = texts.map((text) => JSON.parse(text));
  const objects = values.filter((value) => typeof value === 'object');
  const others = new Set(values);
  const has = (value: unknown) =>
    typeof value === 'object' ? objects.some((object) => isDeepStrictEqual(object, value)) : others.has(value);
  return { texts, has };
}

function isMultiple(value: number, divisor: number): boolean {
  const isNearlyOne = () => Math.abs(value - divisor * Math.round(value / divisor)) <= Math.abs(value) * 2 ** -50;
  return value % divisor === 0 || (!Number.isInteger(divisor) && isNearlyOne());
}

/** RFC 3339, 5.7: a leap second ends a day of UTC. The library knows it in a date-time only. */
addFormat({
  id: 'https://json-schema.org/format/time',
  handler: (time) =>
    typeof time !== 'string' ||
    isTime(time) ||
    ['1998-12-31', '1999-01-01'].some((day) => isDateTime(`${day}T${time}`)),
});

defineVocabulary(CHECKS, replaced);
const standardVocabularies = ['core', 'applicator', 'unevaluated', 'validation', 'format-assertion', 'content'].map(
  (name) => DIALECT.replace(/schema$/, `vocab/${name}`),
);
loadDialect(CHECKS, Object.fromEntries([...standardVocabularies, CHECKS].map((id) => [id, true])));

// No schema is ever fetched.
for (const scheme of ['http', 'https', 'file']) removeUriSchemePlugin(scheme);
// A schema is checked before it is compiled.
setShouldValidateSchema(false);

/** Checks a schema against the meta-schema. */
export const checkSchema: Check = checkOf(await validate(DIALECT));

/** The schema must be valid, without references that leave it or lead to themselves. */
export async function compileSchema(schema: Schema): Promise<Check> {
  const uri = `${CHECKS}:${randomUUID()}`;
  registerSchema(prepared(schema) as never, uri, CHECKS);
  try {
    return checkOf(await validate(uri));
  } finally {
    unregisterSchema(uri);
  }
}

/** The schema without its notes, such as an $id that may exist already, and with constants as texts. */
function prepared(schema: Schema): Schema {
  if (typeof schema !== 'object') return schema;
  const kept = Object.entries(schema).filter(([keyword]) => KEYWORDS.get(keyword) !== 'NOTE');
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, preparedValue(keyword, value)]));
}

function preparedValue(keyword: string, value: unknown): unknown {
  if (keyword === 'const') return JSON.stringify(value);
  if (keyword === 'enum') return (value as unknown[]).map((one) => JSON.stringify(one));
  const held = KEYWORDS.get(keyword);
  if (held === 'SCHEMA') return prepared(value as Schema);
  if (held === 'SCHEMAS') return (value as Schema[]).map(prepared);
  if (held !== 'NAMED_SCHEMAS') return value;
  const named = Object.entries(value as Record<string, Schema>);
  return Object.fromEntries(named.map(([name, schema]) => [name, prepared(schema)]));
}

/** Most values are valid. Only another one is checked again, for what is wrong. */
function checkOf(validator: Validator): Check {
  return (value, part) => {
    if (validator(value as never).valid) return [];
    const faults = new Faults(part);
    validator(value as never, { plugins: [faults as EvaluationPlugin] });
    return faults.details;
  };
}
