import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';

/** What this page finds wrong in a payload. The platform decides. */
export type Fault = { steps: string[]; kind: 'REQUIRED' | 'NOT_ALLOWED' | 'OTHER'; message: string };

/** Without `eval`, which the policy of the page forbids. */
export function checkPayload(schema: object, payload: unknown): Fault[] {
  try {
    const checker = new Validator(withoutPatterns(schema), '2020-12', false);
    return leavesOf(checker.validate(payload).errors).map(toFault);
  } catch {
    // A schema that only the platform can read.
    return [];
  }
}

function toFault({ instanceLocation, keyword, error }: OutputUnit): Fault {
  const steps = stepsOf(instanceLocation);
  if (keyword === 'false') return { steps, kind: 'NOT_ALLOWED', message: '' };
  const [, missing] = (keyword === 'required' && /required property "(.*)"\.$/s.exec(error)) || [];
  if (missing !== undefined) return { steps: [...steps, missing], kind: 'REQUIRED', message: '' };
  return { steps, kind: 'OTHER', message: error };
}

/** RFC 6901, after `#`. */
const stepsOf = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));

const CHOICES = new Set(['anyOf', 'oneOf']);
/** They only say that there is an error further inside. */
const SUMMARIES = new Set(
  '$ref additionalProperties allOf dependentSchemas if items prefixItems properties propertyNames unevaluatedItems unevaluatedProperties'.split(
    ' ',
  ),
);

function leavesOf(errors: readonly OutputUnit[]): OutputUnit[] {
  const choices = errors.filter(({ keyword }) => CHOICES.has(keyword)).map(({ keywordLocation }) => keywordLocation);
  const isInChoice = ({ keywordLocation }: OutputUnit) => choices.some((one) => keywordLocation.startsWith(`${one}/`));
  const leaves = errors.filter((error) => !SUMMARIES.has(error.keyword) && !isInChoice(error));
  return leaves.length > 0 ? leaves : [...errors];
}

const NAMED = ['$defs', 'properties', 'dependentSchemas'];
const LISTED = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const SINGLE =
  'additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluatedProperties'.split(
    ' ',
  );
/** A value that one of these schemas allows may be one that the whole refuses. */
const CONTRARY = ['contains', 'if', 'not', 'oneOf', 'unevaluatedItems', 'unevaluatedProperties'];
const PATTERN = /"pattern(Properties)?":/;

/**
 * A copy that says nothing of patterns. The platform's are RE2, which JavaScript cannot all compile, and which takes linear
 * time: here `(a+)+$` would stop the page. A keyword whose verdict could depend on one is left out, too.
 */
function withoutPatterns(schema: object): Schema {
  const hasPattern = PATTERN.test(JSON.stringify(schema));
  const isCertain = (value: unknown) => !hasPattern || !/"(pattern(Properties)?|\$ref)":/.test(JSON.stringify(value));
  const copyOf = (one: unknown): unknown => {
    if (typeof one !== 'object' || one === null) return one;
    const { pattern, patternProperties, $id, ...copy } = one as Record<string, unknown>;
    if (patternProperties) delete copy.additionalProperties;
    for (const name of CONTRARY) if (!isCertain(copy[name] ?? null)) delete copy[name];
    if (hasPattern) for (const name of ['unevaluatedItems', 'unevaluatedProperties']) delete copy[name];
    for (const name of SINGLE) if (name in copy) copy[name] = copyOf(copy[name]);
    for (const name of LISTED) if (Array.isArray(copy[name])) copy[name] = copy[name].map(copyOf);
    for (const name of NAMED) {
      const entries = Object.entries(copy[name] ?? {}).map(([key, inner]) => [key, copyOf(inner)]);
      if (name in copy) copy[name] = Object.fromEntries(entries);
    }
    return copy;
  };
  return copyOf(schema) as Schema;
}
