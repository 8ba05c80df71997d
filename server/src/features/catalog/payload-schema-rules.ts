import type { ErrorDetail } from '@tenant-open-platform/contract';
import { locationOf } from '../../platform/http/location.js';
import { linearPattern } from './linear-pattern.js';

type Schema = Record<string, unknown>;
type Path = readonly string[];
/** A schema within the whole; `true` and `false` are schemas without keywords. */
type Place = { path: Path; schema: Schema; isApplied: boolean; inner: Place[] };

/** Their schemas apply only where a $ref leads to them. */
const KEPT_FOR_REFERENCE = new Set(['$defs', 'definitions']);
const HOLDING_ONE = new Set([
  ...['not', 'if', 'then', 'else'],
  ...['items', 'contains', 'additionalProperties', 'propertyNames', 'unevaluatedItems', 'unevaluatedProperties'],
  'contentSchema',
]);
const HOLDING_MANY = new Set([
  ...['allOf', 'anyOf', 'oneOf', 'dependentSchemas'],
  ...['prefixItems', 'properties', 'patternProperties', '$defs', 'definitions'],
]);
const KEYWORDS = new Set([
  ...HOLDING_ONE,
  ...HOLDING_MANY,
  ...['$schema', '$id', '$anchor', '$ref', '$comment'],
  ...['type', 'const', 'enum'],
  ...['multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'],
  ...['maxLength', 'minLength', 'pattern', 'format', 'contentEncoding', 'contentMediaType'],
  ...['maxItems', 'minItems', 'uniqueItems', 'maxContains', 'minContains'],
  ...['maxProperties', 'minProperties', 'required', 'dependentRequired'],
  ...['title', 'description', 'default', 'deprecated', 'readOnly', 'writeOnly', 'examples'],
]);

/** References to references double it with every level: a few hundred bytes would be checked for years. */
const MAX_SCHEMAS = 10_000;

const MAX_DETAILS = 20;

export const problem = (path: Path, code: string, message: string): ErrorDetail => ({
  location: locationOf('body/payload_schema', path),
  code,
  message,
});

/**
 * What a schema must not have though the meta-schema takes it: keywords and formats that nothing would check,
 * references to elsewhere, and checks without end.
 */
export function rulesBrokenIn(schema: Schema, isFormat: (name: string) => boolean): ErrorDetail[] {
  const places = placesFrom(placeOf(schema, [], true));
  const find = placeFinder(places);
  const problems = places.flatMap((place) => [
    ...keywordProblems(place, isFormat),
    ...referenceProblems(place, find),
    ...patternProblems(place),
  ]);
  return (problems.length > 0 ? problems : effortProblems(places, find)).slice(0, MAX_DETAILS);
}

const placeOf = (schema: Schema, path: Path, isApplied: boolean): Place => ({
  path,
  schema,
  isApplied,
  inner: Object.entries(schema).flatMap(([keyword, held]) => {
    const place = (inner: Schema, ...step: string[]) =>
      placeOf(inner, [...path, keyword, ...step], !KEPT_FOR_REFERENCE.has(keyword));
    if (HOLDING_ONE.has(keyword)) return [place(held as Schema)];
    if (HOLDING_MANY.has(keyword)) return Object.entries(held as Schema[]).map(([step, inner]) => place(inner, step));
    return [];
  }),
});

const placesFrom = (place: Place): Place[] => [place, ...place.inner.flatMap(placesFrom)];

type Finder = (ref: unknown) => Place | undefined;

/** Finds the place that a $ref leads to: behind # it has a JSON Pointer (RFC 6901) or the place's $anchor. */
function placeFinder(places: Place[]): Finder {
  const known = new Map(
    places.flatMap((place) => [
      [place.path.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''), place] as const,
      ...(typeof place.schema.$anchor === 'string' ? [[place.schema.$anchor, place] as const] : []),
    ]),
  );
  return (ref) => {
    if (typeof ref !== 'string' || !ref.startsWith('#')) return undefined;
    try {
      return known.get(decodeURIComponent(ref.slice(1)));
    } catch {
      return undefined;
    }
  };
}

function keywordProblems({ path, schema }: Place, isFormat: (name: string) => boolean): ErrorDetail[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const fault = (code: string, message: string) => [problem([...path, keyword], code, message)];
    // In a single schema they mean what $ref and $anchor mean, and Ajv takes one that leads nowhere for a # alone.
    if (keyword === '$dynamicRef' || keyword === '$dynamicAnchor') {
      return fault('UNSUPPORTED_KEYWORD', 'is not supported: use $ref and $anchor');
    }
    if (!KEYWORDS.has(keyword)) return fault('UNKNOWN_KEYWORD', 'is not a keyword of JSON Schema 2020-12');
    if ((keyword === '$id' || keyword === '$schema') && path.length > 0) {
      return fault('MISPLACED_KEYWORD', 'may stand at the root alone');
    }
    if (keyword === 'format' && !isFormat(value as string)) {
      return fault('UNKNOWN_FORMAT', 'is not a format that the platform checks');
    }
    return [];
  });
}

const referenceProblems = ({ path, schema }: Place, find: Finder): ErrorDetail[] =>
  schema.$ref === undefined || find(schema.$ref)
    ? []
    : [problem([...path, '$ref'], 'UNRESOLVED_REF', 'must begin with # and lead to a schema inside this one')];

function patternProblems({ path, schema }: Place): ErrorDetail[] {
  const patterns = Object.keys(schema.patternProperties ?? {}).map((key) => [key, 'patternProperties', key]);
  if (typeof schema.pattern === 'string') patterns.push([schema.pattern, 'pattern']);
  return patterns.flatMap(([pattern = '', ...steps]) => {
    try {
      linearPattern(pattern);
      return [];
    } catch (error) {
      const reason = (error as Error).message.replace(/^error parsing regexp: /, '');
      return [problem([...path, ...steps], 'INVALID_PATTERN', `is not a regular expression of RE2: ${reason}`)];
    }
  });
}

/**
 * Schemas of the values inside a value count too: of one that refers to itself there, each level of the payload could
 * multiply the checks of the level above.
 */
function effortProblems(places: Place[], find: Finder): ErrorDetail[] {
  /** How many schemas apply where this one does; null while they are counted. */
  const efforts = new Map<Place, number | null>();
  const endless = new Set<Place>();
  const effortOf = (place: Place): number => {
    const known = efforts.get(place);
    if (known === null) endless.add(place);
    if (known !== undefined) return known ?? Number.POSITIVE_INFINITY;
    efforts.set(place, null);
    const referred = find(place.schema.$ref);
    const applied = [...place.inner.filter(({ isApplied }) => isApplied), ...(referred ? [referred] : [])];
    const effort = applied.reduce((sum, inner) => sum + effortOf(inner), 1);
    efforts.set(place, effort);
    return effort;
  };
  const tooMuch = places.filter((place) => effortOf(place) > MAX_SCHEMAS);
  if (endless.size > 0) {
    return [...endless].map(({ path }) => problem(path, 'RECURSIVE_REF', 'refers to itself, which is not supported'));
  }
  return tooMuch
    .slice(0, 1)
    .map(({ path }) => problem(path, 'TOO_MANY_REFS', `applies more than ${MAX_SCHEMAS} schemas, references followed`));
}
