/** The command line or the profile is wrong; nothing was sent. */
export class UsageError extends Error {}

/** The person at the prompt said no, or pressed Ctrl-C; nothing was changed. */
export class CancelledError extends Error {}
