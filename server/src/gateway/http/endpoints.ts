import { allOperations, type ErrorCode, type Operation } from '@tenant-open-platform/contract';
import { createExpressEndpoints } from '@ts-rest/express';
import type { IRouter, RequestHandler } from 'express';
import type { Keyring } from '../../foundation/secrets/keyring.js';
import { type KeyedRequest, onceByKey } from '../idempotency/once.js';
import type { CallOf, Handlers } from '../operation/call.js';
import type { Reply } from './exchange.js';
import { expressApp } from './express-app.js';

type AnyHandler = (
  request: unknown,
  call: CallOf<ErrorCode>,
) => Promise<{ status: number; body: unknown; headers?: Record<string, string> }>;

/**
 * The only place where handlers meet ts-rest, which validates requests and answers against the contract. The gates have
 * already found the operation and its parameters, so Express matches no path.
 */
export function createEndpoints(handlers: Handlers, keyring: Keyring) {
  const endpoints = new Map(
    allOperations.map(({ name, route }) => {
      const [resource = '', verb = ''] = name.split('.');
      const verbs = handlers[resource as keyof Handlers] as Record<string, AnyHandler>;
      return [name, toEndpoint(route, verbs[verb] as AnyHandler, keyring)];
    }),
  );
  return expressApp((app) =>
    app.use((req, res, next) => {
      const { operation, params = {} } = (res as unknown as Reply).locals;
      req.params = params;
      return endpoints.get(operation ?? '')?.(req, res, next);
    }),
  );
}

/** The handlers that ts-rest would register for the path of the operation. */
function toEndpoint(route: Operation['route'], handler: AnyHandler, keyring: Keyring): RequestHandler | undefined {
  const isKeyed = route.metadata.repeat === 'BY_HEADER';
  const handle = async (request: KeyedRequest) => {
    const { call } = (request.res as unknown as Reply).locals;
    if (!call) throw new Error('A request reached a handler without passing the gates.');
    const answer = await handler(request, isKeyed ? { ...call, once: onceByKey(keyring, request, call) } : call);
    if (answer.headers) request.res.set(answer.headers);
    return answer;
  };
  let endpoint: RequestHandler | undefined;
  const register = (_path: string, ...steps: RequestHandler[]) => {
    endpoint = steps.at(-1);
  };
  const router = { get: register, post: register, put: register, delete: register, use() {} };
  createExpressEndpoints({ route }, { route: handle as never }, router as unknown as IRouter, {
    responseValidation: true,
  });
  return endpoint;
}
