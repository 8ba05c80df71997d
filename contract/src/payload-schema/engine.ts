import { entries, value as held, removeUriSchemePlugin } from '@hyperjump/browser';
import {
  registerSchema,
  setShouldValidateFormat,
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
  setFormatHandler,
  Validation,
} from '@hyperjump/json-schema/experimental';
import '@hyperjump/json-schema/formats';
import { value as instanceValue, typeOf } from '@hyperjump/json-schema/instance/experimental';
import { isDateTime, isTime } from '@hyperjump/json-schema-formats';
import { RE2JS } from 're2js';
import type { ErrorDetail } from '../errors.js';
import { dialectOf, innerSchemas, isNote, KEYWORDS_OF, refStandsAlone, type Schema } from './dialects.js';
import { Faults } from './faults.js';

/** What is wrong with a value: nothing if the schema allows it. `part` names the value, such as `body/payload`. */
export type Check = (value: unknown, part: string) => ErrorDetail[];

const integersUpTo = (limit: number) => (value: unknown) =>
  typeof value !== 'number' || (Number.isInteger(value) && value >= -limit - 1 && value <= limit);

/** Of OpenAPI. A payload has no integer beyond 2^53 − 1. */
const OPENAPI_FORMATS: Record<string, (value: unknown) => boolean> = {
  int32: integersUpTo(2 ** 31 - 1),
  int64: integersUpTo(Number.MAX_SAFE_INTEGER),
  float: () => true,
  double: () => true,
  password: () => true,
};

/** The formats of the dialects, without those for international names, and of OpenAPI. Each takes linear time. */
export const FORMATS = [
  ...'date date-time duration email hostname ipv4 ipv6 json-pointer regex relative-json-pointer time uri'.split(' '),
  ...['uri-reference', 'uri-template', 'uuid', ...Object.keys(OPENAPI_FORMATS)],
];

/** RE2 takes linear time. An ECMAScript pattern such as (a+)+$ can run forever. */
export const linearPattern = (pattern: string) => RE2JS.compile(pattern);

/**
 * The dialects that check payloads have keywords that replace those of the library. Its patterns are ECMAScript's, it
 * takes 1e-8 for a multiple of 1e-7, and it takes an `$id` in a constant for one of a schema: constants come as texts.
 */
const CHECKS = 'urn:tenant-open-platform:payloads';
const replaced: Record<string, string> = {
  // Everywhere a format is a rule, not a note.
  format: 'https://json-schema.org/keyword/draft-2020-12/format-assertion',
};

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
    typeof value === 'object' ? objects.some((object) => isEqual(object, value)) : others.has(value);
  return { texts, has };
}

/** Of parsed JSON. */
function isEqual(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  const [members, others] = [Object.entries(one), other as Record<string, unknown>];
  return (
    Array.isArray(one) === Array.isArray(other) &&
    members.length === Object.keys(other).length &&
    members.every(([name, value]) => Object.hasOwn(other, name) && isEqual(value, others[name]))
  );
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

for (const [name, handler] of Object.entries(OPENAPI_FORMATS)) {
  const id = `${CHECKS}:${name}`;
  addFormat({ id, handler });
  setFormatHandler(replaced.format as string, name, id);
}

for (const [dialect, known] of KEYWORDS_OF) {
  const keywords = [...known].map(([name, id]) => [name, replaced[name] ?? id]);
  defineVocabulary(checksOf(dialect), Object.fromEntries(keywords));
  loadDialect(checksOf(dialect), { [checksOf(dialect)]: true });
}

function checksOf(dialect: string): string {
  return `${CHECKS}:${dialect.replace(/\W/g, '-')}`;
}

// No schema is ever fetched.
for (const scheme of ['http', 'https', 'file']) removeUriSchemePlugin(scheme);
// A schema is checked before it is compiled.
setShouldValidateSchema(false);

// A pattern is RE2's: the meta-schema must not judge it.
setShouldValidateFormat(false);

/** Checks a schema against the meta-schema of its dialect. */
export const checkSchema = async (schema: Schema, part: string): Promise<ErrorDetail[]> =>
  checkOf(await validate(dialectOf(schema)))(schema, part);

let compiled = 0;

/** The schema must be valid, without references that leave it or lead to themselves. */
export async function compileSchema(schema: Schema): Promise<Check> {
  const uri = `${CHECKS}:${++compiled}`;
  registerSchema(prepared(schema, refStandsAlone(dialectOf(schema))) as never, uri, checksOf(dialectOf(schema)));
  try {
    return checkOf(await validate(uri));
  } finally {
    unregisterSchema(uri);
  }
}

/**
 * The schema without its notes, such as an $id that may exist already, and with constants as texts. The library loses the
 * definitions beside a $ref that stands alone.
 */
function prepared(schema: Schema, isAlone: boolean): Schema {
  if (typeof schema !== 'object') return schema;
  const { $ref, definitions } = schema;
  if (isAlone && typeof $ref === 'string' && definitions) return prepared({ allOf: [{ $ref }], definitions }, isAlone);
  const copy = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !isNote(keyword)));
  if ('const' in copy) copy.const = JSON.stringify(copy.const);
  if ('enum' in copy) copy.enum = (copy.enum as unknown[]).map((one) => JSON.stringify(one));
  for (const { keyword, steps, schema: inner } of innerSchemas(copy)) {
    const [, name] = steps;
    if (name === undefined) copy[keyword] = prepared(inner, isAlone);
    else {
      const siblings = copy[keyword] as Record<string, unknown>;
      copy[keyword] = Array.isArray(siblings) ? [...siblings] : { ...siblings };
      (copy[keyword] as Record<string, unknown>)[name] = prepared(inner, isAlone);
    }
  }
  return copy;
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
