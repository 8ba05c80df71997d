import { isUndecided } from '@tenant-open-platform/contract/facts';
import type { ApiError, TenantOpenPlatformError } from '@tenant-open-platform/sdk';
import { type Context, canAsk } from '../context.js';
import { CancelledError, FailedCheckError, OutputError, UnsuccessfulError, UsageError } from '../errors.js';
import { type ExitCode, exitCodeOfStatus } from '../exit-code.js';
import { askWhether } from '../input/ask.js';
import type { Invocation } from '../invocation.js';
import { colorsFor } from '../output/colors.js';
import { messageLines } from '../output/message.js';
import { printable, printableLines } from '../output/printable.js';
import { HELD_BACK } from '../session/hold-back.js';
import { moveProfile, profileFlags, savedName } from '../session/profile.js';
import type { Session } from '../session/session.js';
import { inCommands } from './attempt.js';
import { explainOutput } from './explain-output.js';
import { type Explanation, explainRefusal } from './explain-refusal.js';
import { isUntrusted, reasonOf, TRUST } from './reason-of.js';

/** Prints on stderr what happened, to what, as whom, and what to do next. Returns the exit code. */
export async function reportFailure(invocation: Invocation, error: unknown): Promise<ExitCode> {
  const { context, session } = invocation;
  const { red } = colorsFor(context, context.stderr);
  const write = (text: string) =>
    context.stderr.write(`${messageLines(context.stderr, text).replace(/^error:/, red)}\n`);
  const say = (text: string) => write(`error: ${text}`);
  if (error instanceof UsageError) {
    say(error.message);
    return 2;
  }
  if (error instanceof UnsuccessfulError) {
    say(printable(error.message));
    return 8;
  }
  if (error instanceof FailedCheckError) {
    say(error.message);
    return 1;
  }
  if (error instanceof OutputError) {
    const message = explainOutput(error, invocation);
    if (message === undefined) return 0;
    say(printableLines(message));
    return 1;
  }
  if (error instanceof CancelledError) {
    write(error.message);
    return 130;
  }
  const sdk = await import('@tenant-open-platform/sdk');
  if (sdk.isApiError(error) && error.code === HELD_BACK) return 0;
  if (sdk.isWaitAbortedError(error)) {
    write(['cancelled', ...howToContinue(error, invocation)].join('\n'));
    return 130;
  }
  const tell = ({ what, facts = [], next = [] }: Explanation, tenant = session?.profile.tenant_id) => {
    const refusal = sdk.isApiError(error) ? error : undefined;
    const isOpen = refusal === undefined || mayHaveTakenEffect(refusal);
    const lines = [
      `${printable(what)}${refusal ? ` (${refusal.code})` : ''}`,
      ...facts.map((fact) => `  ${printable(fact)}`),
      ...(session ? [`  as ${asWhom(session, tenant)}`] : []),
      ...next.map((step) => `  next: ${printable(step)}`),
      ...(sdk.isTenantOpenPlatformError(error) && isOpen ? howToContinue(error, invocation) : []),
      ...(refusal?.requestId === undefined ? [] : [`  request id: ${printable(refusal.requestId)}`]),
    ];
    say(lines.join('\n'));
  };
  if (sdk.isApiError(error) && session) {
    const ownTenant =
      error.status === 401 || error.status === 421 ? session.profile.tenant_id : await session.tenantIfKnown();
    const attempt = invocation.attempt?.name === error.operation ? invocation.attempt : undefined;
    tell(
      await explainRefusal({ error, session, attempt, ownTenant, profile: profileFlags(invocation.flags) }),
      ownTenant,
    );
    if (sdk.isApiError(error, 'TENANT_MOVED')) await offerMove(context, session, error.metadata.base_url);
    return exitCodeOfStatus(error.status);
  }
  if (sdk.isObjectStoreError(error) || (sdk.isTenantOpenPlatformError(error) && isTransfer(error))) {
    say(printable(error.message));
    return sdk.isObjectStoreError(error) ? exitCodeOfStatus(error.status) : 1;
  }
  const cause = sdk.isWaitTimeoutError(error) ? error.cause : error;
  if (session && (sdk.isConnectionError(cause) || sdk.isTimeoutError(cause))) {
    tell(unreachable(cause, session));
    return sdk.isWaitTimeoutError(error) ? 8 : 1;
  }
  if (sdk.isConfigurationError(error) || sdk.isInvalidArgumentError(error)) {
    say(printable(inCommands(error.message)));
    return 2;
  }
  if (sdk.isIdempotencyMismatchError(error)) {
    say(printable(error.message));
    return 6;
  }
  if (sdk.isTenantOpenPlatformError(error)) {
    tell({ what: inCommands(error.reason) });
    return sdk.isWaitTimeoutError(error) ? 8 : 1;
  }
  say(printable(error instanceof Error ? error.message : String(error)));
  return 1;
}

async function offerMove(context: Context, { source }: Session, url: string | undefined): Promise<void> {
  const name = savedName(source);
  if (name === undefined || url === undefined || !canAsk(context)) return;
  if (!(await askWhether(context, printable(`Change the address of the profile ${name} to ${url}?`)))) return;
  await moveProfile(context, name, url);
  context.stderr.write('The profile is changed. Run the command again.\n');
}

const asWhom = ({ profile, source }: Session, tenant: string | undefined) =>
  printable(`${profile.client_id}${tenant ? ` of tenant ${tenant}` : ''} at ${profile.base_url} (${source})`);

/** Of an object to or from a store. */
const isTransfer = ({ operation = '' }: TenantOpenPlatformError) =>
  ['objects.upload', 'objects.download'].includes(operation);

function unreachable(error: TenantOpenPlatformError, { profile }: Session): Explanation {
  const what =
    error.name === 'TimeoutError'
      ? `The platform at ${profile.base_url} did not answer in time.`
      : `The platform at ${profile.base_url} cannot be reached: ${reasonOf(error)}.`;
  return { what, next: [isUntrusted(error) ? `if this certificate is of your own CA, ${TRUST}` : 'topctl doctor'] };
}

/** Whether this answer leaves open what the platform did; or an earlier attempt does, whose answer was lost. */
function mayHaveTakenEffect({ status, code, attempts = 1, commandId }: ApiError): boolean {
  return isUndecided(status, code) || attempts > 1 || commandId !== undefined;
}

/** The remedy for a request that may have taken effect. Its idempotency key makes it safe to repeat. */
function howToContinue({ commandId, idempotencyKey }: TenantOpenPlatformError, invocation: Invocation): string[] {
  if (commandId !== undefined) return [`  the command goes on; to wait for it: topctl commands wait ${commandId}`];
  if (idempotencyKey === undefined) return [];
  const how = invocation.howToRepeat(invocation.idempotencyKey ?? idempotencyKey);
  return [`  to repeat it without a second effect: ${how}`];
}
