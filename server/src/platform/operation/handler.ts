import type { contract, ErrorCode } from '@tenant-open-platform/contract';
import type { AppRoute, ServerInferRequest, ServerInferResponses } from '@ts-rest/core';
import type { CallOf } from './call.js';

/** The error codes that an operation declares: in its metadata, by an id in its path, and by a cursor in its query. */
type Declared<Route extends AppRoute> =
  | (Route extends { metadata: { errors: readonly (infer Code)[] } } ? Extract<Code, ErrorCode> : never)
  | (Route extends { path: `${string}:${string}` } ? 'NOT_FOUND' : never)
  | (Route extends { query: { shape: { cursor: unknown } } } ? 'INVALID_CURSOR' : never);

type HandlerOf<Route> = Route extends AppRoute
  ? (
      request: ServerInferRequest<Route>,
      call: CallOf<Declared<Route>>,
    ) => Promise<ServerInferResponses<Route> & { headers?: Record<string, string> }>
  : never;

type Contract = typeof contract;

/** `commands.create` */
export type OperationName = {
  [Resource in keyof Contract]: `${Resource}.${keyof Contract[Resource] & string}`;
}[keyof Contract];

/** One handler for each operation of the contract. */
export type Handlers = {
  [Resource in keyof Contract]: { [Verb in keyof Contract[Resource]]: HandlerOf<Contract[Resource][Verb]> };
};

/** Takes a validated request of the operation and its Call, returns an answer. */
export type Handler<Operation extends OperationName> =
  Operation extends `${infer Resource extends keyof Contract}.${infer Verb}`
    ? HandlerOf<Contract[Resource][Verb & keyof Contract[Resource]]>
    : never;
