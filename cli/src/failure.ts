import type { ApiError, TenantOpenPlatformError } from '@tenant-open-platform/sdk';
import { colorsFor } from './colors.js';
import type { Context } from './context.js';
import { CancelledError, UnsuccessfulError, UsageError } from './errors.js';
import { type ExitCode, exitCodeOfStatus } from './exit-code.js';
import type { Session } from './session.js';
import { explainSignature } from './signature-difference.js';
import { printable } from './table.js';

/** Says on stderr what went wrong and what to do, and how the process should end. */
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
  if (sdk.isApiError(error)) {
    say([...describe(error), ...explainRefusedSignature(error, session), ...howToRepeat(error, error.status >= 500)]);
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
  const repeat = sdk.isTenantOpenPlatformError(error) ? howToRepeat(error, true) : [];
  say([printable(error instanceof Error ? error.message : String(error)), ...repeat]);
  return 1;
}

/** Where nobody knows whether the command was accepted, its key makes another try safe. */
function howToRepeat({ idempotencyKey }: TenantOpenPlatformError, outcomeUnknown: boolean): string[] {
  if (!outcomeUnknown || idempotencyKey === undefined) return [];
  return [`  to try again without sending it twice: --idempotency-key ${idempotencyKey}`];
}

function describe(error: ApiError): string[] {
  const { string_to_sign: _, ...facts } = error.metadata;
  return [
    `${printable(error.message)} (${error.code})`,
    ...error.details.map(({ location, message }) => `  ${printable(location)}: ${printable(message)}`),
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
