import type { contract } from '@tenant-open-platform/contract';
import type { AppRoute, ServerInferRequest, ServerInferResponses } from '@ts-rest/core';
import type { createExpressEndpoints } from '@ts-rest/express';
import type { Response } from 'express';
import type { Call } from './call.js';
import type { Reply } from './exchange.js';

/** An operation: a validated request and what the gates found out about it in, an answer out. */
export type Handler<Route extends AppRoute> = (
  request: ServerInferRequest<Route>,
  call: Call,
) => Promise<ServerInferResponses<Route> & { headers?: Record<string, string> }>;

type Contract = typeof contract;

/** One handler for every operation of the contract. */
export type Handlers = {
  [Resource in keyof Contract]: {
    [Verb in keyof Contract[Resource]]: Contract[Resource][Verb] extends AppRoute
      ? Handler<Contract[Resource][Verb]>
      : never;
  };
};

type AnyHandler = (
  request: unknown,
  call: Call,
) => Promise<{ status: number; body: unknown; headers?: Record<string, string> }>;

/** The one place where handlers meet ts-rest. */
export function toTsRestRouter(handlers: Handlers): Parameters<typeof createExpressEndpoints<Contract>>[1] {
  const adapt = (handler: AnyHandler) => async (request: { res: Response }) => {
    const { call } = (request.res as unknown as Reply).locals;
    if (!call) throw new Error('A request came to a handler without passing the gates.');
    const answer = await handler(request, call);
    if (answer.headers) request.res.set(answer.headers);
    return answer;
  };
  return Object.fromEntries(
    Object.entries(handlers).map(([resource, verbs]) => [
      resource,
      Object.fromEntries(Object.entries(verbs).map(([verb, handler]) => [verb, adapt(handler as AnyHandler)])),
    ]),
  ) as never;
}
