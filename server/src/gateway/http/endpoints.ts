import type { ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import { allOperations, type ErrorCode, type Operation } from '@tenant-open-platform/contract';
import { locationOf } from '@tenant-open-platform/contract/strict-json';
import { validateIfSchema, validateResponse } from '@ts-rest/core';
import { z } from 'zod';
import { detailsIn, MAX_DETAILS, notFound, unknownField, validationFailed } from '../../foundation/api-error.js';
import type { Keyring } from '../../foundation/secrets/keyring.js';
import { onceByKey } from '../idempotency/once.js';
import type { CallOf, Handlers, OperationName } from '../operation/call.js';
import { queryOf } from '../operation/find-operation.js';
import type { Answer, Incoming } from './exchange.js';

/** What the gates have read. */
type Parts = { params: Record<string, string>; body: unknown };

type Endpoint = (req: Incoming, reply: ServerResponse, parts: Parts, call: CallOf<ErrorCode>) => Promise<Answer>;

type AnyHandler = (request: Parts & { query: unknown }, call: CallOf<ErrorCode>) => Promise<Answer>;

/** The only place where handlers meet ts-rest, which validates requests and answers against the contract. */
export const createEndpoints = (handlers: Handlers, keyring: Keyring) =>
  Object.fromEntries(
    allOperations.map(({ name, route }) => {
      const [resource = '', verb = ''] = name.split('.');
      const verbs = handlers[resource as keyof Handlers] as Record<string, AnyHandler>;
      return [name, toEndpoint(route, verbs[verb] as AnyHandler, keyring)];
    }),
  ) as Record<OperationName, Endpoint>;

function toEndpoint(route: Operation['route'], handler: AnyHandler, keyring: Keyring): Endpoint {
  const isKeyed = route.metadata.repeat === 'BY_HEADER';
  return async (req, reply, parts, call) => {
    const request = validRequest(route, { ...parts, query: parse(queryOf(req.url)) });
    const once = isKeyed ? onceByKey(keyring, { req, reply, body: request.body }, call) : undefined;
    const { status, body, headers } = await handler(request, once ? { ...call, once } : call);
    if (!(status in route.responses)) throw new Error(`The contract has no answer ${status} here.`);
    return { status, body: validateResponse({ appRoute: route, response: { status, body } }).body, headers };
  };
}

/**
 * Refuses a large body that has too many items or an unknown field before any item is checked. To refuse 100,000 items
 * one by one took up to 300 ms of CPU.
 */
function refuseMany({ metadata, ...route }: Operation['route'], body: unknown): void {
  if (!metadata.largeBody || typeof body !== 'object' || body === null) return;
  const schema = 'body' in route && route.body instanceof z.ZodObject ? route.body.shape : {};
  const unknown = Object.keys(body).filter((name) => !(name in schema));
  const details = unknown.slice(0, MAX_DETAILS).map((name) => unknownField(locationOf('body', [name])));
  for (const [name, most] of Object.entries(metadata.largeBody.items)) {
    const items: unknown = (body as Record<string, unknown>)[name];
    if (!Array.isArray(items) || items.length <= most) continue;
    details.push({ location: `body/${name}`, code: 'TOO_BIG', message: `must have at most ${most} items` });
  }
  if (details.length > 0) throw validationFailed(details);
}

function validRequest(route: Operation['route'], given: Parts & { query: unknown }) {
  refuseMany(route, given.body);
  const params = validateIfSchema(given.params, route.pathParams, { passThroughExtraKeys: true });
  const query = validateIfSchema(given.query, route.query);
  const body = validateIfSchema(given.body, 'body' in route ? route.body : null);
  // A malformed id in a path is a 404 like a missing one: the answer does not reveal which ids exist.
  if (params.error) throw notFound();
  if (query.error || body.error) {
    throw validationFailed([...detailsIn('query', query.error ?? null), ...detailsIn('body', body.error ?? null)]);
  }
  return { params: params.value as Parts['params'], query: query.value, body: body.value };
}
