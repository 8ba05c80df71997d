import type { ErrorDetail } from '@tenant-open-platform/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { formatNames } from 'ajv-formats/dist/formats.js';

export type Schema = Record<string, unknown>;
/** A subschema, its JSON Pointer and the keyword that holds it. `true` and `false` are schemas without keywords. */
type Place = { pointer: string; schema: Schema; heldBy: string; inner: Place[] };
type Find = (ref: unknown) => Place | undefined;

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** The formats of the dialect. Each takes linear time. Not so `url` of ajv-formats: 1.6 s for a string of 32 KiB. */
const FORMAT =
  /^(date|time|date-time|duration|email|hostname|ipv[46]|(relative-)?json-pointer|regex|uri(-reference|-template)?|uuid)$/;
export const formats = formatNames.filter((name) => FORMAT.test(name));

const metaSchemas = addFormats.default(new Ajv2020({ strict: false, logger: false }), formats);
export const metaSchema = metaSchemas.compile({ $ref: DIALECT });

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

export function problem(pointer: string, code: string, message: string): ErrorDetail {
  return { location: `body/payload_schema${pointer}`.slice(0, 1_024), code, message };
}

/** Refuses what the meta-schema accepts, but what would not be checked or could keep the process busy. */
export function rulesBrokenIn(schema: Schema): ErrorDetail[] {
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
