import { expect, test } from 'vitest';
import { buildOpenApi } from '../scripts/openapi.js';

type Schema = {
  $ref?: string;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: boolean | Schema;
} & Partial<Record<'allOf' | 'anyOf' | 'oneOf', Schema[]>>;
type Operation = { operationId: string; parameters: { name?: string; schema?: Schema }[] };
type Name = { at: string; written: string };

const document = buildOpenApi();
const schemas = document.components.schemas as Record<string, Schema>;
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods as object) as Operation[]);

/** Generators write a name in PascalCase, camelCase or snake_case, and some file systems ignore case. */
const nameOf = (...parts: string[]): Name => ({
  at: parts.join(' + '),
  written: parts
    .join('')
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .toLowerCase(),
});

/** What ogen, openapi-generator, typify (progenitor) and orval add for the type of an item, a value or a choice. */
const ofItem = ['Item', 'Items', 'Inner'];
const ofValue = ['Value', 'Additional', 'AdditionalProperty', 'Extra'];
const ofChoice = ['Sum', 'AnyOf', 'OneOf', 'AllOf', 'Variant', 'Inner'];

/** What generators add to the name of an operation for its parameters, its body and its responses. */
const ofOperation = [
  ...['Params', 'Parameters', 'Query', 'QueryParams', 'PathParams', 'HeaderParams', 'Headers', 'Options', 'Args'],
  ...['Data', 'Body', 'Req', 'Request', 'RequestBody', 'JSONBody', 'JSONRequestBody', 'Mutation', 'MutationRequest'],
  ...['Res', 'Result', 'Response', 'Responses', 'QueryResponse', 'MutationResponse', 'Default', 'DefaultStatusCode'],
  ...['Error', 'Errors', 'OK', 'Created', 'Accepted', 'Status200', 'Status201', 'Status202', '200', '201', '202', ''],
];

/** The types without a name in a schema. A generator names each by its place. */
function* unnamedTypes(schema: Schema, ...at: string[]): Generator<Name> {
  const { properties = {}, items, additionalProperties, allOf = [], anyOf = [], oneOf = [] } = schema;
  for (const [property, child] of Object.entries(properties)) yield* typesAt(child, ...at, property);
  for (const suffix of ofItem) yield* typesAt(items, ...at, suffix);
  const values = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  for (const suffix of ofValue) yield* typesAt(values, ...at, suffix);
  for (const choice of [...allOf, ...anyOf, ...oneOf]) {
    yield* unnamedTypes(choice, ...at);
    for (const suffix of ofChoice) yield* typesAt(choice, ...at, suffix);
  }
}

function* typesAt(schema: Schema | undefined, ...at: string[]): Generator<Name> {
  if (!schema || schema.$ref) return;
  if (schema.properties || schema.enum) yield nameOf(...at);
  yield* unnamedTypes(schema, ...at);
}

const components = Object.keys(schemas).map((name) => nameOf(name));
const inSchemas = Object.entries(schemas).flatMap(([name, schema]) => [...unnamedTypes(schema, name)]);
const inOperations = operations.flatMap(({ operationId, parameters }) => [
  ...ofOperation.map((suffix) => nameOf(operationId, suffix)),
  ...parameters.flatMap(({ name = '', schema }) => [...typesAt(schema, operationId, name)]),
]);

const collisions = (names: Name[], others: Name[]) =>
  names.flatMap(({ at, written }) =>
    others.filter((other) => other.written === written && other.at !== at).map((other) => `${at} = ${other.at}`),
  );

test('no generator gives a type without a name, or a type of an operation, the name of a schema', () => {
  expect(inSchemas.map(({ at }) => at)).toEqual(expect.arrayContaining(['Command + status_reason']));
  expect(collisions([...inSchemas, ...inOperations], components)).toEqual([]);
});

test('no two schemas, and no two types without a name, have the same name in a generator', () => {
  expect(collisions(components, components)).toEqual([]);
  const ofPlaces = new Map(inSchemas.map((name) => [name.at, name]));
  expect(collisions([...ofPlaces.values()], [...ofPlaces.values()])).toEqual([]);
  expect(collisions(inSchemas, inOperations)).toEqual([]);
});
