/** A problem that the operator can solve. It is shown as one line without a stack, and the process exits with 1. */
export class StartupError extends Error {
  override name = 'StartupError';
  /** Whether Postgres or NATS cannot be used at the moment: the same start may succeed later. */
  readonly isTemporary: boolean;

  constructor(message: string, { isTemporary = false } = {}) {
    super(message);
    this.isTemporary = isTemporary;
  }
}
