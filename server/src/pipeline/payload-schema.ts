import type { ErrorDetail } from '@tenant-open-platform/contract';
import {
  type Check,
  checkSchema,
  compileSchema,
  DIALECTS,
  dialectOf,
  dialectsWith,
  FORMATS,
  innerSchemas,
  isDialect,
  isNote,
  linearPattern,
  refStandsAlone,
  type Schema,
} from '@tenant-open-platform/contract/payload-schema';
import type { Refuse } from '../foundation/api-error.js';

const MAX_BYTES = 16 * 1024;
const MAX_DEPTH = 16;
const MAX_DETAILS = 20;

/** Throws PAYLOAD_SCHEMA_INVALID. Also called before a schema is stored: each one compiles on every node. */
export async function compilePayloadSchema(schema: Schema, refuse: Refuse<'PAYLOAD_SCHEMA_INVALID'>): Promise<Check> {
  const refuseAny = (problems: ErrorDetail[]) => {
    if (problems.length === 0) return;
    const details = problems.slice(0, MAX_DETAILS);
    const reasons = details.map(({ location, message }) => `${location} ${message}`).join('; ');
    throw refuse('PAYLOAD_SCHEMA_INVALID', { message: `The payload schema is not valid: ${reasons}.`, details });
  };
  const dialect = dialectOf(schema);
  if (Buffer.byteLength(JSON.stringify(schema)) > MAX_BYTES || depthOf(schema) > MAX_DEPTH)
    refuseAny([
      problem(
        '',
        'TOO_LARGE',
        `has more than ${MAX_BYTES} bytes of JSON or ${MAX_DEPTH} levels: leave out descriptions, or put what repeats into ${definitionsOf(dialect)}`,
      ),
    ]);
  refuseAny((await checkSchema(schema, 'body/payload_schema')).map((detail) => withOtherForm(detail, dialect)));
  refuseAny(rulesBrokenIn(schema, dialect));
  return compileSchema(schema);
}

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

/** A subschema, its JSON Pointer and the keyword that holds it. `true` and `false` are schemas without keywords. */
type Place = { pointer: string; schema: Schema; heldBy: string; inner: Place[] };
type Find = (ref: unknown) => Place | undefined;

/** `then` and `else` check `if` again. At most one of these schemas applies to the same part of a value: the largest counts. */
const APART = ['properties', 'additionalProperties', 'items', 'additionalItems', 'prefixItems'];
/** So many patterns take three seconds for the short items of a payload of 32 KiB. */
const MAX_APPLIED = 200;

function problem(pointer: string, code: string, message: string): ErrorDetail {
  return { location: `body/payload_schema${pointer}`.slice(0, 1_024), code, message };
}

/** Refuses what the meta-schema accepts, but what would not be checked or could keep the process busy. */
function rulesBrokenIn(schema: Schema, dialect: string): ErrorDetail[] {
  const root = placeOf(schema, '', '', refStandsAlone(dialect));
  const places = withInner(root);
  const targets = new Map(places.map((one) => [`#${one.pointer}`, one]));
  // A decoded % could lead elsewhere.
  const find: Find = (ref) => (/^#[^%#\s]*$/.test(String(ref)) ? targets.get(String(ref)) : undefined);
  const problems = places.flatMap((place) => [
    ...unknownKeywords(place, dialect),
    ...keywordProblems(place, find, dialect),
  ]);
  return problems.length > 0 ? problems : workProblems(root, find);
}

/** `isAlone`: what stands beside a $ref is not applied, and no target. */
const placeOf = (schema: Schema, pointer: string, heldBy: string, isAlone: boolean): Place => ({
  pointer,
  schema,
  heldBy,
  inner: innerSchemas(schema)
    .filter(({ keyword }) => !isAlone || schema.$ref === undefined || keyword === 'definitions')
    .map(({ keyword, steps, schema }) => placeOf(schema, pointer + steps.map(step).join(''), keyword, isAlone)),
});

const step = (name: string) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`; // RFC 6901, 3.

const withInner = (place: Place): Place[] => [place, ...place.inner.flatMap(withInner)];

function unknownKeywords({ pointer, schema }: Place, dialect: string): ErrorDetail[] {
  const unknown = Object.keys(schema).filter((keyword) => !dialectsWith(keyword).includes(dialect) && !isNote(keyword));
  return unknown.map((keyword) => {
    const [other] = dialectsWith(keyword);
    const named = other ? `name ${other} in $schema: ${DIALECTS.get(other)} knows it` : ELSE;
    const advice = Object.hasOwn(instead, keyword) ? instead[keyword] : named;
    const message = `is not a supported keyword of ${DIALECTS.get(dialect)}: ${advice}`;
    return problem(pointer + step(keyword), 'UNKNOWN_KEYWORD', message);
  });
}

/** What to write instead of keywords that people have. */
const instead: Record<string, string> = {
  nullable: 'list "null" in type, such as ["string", "null"]',
  discriminator: 'remove it, and give each alternative of oneOf an enum of one value',
  additionalItems: 'name the list of items prefixItems, and additionalItems items',
  dependencies: 'write dependentRequired or dependentSchemas',
  $anchor: 'refer to the schema by its JSON Pointer',
  $dynamicAnchor: 'refer to the schema by its JSON Pointer',
  $dynamicRef: 'write $ref and a JSON Pointer',
  $recursiveRef: 'write $ref and a JSON Pointer',
};
const ELSE = 'correct its name, or begin it with x- if it is a note';

/** Forms of other drafts and of OpenAPI 3.0. */
const OTHER_FORM =
  /(?<!\/(?:properties|patternProperties|dependencies|dependentSchemas|definitions|\$defs))\/(items|required|exclusiveM\w+)$/;

function withOtherForm(detail: ErrorDetail, dialect: string): ErrorDetail {
  const [, keyword] = OTHER_FORM.exec(detail.location) ?? [];
  if (!keyword || (keyword === 'items' && refStandsAlone(dialect))) return detail;
  const limit = keyword.replace('exclusiveM', 'm');
  let form = `write the limit itself in place of true, and leave out ${limit}, or name draft 4 in $schema`;
  if (DIALECTS.get(dialect) === 'draft 4') form = `write true, and the limit in ${limit}, or name draft 6 in $schema`;
  if (keyword === 'items') form = 'name a list of items prefixItems, or name draft 7 in $schema';
  if (keyword === 'required') form = 'list the names of required properties beside properties, or leave it out';
  return { ...detail, message: `${detail.message}: ${form}` };
}

const definitionsOf = (dialect: string) => (refStandsAlone(dialect) ? 'definitions' : '$defs');

function* keywordProblems({ pointer, schema }: Place, find: Find, dialect: string): Generator<ErrorDetail> {
  for (const [keyword, value] of Object.entries(schema)) {
    const at = pointer + step(keyword);
    if (pointer && ['$id', '$schema', 'id'].includes(keyword))
      yield problem(at, 'MISPLACED_KEYWORD', 'may appear only at the root: leave it out here');
    if (keyword === '$schema' && !isDialect(value))
      yield problem(
        at,
        'UNKNOWN_DIALECT',
        `must be one of ${[...DIALECTS.keys()].join(', ')}: name the nearest, or leave $schema out`,
      );
    if (keyword === 'format' && !FORMATS.includes(String(value)))
      yield problem(
        at,
        'UNKNOWN_FORMAT',
        'is not a format that the platform checks: write a pattern instead, or name it x-format',
      );
    if (keyword === '$ref' && !find(value))
      yield problem(
        at,
        'UNRESOLVED_REF',
        `must be # and the JSON Pointer of a schema inside, without %, # and spaces: copy a schema from elsewhere into ${definitionsOf(dialect)}`,
      );
    if (keyword === 'pattern') yield* patternProblems(at, String(value));
    if (keyword === 'patternProperties')
      for (const pattern of Object.keys(value as Schema)) yield* patternProblems(at + step(pattern), pattern);
  }
}

function* patternProblems(at: string, pattern: string): Generator<ErrorDetail> {
  try {
    linearPattern(pattern);
  } catch (error) {
    const reason = (error as Error).message;
    const message = `is not a regular expression of RE2: ${reason}. Write it without look-ahead, look-behind and back-references, or remove it beside a format`;
    yield problem(at, 'INVALID_PATTERN', message);
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
    const inner = place.inner.filter(({ heldBy }) => !['$defs', 'definitions'].includes(heldBy));
    const apart = inner.filter(({ heldBy }) => APART.includes(heldBy)).map(appliedBy);
    const together = inner
      .filter(({ heldBy }) => !APART.includes(heldBy))
      .flatMap((one) => (one.heldBy === 'if' ? [one, one, one] : [one]))
      .concat(find(place.schema.$ref) ?? []);
    const applied = together.reduce((sum, one) => sum + appliedBy(one), 1 + Math.max(0, ...apart));
    counted.set(place, applied);
    return applied;
  }
  const applied = appliedBy(root);
  if (applied <= MAX_APPLIED) return [];
  if (applied === Number.POSITIVE_INFINITY)
    return [problem('', 'RECURSIVE_REF', 'has a $ref that leads to itself: write out as many levels as payloads have')];
  const message = `applies ${applied} schemas to the same value, and ${MAX_APPLIED} are allowed. The target of a $ref counts at each $ref: merge alternatives, or check less of the payload`;
  return [problem('', 'TOO_MUCH_WORK', message)];
}
