/** A problem that the operator can solve. It is shown as one line without a stack, and the process exits with 1. */
export class StartupError extends Error {
  override name = 'StartupError';
}
