import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { nodes, undescribedProperties } from '../scripts/document-nodes.js';
import { buildOpenApi, renderOpenApi } from '../scripts/openapi.js';
import { namedSchemas } from '../scripts/schemas.js';
import { allOperations } from './contract.js';
import { ErrorBody, errors } from './errors.js';
import { errorsOf } from './errors-of.js';
import { eventTypes, PlatformEvent } from './events.js';

type Json = Record<string, unknown>;
type Media = { example?: unknown; examples?: Record<string, { value?: unknown; $ref?: string }> };
type Response = { $ref?: string; headers?: object; content?: object };
type DescribedOperation = {
  operationId: string;
  requestBody?: { content: { 'application/json': Media } };
  responses: Record<string, { $ref?: string; content: { 'application/json': Media } }>;
};

const document = buildOpenApi();

const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, DescribedOperation>).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    operation,
  })),
);

const routeOf = (name: string) => {
  const found = allOperations.find((operation) => operation.name === name);
  if (!found) throw new Error(`${name} is not in the contract`);
  return found.route;
};

const successesOf = (responses: object) => Object.entries(responses).filter(([status]) => Number(status) < 400);

test('openapi.json is up to date with the contract', () => {
  const written = readFileSync(new URL('../openapi.json', import.meta.url), 'utf8');
  expect(written, 'contract/openapi.json is out of date: run pnpm golden').toBe(renderOpenApi());
});

test('describes exactly the operations of the contract, each by its name', () => {
  const line = (method: string, path: string, name: string | undefined) => `${method} ${path} ${name}`;
  expect(described.map(({ method, path, operation }) => line(method, path, operation.operationId)).sort()).toEqual(
    allOperations.map(({ name, route }) => line(route.method, route.path.replaceAll(/:(\w+)/g, '{$1}'), name)).sort(),
  );
});

test('groups all resources, the open ones first and commands at the top', () => {
  const [open, administration] = document['x-tagGroups'];
  const names = document.tags.map(({ name }) => name);
  expect([...(open?.tags ?? []), ...(administration?.tags ?? [])]).toEqual(names);
  expect(names[0]).toBe('commands');
  const pathsOf = (tags: string[] = []) =>
    described.flatMap(({ path, operation }) =>
      tags.includes(operation.operationId.split('.')[0] ?? '') ? [path] : [],
    );
  expect(pathsOf(open?.tags).filter((path) => !path.startsWith('/api/v1/open/'))).toEqual([]);
  expect(pathsOf(administration?.tags).filter((path) => !path.startsWith('/api/v1/platform/'))).toEqual([]);
});

describe.each(described)('$operation.operationId', ({ operation }) => {
  const route = routeOf(operation.operationId);

  test('has an example of its body, which the platform accepts', () => {
    const body = 'body' in route ? (route.body as z.ZodType) : undefined;
    expect(operation.requestBody !== undefined).toBe(body !== undefined);
    if (!body) return;
    const { example, examples = {} } = operation.requestBody?.content['application/json'] ?? {};
    const shown = [example, ...Object.values(examples).map(({ value }) => value)].filter(Boolean);
    expect(shown).not.toEqual([]);
    for (const value of shown) expect(body.parse(value)).toEqual(value);
    const hasFields = Object.keys((body as z.ZodObject).shape ?? {}).length > 0;
    if (hasFields) expect(shown.length, 'a body with fields has several examples').toBeGreaterThan(1);
  });

  test('has a complete example of every success', () => {
    for (const [status, response] of successesOf(operation.responses)) {
      const example = response.content['application/json'].example;
      const schema = route.responses[Number(status)] as z.ZodType;
      expect(example).toBeDefined();
      expect(schema.parse(example)).toEqual(example);
    }
  });

  test('validates answers without changing them', () => {
    for (const [status, schema] of successesOf(route.responses)) {
      expect(changes(schema as z.core.$ZodType, status)).toEqual([]);
    }
  });
});

test('an answer is not searched within payloads, results and payload schemas', () => {
  const unread = new Proxy({}, { ownKeys: () => expect.fail('it was searched') });
  const answerOf = (name: string) => {
    const schema = routeOf(name).responses[200] as z.ZodType;
    return { schema, example: schema.meta()?.example as Json };
  };
  const command = answerOf('commands.get');
  expect(command.schema.parse({ ...command.example, payload: unread, result: unread })).toMatchObject({
    status: 'ACCEPTED',
  });
  const request = answerOf('deviceRequests.get');
  expect(request.schema.safeParse({ ...request.example, payload: unread }).success).toBe(true);
  const events = answerOf('events.list');
  const [event] = events.example.items as { data: object }[];
  const items = [{ ...event, data: { ...event?.data, result: unread } }];
  expect(events.schema.safeParse({ ...events.example, items }).success).toBe(true);
});

test('the example of tenants.delete is a tenant that is being deleted', () => {
  const deletion = described.find(({ operation }) => operation.operationId === 'tenants.delete');
  expect(deletion?.operation.responses[202]?.content['application/json'].example).toMatchObject({
    status: 'DELETING',
    deletion: { rows_deleted: 0, finished_at: null },
  });
});

test('every error has an example, which is a complete error body', () => {
  const unanswered = Object.keys(errors).filter((code) => !(code in document.components.examples));
  expect(unanswered).toEqual(['METHOD_NOT_ALLOWED']);
  for (const [code, { value }] of Object.entries(document.components.examples)) {
    expect(ErrorBody.parse(value)).toEqual({ ...value, code });
  }
});

const codesOf = ({ content }: { content: { 'application/json': Media } }) =>
  Object.keys(content['application/json'].examples ?? {});

test.each(described)('$operation.operationId lists exactly the codes that it can answer', ({ operation }) => {
  const failures = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400);
  const listed = failures.flatMap(([, response]) =>
    codesOf(
      response.$ref ? (document.components.responses[response.$ref.split('/').at(-1) ?? ''] ?? response) : response,
    ),
  );
  const { operationId: name } = operation;
  expect(listed.sort()).toEqual(errorsOf({ name, route: routeOf(name) }).sort());
});

const resolved = ({ $ref, ...response }: Response) =>
  $ref ? ((document.components.responses as Record<string, Response>)[$ref.split('/').at(-1) ?? ''] ?? {}) : response;

test.each(described)('$operation.operationId describes any other status, and the headers of each', ({ operation }) => {
  const { default: other, ...listed } = operation.responses;
  const schema = { $ref: '#/components/schemas/ErrorBody' };
  expect(resolved(other ?? {}).content).toEqual({ 'application/json': { schema } });
  for (const [status, response] of Object.entries({ ...listed, default: other ?? {} })) {
    const { headers = {} } = resolved(response);
    expect(Object.keys(document.components.headers), status).toEqual(expect.arrayContaining(Object.keys(headers)));
    expect(headers, status).toHaveProperty('X-Request-Id');
    expect('Retry-After' in headers, status).toBe(status === '429' || status === '503');
    expect('RateLimit' in headers, status).toBe(status === '429');
  }
});

test('the location of a problem may be in a property whose name has a line feed', () => {
  const [pattern] = [...nodes(document)]
    .map(({ node }) => `${node.pattern}`)
    .filter((one) => one.startsWith('^(body|'));
  const locations = ['body', 'query/limit', 'body/a\nb/0', 'elsewhere/a'];
  expect(locations.filter((location) => new RegExp(pattern ?? '').test(location))).toEqual(locations.slice(0, 3));
});

test('commands.create lists only its own 422 codes', () => {
  const create = described.find(({ operation }) => operation.operationId === 'commands.create');
  const codes = codesOf(create?.operation.responses['422'] as never);
  expect(codes).toEqual(['VENDOR_NOT_ENABLED', 'COMMAND_TYPE_UNKNOWN', 'COMMAND_PAYLOAD_INVALID']);
});

test.each(eventTypes)('the event %s has a complete example', (type) => {
  const example = document.webhooks[type]?.post.requestBody.content['application/json'].example as Json;
  expect(PlatformEvent.parse(example)).toEqual({ ...example, event_type: type });
});

test('operations reach every schema: oapi-codegen leaves out those that only a webhook has', () => {
  const reached = namedSchemas({ paths: document.paths, responses: document.components.responses });
  const { schemas } = document.components;
  const paths = JSON.stringify(document.paths);
  const isInput = (name: string) =>
    name.endsWith('Input') && (name.slice(0, -'Input'.length) in reached || paths.includes(`schemas/${name}"`));
  expect(Object.keys(schemas).filter((name) => !(name in reached) && !isInput(name))).toEqual([]);
});

test('enums of answers may gain values, those of requests may not, and all have names', () => {
  const { schemas } = document.components;
  const enums = [...nodes(document)].filter(({ at, node }) => Array.isArray(node.enum) && !/example/.test(at));
  const inline = enums.filter(({ at }) => !/^#\/components\/schemas\/\w+Input$/.test(at)).map(({ at }) => at);
  // Ways to sort, and a header that is present or absent.
  expect(inline.filter((at) => !/parameters\/\d+\/schema$|headers\/Idempotent-Replayed\/schema$/.test(at))).toEqual([]);
  expect(schemas.CommandStatus).toMatchObject({
    type: 'string',
    'x-extensible-enum': expect.arrayContaining(['EXPIRED']),
  });
  expect(schemas.CommandStatus).not.toHaveProperty('enum');
  const answers = JSON.stringify(described.map(({ operation }) => operation.responses));
  expect(answers).not.toMatch(/schemas\/\w+Input"/);
});

test('no name of a schema shadows a built-in of JavaScript or Python', () => {
  const builtIns = Object.getOwnPropertyNames(globalThis);
  expect(Object.keys(document.components.schemas).filter((name) => builtIns.includes(name))).toEqual([]);
});

test('patterns have no escaped slash: a generator may copy them into a literal', () => {
  const patterns = [...nodes(document)]
    .map(({ node }) => node.pattern)
    .filter((pattern) => typeof pattern === 'string');
  expect(patterns.filter((pattern) => pattern.includes('\\/'))).toEqual([]);
});

test('every property and every parameter is described', () => {
  const parameters = [...nodes(document)].filter(({ node }) => 'in' in node);
  expect(undescribedProperties(document)).toEqual([]);
  expect(parameters.filter(({ node }) => !node.description)).toEqual([]);
});

/** A page sends every example. One of these would be refused, or would be the same for all requests. */
test('every parameter has an example, except those whose value only an earlier response or the caller has', () => {
  const parameters = [...nodes(document)].filter(({ at, node }) => 'in' in node && !at.includes('securitySchemes'));
  const without = parameters.filter(({ node }) => node.example === undefined).map(({ node }) => node.name);
  expect(new Set(without)).toEqual(new Set(['cursor', 'seen_updated_at', 'X-Request-Id', 'Idempotency-Key']));
});

test('numbers and times have the right formats', () => {
  const limits = [...nodes(document.paths)].filter(({ node }) => node.name === 'limit').map(({ node }) => node.schema);
  expect(limits).not.toEqual([]);
  for (const limit of limits) expect(limit).toEqual({ type: 'integer', minimum: 1, maximum: 500, default: 100 });
  const doublyConstrained = [...nodes(document)].filter(({ node }) => 'format' in node && 'pattern' in node);
  expect(doublyConstrained).toEqual([]);
  const times = [...nodes(document)].filter(({ at, node }) => /_(at|after|before|time)$/.test(at) && 'type' in node);
  expect(times.filter(({ node }) => node.format !== 'date-time')).toEqual([]);
});

test('an integer is int64 exactly if its maximum needs more than 32 bits', () => {
  const integers = [...nodes(document)].filter(({ node }) => [node.type].flat().includes('integer'));
  const large = integers.filter(({ node }) => Number(node.maximum) > 2 ** 31 - 1);
  expect(large.map(({ at }) => at)).toContain('#/components/schemas/PresignRequest/properties/content_length');
  expect(integers.filter(({ node }) => node.format === 'int64')).toEqual(large);
});

/** The places in a schema where the validated answer could differ from the given one. */
function changes(schema: z.core.$ZodType, at: string): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if ('coerce' in def && def.coerce) return [`${at}: coerce`];
  switch (def.type) {
    case 'object':
      return Object.entries(def.shape).flatMap(([name, field]) => changes(field, `${at}/${name}`));
    case 'array':
      return changes(def.element, `${at}[]`);
    case 'record':
      return changes(def.valueType, `${at}{}`);
    case 'nullable':
    case 'optional':
      return changes(def.innerType, at);
    case 'string':
      return def.checks?.some((check) => check._zod.def.check === 'overwrite') ? [`${at}: overwrite`] : [];
    case 'number':
    case 'boolean':
    case 'enum':
    case 'literal':
    case 'unknown':
      return [];
    default:
      return [`${at}: ${def.type}`];
  }
}
