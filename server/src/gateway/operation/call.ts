import type { AnswerHeader, contract, ErrorCode } from '@tenant-open-platform/contract';
import type { AppRoute, ServerInferRequest, ServerInferResponses } from '@ts-rest/core';
import type { ApiError, Refuse } from '../../foundation/api-error.js';
import type { Transaction } from '../../foundation/database/database.js';

/** Runs the work, or returns the stored result of the first request with the same key. */
export type Once = <Result>(tx: Transaction, work: () => Promise<Result>) => Promise<Result>;

/** The result of the gates: all that a handler may know about its caller. */
export type Call = {
  operation: string;
  requestId: string;
  /** The span of the request; undefined if it belongs to no trace. */
  traceparent?: string | undefined;
  /** The path of the request below /api/v1/. */
  path: string;
  caller: { tenantId: string; clientId: string };
  /** Null if the connection was lost before it could be read. */
  sourceAddress: string | null;
  /** The tenant that the operation acts on: the one in the path, otherwise the caller's own. */
  tenantId: string;
  /** The database's clock at admission. */
  admittedAt: Date;
  /** Runs work in a transaction that sees only the rows of that tenant. Another tenant must be named. */
  asTenant: <Result>(work: (tx: Transaction) => Promise<Result>, tenantId?: string) => Promise<Result>;
  /** Calls `stop` when the answer is sent or the connection is closed; at once if that has happened already. */
  onClosed: (stop: () => void) => void;
  /** Counts one more request, for an operation that does the work of several. Returns the refusal above a quota. */
  countRequest: () => ApiError | null;
  /**
   * Counts an answer with so many items before it is made: when it is sent, its real size counts instead. Returns the
   * refusal above a quota.
   */
  expectItems: (items: number) => ApiError | null;
  /** How much the changes of the caller's tenant may add to the audit log and the stored answers in a day. */
  changeBytesPerDay: number;
  /** Only for a request with an Idempotency-Key. */
  once?: Once | undefined;
};

/** A call with the refusals that its operation declares. */
export type CallOf<Code extends ErrorCode> = Call & { refuse: Refuse<Code> };

/** The error codes that an operation declares: in its metadata, by an id in its path, and by a cursor in its query. */
type Declared<Route extends AppRoute> =
  | (Route extends { metadata: { errors: readonly (infer Code)[] } } ? Extract<Code, ErrorCode> : never)
  | (Route extends { path: `${string}:${string}` } ? 'NOT_FOUND' : never)
  | (Route extends { query: { shape: { cursor: unknown } } } ? 'INVALID_CURSOR' : never);

type HandlerOf<Route, Services> = Route extends AppRoute
  ? (
      request: ServerInferRequest<Route>,
      call: CallOf<Declared<Route>>,
      services: Services,
    ) => Promise<ServerInferResponses<Route> & { headers?: Partial<Record<AnswerHeader, string>> }>
  : never;

type Contract = typeof contract;

/** `commands.create` */
export type OperationName = {
  [Resource in keyof Contract]: `${Resource}.${keyof Contract[Resource] & string}`;
}[keyof Contract];

/** One handler for each operation of the contract, except `commands.create`, which calls the admission itself. */
export type Handlers<Services = unknown> = {
  [Resource in keyof Contract]: {
    [Verb in keyof Contract[Resource] as `${Resource}.${Verb & string}` extends 'commands.create'
      ? never
      : Verb]: HandlerOf<Contract[Resource][Verb], Services>;
  };
};

/** Takes a validated request of the operation, its Call and what the process has for handlers; returns an answer. */
export type Handler<
  Operation extends OperationName,
  Services = unknown,
> = Operation extends `${infer Resource extends keyof Contract}.${infer Verb}`
  ? HandlerOf<Contract[Resource][Verb & keyof Contract[Resource]], Services>
  : never;
