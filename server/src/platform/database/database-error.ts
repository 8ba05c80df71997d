type Coded = Error & { code: string; syscall?: string; query?: string };

/** The error that says why, which drizzle wraps. */
export function codedErrorIn(error: unknown): Coded | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at as Coded;
  }
  return undefined;
}

/** The SQLSTATE of Postgres, or the code of postgres.js or Node. */
export const errorCodeOf = (error: unknown) => codedErrorIn(error)?.code;

const GAVE_UP = new Set([
  'CONNECT_TIMEOUT',
  'QUEUE_TIMEOUT', // waited for a connection, or for a batch
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'LOST_BEFORE_COMMIT', // of a transaction, by roles.ts
  '53300', // too_many_connections
  '57014', // query_canceled, by statement_timeout
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '25P03', // idle_in_transaction_session_timeout
  '25006', // read_only_sql_transaction, on a replica
]);

/** serialization_failure and deadlock_detected: the transaction was rolled back, also where its commit was under way. */
const ROLLED_BACK = new Set(['40001', '40P01']);

/** The same transaction may succeed when it is run again. */
export const isRepeatable = (error: unknown) => ROLLED_BACK.has(errorCodeOf(error) ?? '');

/** The database could not be reached, or gave up before a commit: nothing was changed. */
export function hadNoEffect(error: unknown): boolean {
  const coded = codedErrorIn(error);
  if (coded === undefined) return false;
  return isOfConnecting(coded) || ROLLED_BACK.has(coded.code) || (GAVE_UP.has(coded.code) && !isOfCommit(coded));
}

/** The same codes of Node, such as ETIMEDOUT, also end a connection in use. Node tries several addresses in one error. */
const isOfConnecting = (error: Coded) =>
  error.syscall === 'connect' || error.syscall === 'getaddrinfo' || error instanceof AggregateError;

/** Postgres may shut down between the commit and the word of it. postgres.js says which statement was under way. */
const isOfCommit = ({ query }: Coded) => query !== undefined && /\bcommit\b/i.test(query);

const LOST = new Set(['CONNECTION_CLOSED', 'ANSWER_TIMEOUT', 'ECONNRESET', 'EPIPE']);

/** The connection was lost while a commit may have been under way. */
export function hasUnknownEffect(error: unknown): boolean {
  const coded = codedErrorIn(error);
  if (coded === undefined || hadNoEffect(error)) return false;
  return LOST.has(coded.code) || GAVE_UP.has(coded.code) || coded.syscall === 'read' || coded.syscall === 'write';
}
