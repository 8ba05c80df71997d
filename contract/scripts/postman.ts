import { hasMismatch } from './code-samples.js';
import { buildOpenApi } from './openapi.js';

type Parameter = { name?: string; in?: string; required?: boolean; example?: unknown };
type Described = {
  operationId: string;
  summary: string;
  description: string;
  parameters: Parameter[];
  requestBody?: { content: { 'application/json': { example?: object; examples?: Record<string, { value: object }> } } };
  responses: Record<string, { headers?: object }>;
};

/** Postman replaces variables after this script, so the script replaces them first: it signs what is sent. */
const signing = `const crypto = require('crypto-js');

const target = pm.variables.replaceIn(pm.request.url.getPathWithQuery());
const body = pm.request.body && pm.request.body.raw ? pm.variables.replaceIn(pm.request.body.raw) : '';
if (body) pm.request.body.update({ mode: 'raw', raw: body });
const clientId = pm.variables.get('client_id');
const timestamp = String(Math.floor(Date.now() / 1000));
const nonce = pm.variables.replaceIn('{{$guid}}');
const text = ['HMAC-SHA256-V1', pm.request.method, target, clientId, timestamp, nonce, crypto.SHA256(body)].join('\\n');
const signature = 'v1=' + crypto.HmacSHA256(text, pm.variables.get('secret'));
pm.request.headers.upsert({ key: 'X-Api-Id', value: clientId });
pm.request.headers.upsert({ key: 'X-Api-Timestamp', value: timestamp });
pm.request.headers.upsert({ key: 'X-Api-Nonce', value: nonce });
pm.request.headers.upsert({ key: 'X-Api-Signature', value: signature });`;

type Request = { resource: string; verb: string; method: string; path: string; operation: Described };

/** postman.json: a collection of every operation that signs each request before it is sent. */
export function renderPostman(): string {
  const { info, tags, paths } = buildOpenApi();
  const requests = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as unknown as Record<string, Described>).map(([method, operation]): Request => {
      const [resource = '', verb = ''] = operation.operationId.split('.');
      return { resource, verb, method: method.toUpperCase(), path, operation };
    }),
  );
  const variables = new Map(
    requests.flatMap(({ resource, operation }) =>
      operation.parameters
        .filter((parameter) => parameter.in === 'path')
        .map(({ name = '', example }) => [variableOf(resource, name), example] as const),
    ),
  );
  const collection = {
    info: {
      name: info.title,
      description:
        'Set base_url, client_id and secret in the variables of the collection. It signs each request. A request that creates something writes its id into the variables, so the next requests act on it. deviceRequests.list and parkedMessages.list write the id of their first item.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    event: [script('prerequest', signing)],
    variable: [
      { key: 'base_url', value: 'http://127.0.0.1:8787' },
      { key: 'client_id', value: '' },
      { key: 'secret', value: '' },
      ...[...variables].map(([key, value]) => ({ key, value })),
    ],
    item: tags.map(({ name, 'x-displayName': title, description }) => ({
      name: title,
      description,
      item: requests.filter(({ resource }) => resource === name).map((request) => itemOf(request, requests)),
    })),
  };
  return `${JSON.stringify(collection, null, 2)}\n`;
}

const script = (listen: 'prerequest' | 'test', text: string) => ({
  listen,
  script: { type: 'text/javascript', exec: text.split('\n') },
});

function itemOf(request: Request, requests: readonly Request[]) {
  const id = idOfAnswer(request, requests);
  const variable = id && variableOf(request.resource, id);
  // In an answer, request_id is the correlation id.
  const field = id === 'request_id' ? 'device_request_id' : id;
  const found = request.verb === 'list' ? 'pm.response.json().items[0]' : 'pm.response.json()';
  const isOfAnother = `const mismatch = pm.response.headers.get('Idempotency-Mismatch');
if (mismatch) throw new Error(\`The key belongs to another command: \${mismatch} differ.\`);
`;
  const keep = `${hasMismatch(request.operation) ? isOfAnother : ''}const found = pm.response.code < 300 && ${found};
if (found) pm.collectionVariables.set('${variable}', found.${field});`;
  return {
    name: request.operation.operationId,
    ...(id && { event: [script('test', keep)] }),
    request: requestOf(request, id),
  };
}

/** The path parameter that names what a request creates, or lists if no request creates it. */
function idOfAnswer({ resource, verb, path }: Request, requests: readonly Request[]): string | undefined {
  const isCreated = requests.some((other) => other.resource === resource && other.verb === 'create');
  if (verb !== (isCreated ? 'create' : 'list')) return undefined;
  const names = requests.map((other) => other.path.startsWith(path) && other.path.slice(path.length));
  return names.map((name) => /^\/\{(\w+_id)\}$/.exec(name || '')?.[1]).find(Boolean);
}

function requestOf({ resource, method, path, operation }: Request, created: string | undefined) {
  const { description, parameters, requestBody } = operation;
  const reference = (name: string) => `{{${variableOf(resource, name)}}}`;
  const segments = path
    .slice(1)
    .split('/')
    .map((segment) => segment.replace(/^\{(\w+)\}$/, (_, name: string) => reference(name)));
  const query = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name: key = '', example, required }) => ({
      key,
      value: required && isReference(key) ? reference(key) : encodeURIComponent(String(example ?? '')),
      disabled: !required,
    }));
  const { example, examples } = requestBody?.content['application/json'] ?? {};
  const body = example ?? examples?.default?.value;
  /** What it names is what earlier requests have created, and each command is a new one. */
  const fresh = (key: string, value: unknown) => {
    if (key === 'idempotency_key') return '{{$guid}}';
    return isReference(key) && key !== created ? reference(key) : value;
  };
  return {
    method,
    description,
    header: body ? [{ key: 'Content-Type', value: 'application/json' }] : [],
    url: { host: ['{{base_url}}'], path: segments, query },
    ...(body && { body: { mode: 'raw', raw: JSON.stringify(body, fresh, 2) } }),
  };
}

/** Fields of bodies and queries that name what other requests create. */
const isReference = (name: string) => ['client_id', 'role', 'credential_id', 'resource_id'].includes(name);

/** client_id is the caller's. A role that is bound is a built-in one, which cannot be written. */
function variableOf(resource: string, name: string): string {
  if (name === 'client_id') return 'credential_client_id';
  return name === 'role' && resource === 'roleBindings' ? 'bound_role' : name;
}
