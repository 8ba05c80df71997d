import type { EvaluationPlugin } from '@hyperjump/json-schema/experimental';
import { value as instanceValue } from '@hyperjump/json-schema/instance/experimental';
import type { RE2JS } from 're2js';
import type { ErrorDetail } from '../errors.js';
import { locationOf } from '../strict-json/location.js';

const MAX_FAULTS = 20;
const MAX_SHOWN = 200;

type Keyword = Parameters<NonNullable<EvaluationPlugin['afterKeyword']>>;
type Instance = Keyword[1];
type Context = { faults?: ErrorDetail[] };

/** Collects what is wrong with a value, at most 20 faults: those inside come first, such as those of an alternative. */
export class Faults {
  constructor(private readonly part: string) {}
  details: ErrorDetail[] = [];

  afterKeyword(
    [, uri, expected]: Keyword[0],
    instance: Instance,
    inside: Context,
    isValid: boolean,
    around: Context,
    { simpleApplicator }: Keyword[5],
  ): void {
    if (isValid) return;
    const own = simpleApplicator ? [] : this.faultsOf(lastStep(uri), expected, instance);
    around.faults = [...(around.faults ?? []), ...(inside.faults ?? []), ...own].slice(0, MAX_FAULTS);
  }

  afterSchema(uri: string, instance: Instance, context: Context & Pick<Keyword[2], 'ast'>): void {
    if (context.ast[uri] === false)
      context.faults = [...(context.faults ?? []), this.fault(instance, lastStep(uri), 'is not allowed')];
    this.details = context.faults ?? [];
  }

  private faultsOf(keyword: string, expected: unknown, instance: Instance): ErrorDetail[] {
    if (keyword !== 'required') return [this.fault(instance, keyword, says(keyword, expected))];
    const missing = (expected as string[]).filter((name) => !Object.hasOwn(instanceValue<object>(instance), name));
    return missing.map((name) => this.fault(instance, keyword, 'is required', name));
  }

  private fault({ pointer }: Instance, keyword: string, message: string, ...inside: string[]): ErrorDetail {
    // The library puts * before the pointer to a name.
    const [, ...steps] = pointer.replace(/^\*/, '').split('/');
    const path = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    return { location: locationOf(this.part, [...path, ...inside]), code: codeOf(keyword), message };
  }
}

const lastStep = (uri: string) => uri.slice(uri.lastIndexOf('/') + 1);
const codeOf = (keyword: string) => keyword.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/** What a keyword asks for, as the library compiles it. */
function says(keyword: string, expected: unknown): string {
  const text = MESSAGES[keyword]?.(expected as never) ?? 'is not valid';
  // Truncation must not leave the first half of a surrogate pair.
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN).replace(/[\ud800-\udbff]$/, '')}…` : text;
}

const many = (count: number, one: string) =>
  count === 1 ? `1 ${one}` : `${count} ${one === 'property' ? 'properties' : `${one}s`}`;

type Constants = { texts: string[] };

/** In draft 4, a limit says whether it is exclusive. */
type Limit = number | [limit: number, isExclusive?: boolean];

function ofLimit(given: Limit, beyond: string, upTo: string): string {
  const [limit, isExclusive] = [given].flat() as [number, boolean?];
  return `must be ${isExclusive ? beyond : upTo} ${limit}`;
}

const MESSAGES: Record<string, (expected: never) => string> = {
  anyOf: () => 'must match at least one of the alternatives',
  const: ({ texts }: Constants) => `must be ${texts[0]}`,
  contains: () => 'has too few or too many items that match `contains`',
  dependencies: () => 'lacks what depends on one of its properties',
  dependentRequired: (names: [string, string[]][]) =>
    `must have ${names.map(([name, others]) => `${others.join(' and ')} if it has ${name}`).join('; ')}`,
  enum: (constants: Constants | string[]) =>
    `must be one of ${('texts' in constants ? constants.texts : constants).join(', ')}`,
  exclusiveMaximum: (limit: number) => `must be less than ${limit}`,
  exclusiveMinimum: (limit: number) => `must be greater than ${limit}`,
  format: (format: string) => `must be a ${format}`,
  maxItems: (limit: number) => `must have at most ${many(limit, 'item')}`,
  maxLength: (limit: number) => `must have at most ${many(limit, 'character')}`,
  maxProperties: (limit: number) => `must have at most ${many(limit, 'property')}`,
  maximum: (limit: Limit) => ofLimit(limit, 'less than', 'at most'),
  minItems: (limit: number) => `must have at least ${many(limit, 'item')}`,
  minLength: (limit: number) => `must have at least ${many(limit, 'character')}`,
  minProperties: (limit: number) => `must have at least ${many(limit, 'property')}`,
  minimum: (limit: Limit) => ofLimit(limit, 'greater than', 'at least'),
  multipleOf: (divisor: number) => `must be a multiple of ${divisor}`,
  not: () => 'must not match the schema of `not`',
  oneOf: () => 'must match exactly one of the alternatives',
  pattern: (pattern: RE2JS | RegExp) => `must match ${pattern instanceof RegExp ? pattern.source : pattern.pattern()}`,
  type: (types: string | string[]) => `must be of type ${[types].flat().join(' or ')}`,
  uniqueItems: () => 'must not have equal items',
};
