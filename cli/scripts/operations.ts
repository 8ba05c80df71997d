import document from '@tenant-open-platform/contract/openapi.json' with { type: 'json' };
import type { Field, Kind } from '../src/input/field.js';

type Schema = {
  type?: string | string[];
  format?: string;
  enum?: string[];
  items?: Schema;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  $ref?: string;
};

type Parameter = { in?: string; name?: string; required?: boolean; description?: string; schema?: Schema };

type Described = {
  operationId: string;
  summary: string;
  description: string;
  'x-required-scope': string | null;
  'x-tenant': 'own' | 'path' | 'platform';
  'x-repeat': string;
  parameters: Parameter[];
  requestBody?: { content: { 'application/json': { schema: Schema } } };
  'x-codeSamples': { label: string; source: string }[];
};

/** The name of an operation, unless it is the value of a flag. */
const NAME_IN_TEXT = /(?<!--operation |Operation id, for example `)\b[a-zA-Z]+\.[a-zA-Z]+\b(?!":)/g;

/** The source of src/operations.gen.ts: the facts about each operation of the contract that the command line needs. */
export function renderOperations(): string {
  const described = Object.values(document.paths).flatMap((methods) => Object.values(methods) as Described[]);
  const operations = Object.fromEntries(described.map((operation) => [operation.operationId, summarize(operation)]));
  const resources = Object.fromEntries(document.tags.map(({ name, description }) => [name, description]));
  const text = JSON.stringify(operations, null, 2).replace(NAME_IN_TEXT, (name) =>
    name in operations ? `topctl ${kebab(name).replace('.', ' ')}` : name,
  );
  return `// Generated from contract/openapi.json by \`pnpm golden\`.
export const resources = ${JSON.stringify(resources, null, 2)} as const;

export const operations = ${text} as const;
`;
}

/** Texts of the contract name operations, such as roles.list. On the command line that is `topctl roles list`. */
const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function summarize(operation: Described) {
  const { summary, description, parameters } = operation;
  const ofPath = parameters.filter((parameter) => parameter.in === 'path');
  return {
    summary,
    description: description.split('\n\nRequires the scope')[0],
    scope: operation['x-required-scope'],
    tenant: operation['x-tenant'],
    isKeyed: operation['x-repeat'] === 'BY_HEADER',
    example: operation['x-codeSamples'].find(({ label }) => label === 'topctl')?.source ?? '',
    path: Object.fromEntries(ofPath.map((parameter) => [parameter.name, parameter.description])),
    fields: { ...fieldsOfQuery(parameters), ...fieldsOfBody(operation) },
  };
}

/** `limit` and `cursor` are left out: the command line reads as many pages as it needs. */
function fieldsOfQuery(parameters: Parameter[]): Record<string, Field> {
  const ofQuery = parameters.filter(
    ({ in: place, name }) => place === 'query' && name !== 'limit' && name !== 'cursor',
  );
  return Object.fromEntries(
    ofQuery.map(({ name, description = '', required, schema = {} }) => [
      name,
      fieldOf({ ...schema, description }, required === true),
    ]),
  );
}

function fieldsOfBody({ requestBody }: Described): Record<string, Field> {
  const { properties = {}, required = [] } = resolve(requestBody?.content['application/json'].schema ?? {});
  return Object.fromEntries(
    Object.entries(properties).map(([field, schema]) => [field, fieldOf(schema, required.includes(field))]),
  );
}

const schemas = document.components.schemas as Record<string, Schema>;

/** A named schema stands in for its name. What is said beside the name is said of this use. */
const resolve = ({ $ref, ...own }: Schema): Schema => ({ ...schemas[$ref?.split('/').at(-1) ?? ''], ...own });

function fieldOf(given: Schema, isRequired: boolean): Field {
  const schema = resolve(given);
  const types = [schema.type ?? []].flat();
  const kind = kindOf(types[0], schema.format);
  const choices = schema.enum ?? (schema.items && resolve(schema.items).enum);
  return {
    kind,
    description: schema.description ?? '',
    ...(choices && { choices }),
    ...(isRequired && { isRequired }),
    ...(types.includes('null') && { nullWord: kind === 'instant' ? 'never' : 'none' }),
  };
}

function kindOf(type: string | undefined, format: string | undefined): Kind {
  switch (type) {
    case 'integer':
    case 'boolean':
    case 'object':
      return type;
    case 'array':
      return 'list';
    default:
      return format === 'date-time' ? 'instant' : 'text';
  }
}
