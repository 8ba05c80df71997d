import type { RJSFSchema } from '@rjsf/utils';
import type { Payload } from './payload-text';

/** `isWhole`: no rule and no part of the payload is missing in the form. */
export type FormSchema = { schema: RJSFSchema; initial: Payload; isWhole: boolean };

type Schema = Record<string, unknown>;

/**
 * The part of a command type's schema that a form expresses: objects with named properties, lists, texts, numbers, choices.
 * Null if a form can express nothing of it. The form knows no other keyword of the schema.
 */
export function formSchemaOf(root: Schema): FormSchema | null {
  const reduction = new Reduction(root);
  const reduced = reduction.reduce(root);
  if (!reduced?.schema.properties) return null;
  const { schema, initial } = reduced;
  return { schema, initial: isObject(initial) ? initial : {}, isWhole: reduction.isWhole };
}

type Reduced = { schema: RJSFSchema; initial: unknown };

/** Rules that no field shows. */
const RULES = 'allOf anyOf dependentRequired dependentSchemas else if not oneOf patternProperties then'.split(' ');
const WITH_FIELD = new Set(['date', 'date-time', 'email', 'uri']);

class Reduction {
  isWhole = true;
  constructor(private readonly root: Schema) {}

  reduce(given: unknown): Reduced | null {
    if (!isObject(given)) return null;
    const schema = this.resolve(given);
    const choices = choicesOf(schema);
    if (!choices && RULES.some((rule) => rule in schema)) this.isWhole = false;
    const { title, description } = schema;
    const said = { ...(isText(title) && { title }), ...(isText(description) && { description }) };
    if (choices) return { schema: { ...said, ...choices }, initial: schema.default ?? schema.const };
    const reduced = this.byType(schema);
    if (!reduced) return null;
    return { schema: { ...said, ...reduced.schema }, initial: schema.default ?? reduced.initial };
  }

  private byType(schema: Schema): Reduced | null {
    const type = this.typeOf(schema);
    const { minimum, maximum, multipleOf, maxLength, format, minItems, maxItems } = schema;
    if (type === 'string') {
      const isKnown = isText(format) && WITH_FIELD.has(format);
      return { schema: { type, ...given({ maxLength }), ...(isKnown && { format }) }, initial: undefined };
    }
    if (type === 'number' || type === 'integer')
      return { schema: { type, ...given({ minimum, maximum, multipleOf }) }, initial: undefined };
    // A checkbox could not say "absent".
    if (type === 'boolean') return { schema: { type: 'string', enum: [true, false] }, initial: undefined };
    if (type === 'array') {
      const items = 'prefixItems' in schema ? null : this.reduce(schema.items);
      if (!items) return null;
      return { schema: { type, items: items.schema, ...given({ minItems, maxItems }) }, initial: undefined };
    }
    return type === 'object' ? this.object(schema) : null;
  }

  private object({ properties, required, additionalProperties }: Schema): Reduced | null {
    if (isObject(additionalProperties)) this.isWhole = false;
    const inner = Object.entries(isObject(properties) ? properties : {}).flatMap(([name, property]) => {
      const reduced = this.reduce(property);
      if (!reduced) this.isWhole = false;
      return reduced ? [[name, reduced] as const] : [];
    });
    if (inner.length === 0) return null;
    const named = new Set(inner.map(([name]) => name));
    const initial = inner.filter(([, one]) => one.initial !== undefined).map(([name, one]) => [name, one.initial]);
    return {
      schema: {
        type: 'object',
        properties: Object.fromEntries(inner.map(([name, one]) => [name, one.schema])),
        required: Array.isArray(required) ? required.filter((name) => named.has(name)) : [],
      },
      initial: initial.length > 0 ? Object.fromEntries(initial) : undefined,
    };
  }

  private typeOf({ type, properties, items }: Schema): unknown {
    const types = [type ?? (properties ? 'object' : items ? 'array' : [])].flat();
    const others = types.filter((one) => one !== 'null');
    if (types.length > 1) this.isWhole = false;
    return others.length === 1 ? others[0] : null;
  }

  /** The platform refuses a reference that leads outside or to itself. */
  private resolve(schema: Schema): Schema {
    const { $ref, ...own } = schema;
    if (!isText($ref)) return schema;
    const steps = $ref.split('/').slice(1);
    const names = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    const target = names.reduce<unknown>((at, name) => (at as Schema | undefined)?.[name], this.root);
    return isObject(target) ? { ...this.resolve(target), ...own } : own;
  }
}

/** A list of constants, with their titles. */
function choicesOf(schema: Schema): RJSFSchema | null {
  const { enum: values, oneOf, anyOf } = schema;
  if ('const' in schema) return isScalar(schema.const) ? { type: 'string', enum: [schema.const] } : null;
  if (Array.isArray(values)) return values.every(isScalar) ? { type: 'string', enum: values } : null;
  const options: unknown = oneOf ?? anyOf;
  if (!Array.isArray(options) || !options.every((one) => isObject(one) && isScalar(one.const))) return null;
  if (isObject(schema.properties)) return null;
  const named = options.map(({ const: value, title }) => ({
    const: value,
    title: isText(title) ? title : String(value),
  }));
  return { type: 'string', oneOf: named };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);
const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const given = (keywords: Schema) =>
  Object.fromEntries(Object.entries(keywords).filter(([, value]) => typeof value === 'number'));
