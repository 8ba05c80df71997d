/** Something the operator can put right. Shown as one line, without a stack; the process exits with 1. */
export class StartupError extends Error {
  override name = 'StartupError';
}
