import { buildOpenApi } from './openapi.js';

type Parameter = { name?: string; in?: string; required?: boolean; example?: unknown };
type Described = {
  operationId: string;
  summary: string;
  description: string;
  parameters: Parameter[];
  requestBody?: { content: { 'application/json': { example?: object; examples?: Record<string, { value: object }> } } };
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

/** postman.json: a collection of every operation that signs each request before it is sent. */
export function renderPostman(): string {
  const { info, tags, paths } = buildOpenApi();
  const requests = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as unknown as Record<string, Described>).map(([method, operation]) => ({
      resource: operation.operationId.split('.')[0],
      item: { name: operation.operationId, request: requestOf(method.toUpperCase(), path, operation) },
      variables: operation.parameters.filter((parameter) => parameter.in === 'path'),
    })),
  );
  const variables = new Map(requests.flatMap(({ variables }) => variables).map(({ name, example }) => [name, example]));
  const collection = {
    info: {
      name: info.title,
      description: 'Set base_url, client_id and secret in the variables of the collection. It signs each request.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    event: [{ listen: 'prerequest', script: { type: 'text/javascript', exec: signing.split('\n') } }],
    variable: [
      { key: 'base_url', value: 'http://127.0.0.1:8787' },
      { key: 'client_id', value: '' },
      { key: 'secret', value: '' },
      ...[...variables].filter(([name]) => name !== 'client_id').map(([key, value]) => ({ key, value })),
      { key: 'credential_client_id', value: variables.get('client_id') },
    ],
    item: tags.map(({ name, 'x-displayName': title, description }) => ({
      name: title,
      description,
      item: requests.filter(({ resource }) => resource === name).map(({ item }) => item),
    })),
  };
  return `${JSON.stringify(collection, null, 2)}\n`;
}

function requestOf(method: string, path: string, { description, parameters, requestBody }: Described) {
  const segments = path
    .slice(1)
    .split('/')
    .map((segment) => segment.replace(/^\{(\w+)\}$/, (_, name: string) => `{{${variableOf(name)}}}`));
  const query = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name: key, example, required }) => ({
      key,
      value: encodeURIComponent(String(example ?? '')),
      disabled: !required,
    }));
  const { example, examples } = requestBody?.content['application/json'] ?? {};
  const body = example ?? examples?.default?.value;
  return {
    method,
    description,
    header: body ? [{ key: 'Content-Type', value: 'application/json' }] : [],
    url: { host: ['{{base_url}}'], path: segments, query },
    ...(body && { body: { mode: 'raw', raw: JSON.stringify(withFreshKey(body), null, 2) } }),
  };
}

/** client_id is the caller's. */
const variableOf = (name: string) => (name === 'client_id' ? 'credential_client_id' : name);

const withFreshKey = (body: object) => ('idempotency_key' in body ? { ...body, idempotency_key: '{{$guid}}' } : body);
