import type { generateOpenApi } from '@ts-rest/open-api';
import { z } from 'zod';

type SchemaTransformer = NonNullable<NonNullable<Parameters<typeof generateOpenApi>[2]>['schemaTransformer']>;
type JsonSchema = Record<string, unknown>;

export const referenceTo = (id: string) => `#/components/schemas/${id}`;

/** A client must know what it can send and what it can receive, so both directions describe the input. */
const options = { io: 'input', override: ({ jsonSchema }: { jsonSchema: JsonSchema }) => tidy(jsonSchema) } as const;

/** The schemas with an id that a description refers to, and the schemas that they refer to, by id. */
export function namedSchemas(description: object): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(z.globalRegistry, { ...options, uri: referenceTo });
  const named = new Map<string, JsonSchema>();
  const add = (describing: object) => {
    for (const [, id = ''] of JSON.stringify(describing).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      const schema = schemas[id];
      if (!schema || named.has(id)) continue;
      const component = extending(schema.extends ? schemas[String(schema.extends)] : undefined, schema);
      named.set(id, component);
      add(component);
    }
  };
  add(description);
  return Object.fromEntries([...named].sort());
}

/** ts-rest's own transformer supports only zod 3. */
export const transformSchema: SchemaTransformer = ({ schema }) => {
  if (!(schema instanceof z.ZodType)) return null;
  const id = schema.meta()?.id;
  return id ? { $ref: referenceTo(id) } : withNamedParts(z.toJSONSchema(schema, options));
};

/** zod defines the named parts of a schema within it. They are components of the whole description. */
function withNamedParts({ $defs, ...schema }: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(withoutIdentity(schema)).replaceAll('"#/$defs/', `"${referenceTo('')}`));
}

/** A body or an answer, with the examples that its schema declares: one, or several by their names. */
export function jsonContent(schema: unknown, example = metaOf(schema).example) {
  const { id, moreExamples } = metaOf(schema) as z.GlobalMeta & { moreExamples?: Record<string, object> };
  if (!id || !example) {
    throw new Error(`In contract/src a body or an answer has no id or no example: ${JSON.stringify(metaOf(schema))}.`);
  }
  const named = Object.entries(moreExamples ?? {}).map(([name, value]) => [name, { value }]);
  const examples = moreExamples
    ? { examples: { default: { value: example }, ...Object.fromEntries(named) } }
    : { example };
  return { 'application/json': { schema: { $ref: referenceTo(id) }, ...examples } };
}

const metaOf = (schema: unknown): z.GlobalMeta => (schema instanceof z.ZodType && schema.meta()) || {};

/** A schema that declares `extends` refers to its base and repeats none of the base's properties. */
function extending(base: JsonSchema | undefined, schema: JsonSchema): JsonSchema {
  const { extends: id, type, properties, required, ...rest } = withoutIdentity(schema);
  if (!base) return withoutIdentity(schema);
  const known = base.properties as JsonSchema;
  const own = {
    type,
    properties: Object.fromEntries(Object.entries(properties as JsonSchema).filter(([name]) => !(name in known))),
    required: (required as string[]).filter((name) => !(name in known)),
  };
  return { allOf: [{ $ref: referenceTo(String(id)) }, own], ...rest };
}

function withoutIdentity(schema: JsonSchema): JsonSchema {
  const { $schema, $id, id, moreExamples, ...rest } = schema;
  return rest;
}

/** Client generators treat an integer without a format as 32 bits. */
const MAX_INT32 = 2 ** 31 - 1;

function tidy(schema: JsonSchema): void {
  if (typeof schema.pattern === 'string') schema.pattern = schema.pattern.replaceAll('\\/', '/');
  // openapi-generator's Java for the client of the JDK does not compile with a constant of the type number.
  if (schema.type === 'number' && Number.isInteger(schema.const)) schema.type = 'integer';
  if ('format' in schema || schema.type === 'integer') delete schema.pattern;
  if (schema.type === 'integer') {
    if (schema.default !== undefined) schema.default = Number(schema.default);
    if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
    if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
    if (Number(schema.maximum) > MAX_INT32) schema.format = 'int64';
  }
  if (JSON.stringify(schema.propertyNames) === '{"type":"string"}') delete schema.propertyNames;
  // openapi-generator makes `*interface{}` of `{}` in Go, and Java that does not compile of a constant boolean.
  if (JSON.stringify(schema.additionalProperties) === '{}') schema.additionalProperties = true;
  if (schema.type === 'boolean') delete schema.const;
  if ('example' in schema) {
    schema.examples = [schema.example];
    delete schema.example;
  }
  mergeStrings(schema);
  mergeNull(schema);
}

/** No generator can tell one kind of string from another, and Java's code for such a choice does not compile. */
function mergeStrings(schema: JsonSchema): void {
  const choices = (schema.anyOf ?? []) as JsonSchema[];
  if (choices.length === 0 || !choices.every(({ type, enum: values }) => type === 'string' && !values)) return;
  delete schema.anyOf;
  schema.type = 'string';
}

/** `anyOf: [{type: 'string', …}, {type: 'null'}]` is a longer form of `type: ['string', 'null']`. */
function mergeNull(schema: JsonSchema): void {
  const [value, none, ...others] = (schema.anyOf ?? []) as JsonSchema[];
  if (typeof value?.type !== 'string' || value.enum || none?.type !== 'null' || others.length > 0) return;
  tidy(value);
  delete schema.anyOf;
  Object.assign(schema, { ...value, ...schema, type: [value.type, 'null'] });
}
