/** Stable, for scripts. The help prints this table. */
export const exitCodes = {
  0: 'done',
  1: 'failed',
  2: 'wrong usage: a flag or a profile is missing or invalid',
  3: 'not found',
  4: 'not authenticated',
  5: 'forbidden',
  6: 'conflict; also an idempotency key that was used for a different command',
  7: 'rate-limited',
  8: 'the command did not succeed, or was not final when the wait ended; of several commands, at least one',
  9: 'done, except what is named',
  130: 'cancelled',
} as const;

export type ExitCode = keyof typeof exitCodes;

const byStatus: Record<number, ExitCode> = { 401: 4, 403: 5, 404: 3, 409: 6, 429: 7 };

export function exitCodeOfStatus(status: number): ExitCode {
  return byStatus[status] ?? 1;
}
