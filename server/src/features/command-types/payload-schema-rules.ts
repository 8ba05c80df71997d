import type { ErrorDetail } from '@tenant-open-platform/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { formatNames } from 'ajv-formats/dist/formats.js';
import { RE2JS } from 're2js';

export type Schema = Record<string, unknown>;
/** A subschema, its JSON Pointer and the keyword that holds it. `true` and `false` are schemas without keywords. */
type Place = { pointer: string; schema: Schema; heldBy: string; inner: Place[] };
type Find = (ref: unknown) => Place | undefined;

export const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** The formats of the dialect. Each takes linear time. Not so `url` of ajv-formats: 1.6 s for a string of 32 KiB. */
const FORMAT =
  /^(date|time|date-time|duration|email|hostname|ipv[46]|(relative-)?json-pointer|regex|uri(-reference|-template)?|uuid)$/;
const formats = formatNames.filter((name) => FORMAT.test(name));

/**
 * A regular expression of RE2: matching takes time proportional to the length of the text. An ECMAScript pattern such
 * as (a+)+$ can run forever, and a client chooses the text.
 */
export const linearPattern = Object.assign(
  (pattern: string) => RE2JS.compile(pattern),
  // Needed only by standalone code that Ajv writes to a file.
  { code: 'linearPattern' },
);

export const withFormats = (ajv: Ajv2020) => addFormats.default(ajv, formats);

export const metaSchema = withFormats(new Ajv2020({ strict: false, logger: false }));

/** The keywords of the dialect, each with the schema of its value. */
const KEYWORDS = new Map<string, Schema>(
  ['core', 'applicator', 'unevaluated', 'validation', 'meta-data', 'format-annotation', 'content'].flatMap((name) => {
    const vocabulary = metaSchema.getSchema(DIALECT.replace(/schema$/, `meta/${name}`))?.schema as Schema;
    return Object.entries(vocabulary.properties as Record<string, Schema>);
  }),
).set('definitions', { additionalProperties: { $dynamicRef: '#meta' } });

/** At most one of these schemas applies to the same part of a value: the largest counts. */
const APART = ['properties', 'additionalProperties', 'items', 'prefixItems'];
/** These apply only through a $ref. */
const DEFINITIONS = ['$defs', 'definitions'];
/** `anyOf` with so many constants takes a second for the items of a payload of 32 KiB. */
const MAX_APPLIED = 200;

const MAX_LOCATION = 1_024;

export const problem = (pointer: string, code: string, message: string): ErrorDetail => ({
  location: `body/payload_schema${pointer}`.slice(0, MAX_LOCATION),
  code,
  message,
});

/** Refuses what the meta-schema accepts, but what would not be checked or could keep the process busy. */
export function rulesBrokenIn(schema: Schema): ErrorDetail[] {
  const root = placeOf(schema, '', '');
  const places = withInner(root);
  const find = finder(places);
  const problems = places.flatMap((place) => [...keywordProblems(place, find)]);
  return problems.length > 0 ? problems : sizeProblems(root, find);
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

/** RFC 6901, 3. */
const step = (name: string) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

const withInner = (place: Place): Place[] => [place, ...place.inner.flatMap(withInner)];

/** Finds the target of a $ref: a JSON Pointer or an $anchor follows the #. */
function finder(places: Place[]): Find {
  const known = new Map(
    places.flatMap((place) => [place.pointer, place.schema.$anchor ?? place.pointer].map((ref) => [`#${ref}`, place])),
  );
  return (ref) => {
    try {
      return known.get(decodeURIComponent(String(ref)));
    } catch {
      return undefined;
    }
  };
}

function* keywordProblems({ pointer, schema }: Place, find: Find): Generator<ErrorDetail> {
  for (const [keyword, value] of Object.entries(schema)) {
    const at = pointer + step(keyword);
    // In a single schema they mean the same as $ref and $anchor. Ajv treats one without a target like a single #.
    if (keyword.startsWith('$dynamic'))
      yield problem(at, 'UNSUPPORTED_KEYWORD', 'is not supported: use $ref and $anchor');
    else if (!KEYWORDS.has(keyword)) yield problem(at, 'UNKNOWN_KEYWORD', 'is not a keyword of JSON Schema 2020-12');
    else if (pointer && ['$id', '$schema'].includes(keyword)) {
      yield problem(at, 'MISPLACED_KEYWORD', 'may appear only at the root');
    } else if (keyword === 'format' && !formats.includes(value as never)) {
      yield problem(at, 'UNKNOWN_FORMAT', 'is not a format that the platform checks');
    } else if (keyword === '$ref' && !find(value)) {
      yield problem(at, 'UNRESOLVED_REF', 'must begin with # and lead to a schema inside this one');
    } else if (keyword === 'pattern') yield* patternProblems(at, String(value));
    else if (keyword === 'patternProperties') {
      for (const pattern of Object.keys(value as Schema)) yield* patternProblems(at + step(pattern), pattern);
    }
  }
}

function patternProblems(pointer: string, pattern: string): ErrorDetail[] {
  try {
    linearPattern(pattern);
    return [];
  } catch (error) {
    const reason = (error as Error).message.replace(/^error parsing regexp: /, '');
    return [problem(pointer, 'INVALID_PATTERN', `is not an RE2 regular expression: ${reason}`)];
  }
}

/** Counts how many schemas apply to one value. References that double at each step could go on forever. */
function sizeProblems(root: Place, find: Find): ErrorDetail[] {
  const recursive: Place[] = [];
  /** Infinity while it is being counted. */
  const counted = new Map<Place, number>();
  function appliedBy(place: Place): number {
    const known = counted.get(place);
    if (known === Number.POSITIVE_INFINITY) recursive.push(place);
    if (known !== undefined) return known;
    counted.set(place, Number.POSITIVE_INFINITY);
    const inner = place.inner.filter(({ heldBy }) => !DEFINITIONS.includes(heldBy));
    const target = find(place.schema.$ref) ?? [];
    const apart = inner.filter(({ heldBy }) => APART.includes(heldBy)).map(appliedBy);
    const together = inner.filter(({ heldBy }) => !APART.includes(heldBy)).concat(target);
    const applied = together.reduce((sum, one) => sum + appliedBy(one), 1 + Math.max(0, ...apart));
    counted.set(place, applied);
    return applied;
  }
  const applied = appliedBy(root);
  if (recursive[0]) return [problem(recursive[0].pointer, 'RECURSIVE_REF', 'refers to itself, which is not supported')];
  if (applied <= MAX_APPLIED) return [];
  const message = `applies ${applied} schemas to the same value, and ${MAX_APPLIED} are allowed. The target of a $ref counts at each $ref`;
  return [problem('', 'TOO_MUCH_WORK', message)];
}
