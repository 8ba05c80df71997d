import type { ErrorDetail } from '@tenant-open-platform/contract';
import { canonicalJson, locationOf } from '@tenant-open-platform/contract/strict-json';
import { Ajv2020, type ErrorObject, type FuncKeywordDefinition, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { formatNames } from 'ajv-formats/dist/formats.js';
import { RE2JS } from 're2js';
import type { Refuse } from '../foundation/api-error.js';

const MAX_BYTES = 16 * 1024;
const MAX_DEPTH = 16;
const MAX_DETAILS = 20;

/** Throws PAYLOAD_SCHEMA_INVALID. Also called before a schema is stored: each one compiles on every node. */
export function compilePayloadSchema(schema: Schema, refuse: Refuse<'PAYLOAD_SCHEMA_INVALID'>): ValidateFunction {
  const refuseAny = (problems: ErrorDetail[]) => {
    if (problems.length === 0) return;
    const details = problems.slice(0, MAX_DETAILS);
    const reasons = details.map(({ location, message }) => `${location} ${message}`).join('; ');
    throw refuse('PAYLOAD_SCHEMA_INVALID', { message: `The payload schema is not valid: ${reasons}.`, details });
  };
  if (Buffer.byteLength(JSON.stringify(schema)) > MAX_BYTES || depthOf(schema) > MAX_DEPTH)
    refuseAny([problem('', 'TOO_LARGE', `has more than ${MAX_BYTES} bytes of JSON or ${MAX_DEPTH} levels`)]);
  if (!metaSchema(schema)) refuseAny(validationDetails('body/payload_schema', metaSchema.errors));
  refuseAny(rulesBrokenIn(schema));
  try {
    return newCompiler().compile(schema);
  } catch (error) {
    refuseAny([problem('', 'NOT_COMPILABLE', (error as Error).message.replace(/^strict mode: /, ''))]);
    throw error;
  }
}

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

/** The errors of Ajv for a part of a request. */
export const validationDetails = (part: string, errors: ErrorObject[] | null | undefined): ErrorDetail[] =>
  (errors ?? []).slice(0, MAX_DETAILS).map(({ instancePath, keyword, message, params }) => {
    const property = 'additionalProperty' in params ? ` (${locationOf('', [params.additionalProperty]).slice(1)})` : '';
    const [, ...steps] = instancePath.split('/');
    const path = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    return {
      location: locationOf(part, path),
      code: keyword.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(),
      message: `${message ?? 'is not valid'}${property}`,
    };
  });

/** RE2 takes linear time. An ECMAScript pattern such as (a+)+$ can run forever. Ajv needs `code` only to write a file. */
const linearPattern = Object.assign((pattern: string) => RE2JS.compile(pattern), { code: 'linearPattern' });

const notMultiple = ({ schema }: { schema: unknown }) => `must be multiple of ${schema}`;

/**
 * These replace Ajv's own keywords. Ajv's equality calls `toString` and `valueOf` of the compared values, which a
 * payload may have as properties. Its uniqueItems compares every pair, a second for the items of one payload.
 */
const keywords: FuncKeywordDefinition[] = [
  { keyword: 'const', compile: (value: unknown) => isOneOf([value]), error: { message: 'must be equal to constant' } },
  { keyword: 'enum', compile: isOneOf, error: { message: 'must be equal to one of the allowed values' } },
  { keyword: 'uniqueItems', type: 'array', compile: areUnique, error: { message: 'must NOT have duplicate items' } },
  { keyword: 'multipleOf', type: 'number', compile: isMultiple, error: { message: notMultiple } },
];

function isMultiple(divisor: number) {
  if (Number.isInteger(divisor)) return (value: number) => value % divisor === 0;
  return (value: number) => Math.abs(value - divisor * Math.round(value / divisor)) <= Math.abs(value) * 2 ** -50;
}

function areUnique(isAsked: boolean) {
  return (items: unknown[]) => !isAsked || new Set(items.map(canonicalJson)).size === items.length;
}

function isOneOf(values: unknown[]) {
  const expected = new Set(values);
  const texts = new Set(values.map(canonicalJson));
  return (value: unknown) =>
    typeof value === 'object' && value !== null ? texts.has(canonicalJson(value)) : expected.has(value);
}

/** A new instance for every schema, because two schemas may have the same $id. Without the slow meta-schema. */
function newCompiler(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    strictSchema: true,
    allowMatchingProperties: true,
    meta: false,
    validateSchema: false,
    logger: false,
    // Otherwise {} would have the property `constructor`.
    ownProperties: true,
    // These options repeat code for every reference: compiling 16 KiB could take minutes and gigabytes.
    inlineRefs: false,
    code: { optimize: false, regExp: linearPattern },
  });
  for (const { keyword } of keywords) ajv.removeKeyword(String(keyword));
  return addFormats.default(ajv, formats).addVocabulary(keywords);
}

type Schema = Record<string, unknown>;
/** A subschema, its JSON Pointer and the keyword that holds it. `true` and `false` are schemas without keywords. */
type Place = { pointer: string; schema: Schema; heldBy: string; inner: Place[] };
type Find = (ref: unknown) => Place | undefined;

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** The formats of the dialect. Each takes linear time. Not so `url` of ajv-formats: 1.6 s for a string of 32 KiB. */
const FORMAT =
  /^(date|time|date-time|duration|email|hostname|ipv[46]|(relative-)?json-pointer|regex|uri(-reference|-template)?|uuid)$/;
export const formats = formatNames.filter((name) => FORMAT.test(name));

const metaSchemas = addFormats.default(new Ajv2020({ strict: false, logger: false }), formats);
const metaSchema = metaSchemas.compile({ $ref: DIALECT });

/** The keywords of the dialect, each with the schema of its value. Without those that lead a $ref elsewhere. */
const KEYWORDS = new Map<string, Schema>(
  ['core', 'applicator', 'unevaluated', 'validation', 'meta-data', 'format-annotation', 'content']
    .map((name) => metaSchemas.getSchema(DIALECT.replace(/schema$/, `meta/${name}`))?.schema as Schema)
    .flatMap(({ properties }) => Object.entries(properties as Record<string, Schema>))
    .filter(([keyword]) => !['$anchor', '$dynamicAnchor', '$dynamicRef'].includes(keyword)),
);

/** At most one of these schemas applies to the same part of a value: the largest counts. */
const APART = ['properties', 'additionalProperties', 'items', 'prefixItems'];
/** `anyOf` with so many constants takes a second for the items of a payload of 32 KiB. */
const MAX_APPLIED = 200;

function problem(pointer: string, code: string, message: string): ErrorDetail {
  return { location: `body/payload_schema${pointer}`.slice(0, 1_024), code, message };
}

/** Refuses what the meta-schema accepts, but what would not be checked or could keep the process busy. */
function rulesBrokenIn(schema: Schema): ErrorDetail[] {
  const root = placeOf(schema, '', '');
  const places = withInner(root);
  const targets = new Map(places.map((one) => [`#${one.pointer}`, one]));
  // Ajv decodes a %, cuts a # at the end and stops at a line separator: it would follow the $ref elsewhere.
  const find: Find = (ref) => (/^#[^%#\s]*$/.test(String(ref)) ? targets.get(String(ref)) : undefined);
  const problems = places.flatMap((place) => [...keywordProblems(place, find)]);
  return problems.length > 0 ? problems : workProblems(root, find);
}

const placeOf = (schema: Schema, pointer: string, heldBy: string): Place => ({
  pointer,
  schema,
  heldBy,
  inner: Object.entries(schema).flatMap(([keyword, held]) => {
    const place = (inner: unknown, at = '') => placeOf(inner as Schema, pointer + step(keyword) + at, keyword);
    const { $dynamicRef, $ref, additionalProperties } = KEYWORDS.get(keyword) ?? {};
    if ($dynamicRef) return [place(held)];
    const holdsMany = $ref === '#/$defs/schemaArray' || (additionalProperties as Schema | undefined)?.$dynamicRef;
    return holdsMany ? Object.entries(held as object).map(([name, inner]) => place(inner, step(name))) : [];
  }),
});

const step = (name: string) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`; // RFC 6901, 3.

const withInner = (place: Place): Place[] => [place, ...place.inner.flatMap(withInner)];

function* keywordProblems({ pointer, schema }: Place, find: Find): Generator<ErrorDetail> {
  for (const [keyword, value] of Object.entries(schema)) {
    const at = pointer + step(keyword);
    if (!KEYWORDS.has(keyword))
      yield problem(at, 'UNKNOWN_KEYWORD', 'is not a supported keyword of JSON Schema 2020-12');
    if (pointer && ['$id', '$schema'].includes(keyword))
      yield problem(at, 'MISPLACED_KEYWORD', 'may appear only at the root');
    if (keyword === '$schema' && value !== DIALECT) yield problem(at, 'UNKNOWN_DIALECT', `must be ${DIALECT}`);
    if (keyword === 'format' && !formats.includes(value as never))
      yield problem(at, 'UNKNOWN_FORMAT', 'is not a format that the platform checks');
    if (keyword === '$ref' && !find(value))
      yield problem(at, 'UNRESOLVED_REF', 'must be # and the JSON Pointer of a schema inside, without %, # and spaces');
  }
}

/** Counts how many schemas apply to one value: without a limit, references that double at each step. */
function workProblems(root: Place, find: Find): ErrorDetail[] {
  const counted = new Map<Place, number>();
  function appliedBy(place: Place): number {
    const known = counted.get(place);
    if (known !== undefined) return known;
    // This remains if the place refers to itself.
    counted.set(place, Number.POSITIVE_INFINITY);
    const inner = place.inner.filter(({ heldBy }) => heldBy !== '$defs');
    const apart = inner.filter(({ heldBy }) => APART.includes(heldBy)).map(appliedBy);
    const together = inner.filter(({ heldBy }) => !APART.includes(heldBy)).concat(find(place.schema.$ref) ?? []);
    const applied = together.reduce((sum, one) => sum + appliedBy(one), 1 + Math.max(0, ...apart));
    counted.set(place, applied);
    return applied;
  }
  const applied = appliedBy(root);
  if (applied <= MAX_APPLIED) return [];
  if (applied === Number.POSITIVE_INFINITY) return [problem('', 'RECURSIVE_REF', 'has a $ref that leads to itself')];
  const message = `applies ${applied} schemas to the same value, and ${MAX_APPLIED} are allowed. The target of a $ref counts at each $ref`;
  return [problem('', 'TOO_MUCH_WORK', message)];
}
