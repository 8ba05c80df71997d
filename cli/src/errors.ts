/** The command line or the profile is wrong; nothing was sent. */
export class UsageError extends Error {}

/** The command failed, or it was not final when the wait ended. Its record is printed. */
export class UnsuccessfulError extends Error {}

/** The user answered no or pressed Ctrl-C, or a signal arrived. Nothing was changed. */
export class CancelledError extends Error {}

/** A check of doctor failed. All checks are printed. */
export class FailedCheckError extends Error {}

/** stdout takes no more text: the disk is full, or the reader of the pipe has gone. */
export class OutputError extends Error {
  constructor(override readonly cause: NodeJS.ErrnoException) {
    super(cause.message);
  }
}
