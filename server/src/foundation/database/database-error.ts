type Coded = Error & { code: string; syscall?: string; query?: string };

/** The cause that drizzle wraps. */
export function codedErrorIn(error: unknown): Coded | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at as Coded;
  }
  return undefined;
}

/** The SQLSTATE of Postgres, or an error code of postgres.js or Node. */
export const errorCodeOf = (error: unknown) => codedErrorIn(error)?.code;

const GAVE_UP_CODES = new Set([
  'CONNECT_TIMEOUT',
  'QUEUE_TIMEOUT', // timed out waiting for a connection or a batch
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'LOST_BEFORE_COMMIT', // thrown by row-level-security.ts for a transaction
  '58030', // io_error
  '57014', // query_canceled, by statement_timeout
  '55P03', // lock_not_available, by lock_timeout
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '25P03', // idle_in_transaction_session_timeout
  '25006', // read_only_sql_transaction, on a replica
]);

/** Class 53 is insufficient resources: the disk, the memory or the connections of Postgres are used up. */
const gaveUp = ({ code }: Coded) => GAVE_UP_CODES.has(code) || /^53...$/.test(code);

/** serialization_failure and deadlock_detected: the transaction was rolled back, even if its commit was in progress. */
const ROLLED_BACK = new Set(['40001', '40P01']);

/** The same transaction may succeed on a retry. */
export const isRepeatable = (error: unknown) => ROLLED_BACK.has(errorCodeOf(error) ?? '');

/** The database could not be reached, or failed before a commit: nothing was changed. */
export function hadNoEffect(error: unknown): boolean {
  const coded = codedErrorIn(error);
  if (coded === undefined) return false;
  return isOfConnecting(coded) || ROLLED_BACK.has(coded.code) || (gaveUp(coded) && !isOfCommit(coded));
}

/** A connection in use may end with the same codes. If Node tried several addresses, one error holds all failures. */
const isOfConnecting = (error: Coded) =>
  error.syscall === 'connect' || error.syscall === 'getaddrinfo' || error instanceof AggregateError;

/** Postgres may shut down before it confirms a commit. postgres.js reports the statement in progress. */
const isOfCommit = ({ query }: Coded) => query !== undefined && /\bcommit\b/i.test(query);

const LOST = new Set(['CONNECTION_CLOSED', 'ANSWER_TIMEOUT', 'ECONNRESET', 'EPIPE']);

/** The connection was lost while a commit may have been in progress. */
export function hasUnknownEffect(error: unknown): boolean {
  const coded = codedErrorIn(error);
  if (coded === undefined || hadNoEffect(error)) return false;
  return LOST.has(coded.code) || gaveUp(coded) || coded.syscall === 'read' || coded.syscall === 'write';
}
