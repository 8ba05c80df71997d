import type { ApiError, TenantOpenPlatformError } from '@tenant-open-platform/sdk';
import type { Context } from './context.js';
import { CancelledError, UnsuccessfulError, UsageError } from './errors.js';
import { type ExitCode, exitCodeOfStatus } from './exit-code.js';
import { colorsFor } from './output/colors.js';
import { printable } from './output/table.js';
import { HELD_BACK } from './session/hold-back.js';
import type { Session } from './session/session.js';
import { explainSignature } from './session/signature-difference.js';

/** Prints on stderr what happened and what to do. Returns the exit code. */
export async function reportFailure(context: Context, error: unknown, session: Session | undefined): Promise<ExitCode> {
  const { red } = colorsFor(context, context.stderr);
  const say = (lines: string[]) => context.stderr.write(`${red('error:')} ${lines.join('\n')}\n`);
  if (error instanceof UsageError) {
    say([error.message]);
    return 2;
  }
  if (error instanceof UnsuccessfulError) {
    say([printable(error.message)]);
    return 8;
  }
  if (error instanceof CancelledError) {
    context.stderr.write(`${error.message}\n`);
    return 130;
  }
  const sdk = await import('@tenant-open-platform/sdk');
  if (sdk.isApiError(error) && error.code === HELD_BACK) return 0;
  if (sdk.isApiError(error)) {
    say([
      ...describe(error),
      ...explainRefusedSignature(error, session),
      ...(error.status >= 500 || error.commandId !== undefined ? howToContinue(error) : []),
    ]);
    return exitCodeOfStatus(error.status);
  }
  if (sdk.isObjectStoreError(error)) {
    say([printable(error.message)]);
    return exitCodeOfStatus(error.status);
  }
  if (sdk.isConfigurationError(error) || sdk.isInvalidArgumentError(error)) {
    say([printable(error.message)]);
    return 2;
  }
  if (sdk.isIdempotencyMismatchError(error)) {
    say([printable(error.message)]);
    return 6;
  }
  const advice = sdk.isTenantOpenPlatformError(error) ? howToContinue(error) : [];
  say([printable(error instanceof Error ? error.message : String(error)), ...advice]);
  return sdk.isWaitTimeoutError(error) ? 8 : 1;
}

/** The remedy for a command with an unknown outcome. Its idempotency key makes it safe to send it again. */
function howToContinue({ commandId, idempotencyKey }: TenantOpenPlatformError): string[] {
  if (commandId !== undefined) return [`  the command was accepted; to wait for it: topctl commands wait ${commandId}`];
  if (idempotencyKey === undefined) return [];
  return [`  to send the same command again, without a second one: --idempotency-key ${idempotencyKey}`];
}

function describe(error: ApiError): string[] {
  const { string_to_sign: _, ...facts } = error.metadata;
  // The person knows which command was run.
  const message = error.message.replace(`${error.operation}: `, '');
  // The message of a request with one fault already quotes it.
  const [first, ...others] = error.details;
  const details = first && others.length === 0 && message.includes(first.message) ? [] : error.details;
  return [
    `${printable(message)} (${error.code})`,
    ...details.map(({ location, message }) => `  ${printable(location)}: ${printable(message)}`),
    ...Object.entries(facts).map(
      ([name, value]) => `  ${name}: ${typeof value === 'string' ? printable(value) : JSON.stringify(value)}`,
    ),
    ...(error.requestId === undefined ? [] : [`  request id: ${printable(error.requestId)}`]),
  ];
}

function explainRefusedSignature(error: ApiError, session: Session | undefined): string[] {
  const received = error.metadata.string_to_sign;
  const sent = session?.lastRequest();
  if (error.code !== 'UNAUTHENTICATED' || typeof received !== 'string' || !session || !sent) return [];
  return explainSignature(sent, session.profile.base_url, received);
}
