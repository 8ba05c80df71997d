/** The SQLSTATE of Postgres, or the code of postgres.js or Node; drizzle wraps the error it came with. */
export function errorCodeOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return undefined;
}

const NOT_STARTED = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ETIMEDOUT',
  'CONNECT_TIMEOUT',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  '53300', // too_many_connections
  '57014', // query_canceled, by statement_timeout
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '25006', // read_only_sql_transaction, on a replica
]);

/** The database could not be reached, or gave up before a commit: nothing was changed. */
export const hadNoEffect = (error: unknown) => NOT_STARTED.has(errorCodeOf(error) ?? '');

/** The connection was lost while a commit may have been under way. */
export const hasUnknownEffect = (error: unknown) =>
  ['CONNECTION_CLOSED', 'ECONNRESET', 'EPIPE'].includes(errorCodeOf(error) ?? '');
