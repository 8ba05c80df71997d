import type { ErrorCode } from '@tenant-open-platform/contract';
import type { Transaction } from '../database/database.js';
import type { ApiError, Refuse } from './api-error.js';

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
  /** Counts one more request, for an operation that does the work of several. Returns the refusal above a quota. */
  countRequest: () => ApiError | null;
  /** Only for a request with an Idempotency-Key. */
  once?: Once | undefined;
};

/** A call with the refusals that its operation declares. */
export type CallOf<Code extends ErrorCode> = Call & { refuse: Refuse<Code> };
