import type { ErrorDetail } from '@tenant-open-platform/contract';
import { locationOf } from '../../platform/json/location.js';
import { linearPattern } from './linear-pattern.js';
import {
  type Finder,
  HOLDING_MANY,
  HOLDING_ONE,
  type Path,
  type Place,
  placeFinder,
  placesIn,
  type Schema,
} from './payload-schema-places.js';
import { workOf } from './payload-schema-work.js';

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

/**
 * One step for every byte of a 32 KiB payload takes 0.1 to 2 ms, measured with the worst payloads found. A pattern such
 * as (?i)(a|b)*a.{n}c$ takes 4 ms.
 */
const MAX_STEPS = 200;

const MAX_DETAILS = 20;

export const problem = (path: Path, code: string, message: string): ErrorDetail => ({
  location: locationOf('body/payload_schema', path),
  code,
  message,
});

/**
 * Refuses constructs that the meta-schema accepts: keywords and formats that would not be checked, references outside
 * the schema, and checks of unbounded cost.
 */
export function rulesBrokenIn(schema: Schema, isFormat: (name: string) => boolean): ErrorDetail[] {
  const places = placesIn(schema);
  const find = placeFinder(places);
  const problems = places.flatMap((place) => [
    ...keywordProblems(place, isFormat),
    ...referenceProblems(place, find),
    ...patternProblems(place),
  ]);
  return (problems.length > 0 ? problems : workProblems(places[0], find)).slice(0, MAX_DETAILS);
}

function keywordProblems({ path, schema }: Place, isFormat: (name: string) => boolean): ErrorDetail[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const fault = (code: string, message: string) => [problem([...path, keyword], code, message)];
    // In a single schema they mean the same as $ref and $anchor. Ajv treats one without a target like a single #.
    if (keyword === '$dynamicRef' || keyword === '$dynamicAnchor') {
      return fault('UNSUPPORTED_KEYWORD', 'is not supported: use $ref and $anchor');
    }
    if (!KEYWORDS.has(keyword)) return fault('UNKNOWN_KEYWORD', 'is not a keyword of JSON Schema 2020-12');
    if ((keyword === '$id' || keyword === '$schema') && path.length > 0) {
      return fault('MISPLACED_KEYWORD', 'may appear only at the root');
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
      return [problem([...path, ...steps], 'INVALID_PATTERN', `is not an RE2 regular expression: ${reason}`)];
    }
  });
}

function workProblems(root: Place, find: Finder): ErrorDetail[] {
  const { steps, recursive } = workOf(root, find);
  if (recursive) return [problem(recursive.path, 'RECURSIVE_REF', 'refers to itself, which is not supported')];
  if (steps <= MAX_STEPS) return [];
  const message = `takes ${steps} steps for each byte of a payload, and ${MAX_STEPS} are allowed. Each schema that applies to the same value is a step, and so is each character of a pattern, multiplied by {n}. Use maxLength instead of {1,n}`;
  return [problem([], 'TOO_MUCH_WORK', message)];
}
