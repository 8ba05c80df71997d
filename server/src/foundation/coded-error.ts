/** Waits and transactions that the platform ends itself: `database-error.ts` says whether they had an effect. */
type Code = 'QUEUE_TIMEOUT' | 'ANSWER_TIMEOUT' | 'LOST_BEFORE_COMMIT';

export const codedError = (code: Code, message: string, options?: ErrorOptions): Error =>
  Object.assign(new Error(message, options), { code });
