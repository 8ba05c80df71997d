/** The command line or the profile is wrong; nothing was sent. */
export class UsageError extends Error {}

/** The command ended without success, or is not final in time; its record is printed. */
export class UnsuccessfulError extends Error {}

/** The person at the prompt said no, or Ctrl-C or another signal came; nothing was changed. */
export class CancelledError extends Error {}
