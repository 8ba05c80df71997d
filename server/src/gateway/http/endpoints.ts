import type { ServerResponse } from 'node:http';
import type { ErrorCode, Operation } from '@tenant-open-platform/contract';
import { validateResponse } from '@ts-rest/core';
import type { Keyring } from '../../foundation/secrets/keyring.js';
import { onceByKey } from '../idempotency/once.js';
import type { CallOf, Handlers } from '../operation/call.js';
import { type Answer, type Incoming, type Parts, validRequest } from './exchange.js';

type AnyHandler = (request: Parts & { query: unknown }, call: CallOf<ErrorCode>, services: unknown) => Promise<Answer>;

/** Each handler gets a valid request, and its answer is validated against the contract. */
export function createCallHandler<Services>(handlers: Handlers<Services>, services: Services, keyring: Keyring) {
  type Request = Parts & { req: Incoming; reply: ServerResponse };
  return async ({ name, route }: Operation, { req, reply, ...parts }: Request, call: CallOf<ErrorCode>) => {
    const [resource, verb = ''] = name.split('.');
    const handler = (handlers[resource as keyof Handlers] as Record<string, AnyHandler>)[verb] as AnyHandler;
    const request = validRequest(route, req.url, parts);
    const isKeyed = route.metadata.repeat === 'BY_HEADER';
    const once = isKeyed ? onceByKey(keyring, { req, reply, body: request.body }, call) : undefined;
    const { status, body, headers } = await handler(request, once ? { ...call, once } : call, services);
    if (!(status in route.responses)) throw new Error(`The contract has no answer ${status} here.`);
    return { status, body: validateResponse({ appRoute: route, response: { status, body } }).body, headers };
  };
}
