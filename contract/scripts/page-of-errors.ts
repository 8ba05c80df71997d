import { errors } from '../src/errors.js';

const introduction = `<!-- Generated from contract/src/errors.ts by \`pnpm golden\`. -->

# Errors

[Integrate](README.md#integrate)

Every error response has the same body:

\`\`\`json
{
  "code": "FORBIDDEN",
  "message": "Authorization was denied: this needs open:command:create in the tenant.",
  "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d",
  "metadata": { "required_scope": "open:command:create", "granted_by_roles": ["integration_operator"] }
}
\`\`\`

Programs use \`code\`, people read \`message\`. \`request_id\` is the \`X-Request-Id\` of the request, or an id that the platform generated: quote it when you report a problem. \`details\` lists every problem in the request, with its location. \`metadata\` has additional data for the code. New codes can be added within \`/api/v1\`: for an unknown code, use the HTTP status of the response.

To see an error, [run this](README.md#run-the-lines). \`topctl\` shows the message, the code, the details and the request id:

\`\`\`sh run
topctl --profile-file data/demo.json commands create --vendor vendor_a --device-id ok-1 --command-type dance # exit code 1
\`\`\`

*Retry* says whether the same request can succeed later, with a new signature. If the response has \`Retry-After\`, wait that many seconds first.
`;

/** By their names, to which `docUrl` leads. */
const sdkErrors = [
  [
    'ConnectionError',
    'No response arrived: the platform could not be reached, or the connection was lost.',
    'Check the base URL. The request may have taken effect: call again with the `idempotencyKey` of the error.',
  ],
  [
    'TimeoutError',
    'No response arrived within `timeoutMs`, or within the rest of `deadlineMs`.',
    'As for `ConnectionError`.',
  ],
  [
    'UNEXPECTED_ANSWER',
    'The code of an `ApiError`: a proxy or another server responded, not the platform.',
    'Check the base URL. `metadata.text` is the beginning of the response. If a proxy responded, the request may have taken effect: call again with the `idempotencyKey` of the error.',
  ],
  [
    'IdempotencyMismatchError',
    'The idempotency_key belongs to an earlier command, which differs from this one. The platform created nothing and returned the earlier command. `command` is that command, `fields` are the fields that differ.',
    'For the same command, send the same body again. For another command, use another key.',
  ],
  [
    'WaitTimeoutError',
    'The command was not final within `timeoutSeconds`. It continues. `command` is the command as it was last read.',
    'Wait again with `commands.wait(error.commandId)`, or cancel the command while it is ACCEPTED.',
  ],
  [
    'WaitAbortedError',
    'Your `signal` ended the wait. A command that was sent continues.',
    'Wait again with `commands.wait(error.commandId)`. Without `commandId`, call `createAndWait` again with the `idempotencyKey` of the error.',
  ],
  [
    'ObjectStoreError',
    'The object store refused a transfer, not the platform. `status` and `code` are those of the store.',
    'See the documentation of the store. If `retryable` is true, the same transfer can succeed later.',
  ],
] as const;

const withoutAnswer = `## No response from the platform

A request may have taken effect if the connection was lost, or if no response came in time. The same is true for a response without \`code\`, \`message\` and \`request_id\`: it comes from a proxy or another server. Check the base URL and the logs of the proxy. Every request is safe to repeat if you send it with the same [idempotency key](requests.md) where the reference names one. The SDK does so by itself, and throws one of the following errors in the end.

## Errors of the SDK

| error | meaning | what to do |
|---|---|---|
${sdkErrors.map(([name, meaning, fix]) => `| \`${name}\` | ${meaning} | ${fix} |`).join('\n')}

[The SDK](sdk.md#errors) shows how to handle them.
`;

/** What `status_reason.code` of a command says. Adapters also report codes of their own. */
const reasons = [
  [
    'NO_ADAPTER',
    'platform',
    'The command was handed to the bus, but no adapter has ever read commands of this tenant and vendor.',
    'Start the adapter, then repeat: the device does not have the command.',
  ],
  [
    'EXPIRED',
    'platform',
    'The command was not sent before its deadline.',
    'Repeat it: the device does not have the command.',
  ],
  [
    'TIMED_OUT',
    'platform',
    'The command was sent, and no outcome arrived before its deadline.',
    'Ask the device before you repeat it. If `late_result` is UNREACHABLE, it is safe to repeat.',
  ],
  [
    'RESTORED',
    'platform',
    'The database was restored while the command was open, and no outcome arrived since.',
    'Ask the device before you repeat it.',
  ],
  [
    'BUS_REFUSED',
    'platform',
    'NATS refused the command, for example because it is too large.',
    'The message says why. No adapter has the command, although its history shows DISPATCHED.',
  ],
  [
    'RESULT_INVALID',
    'platform, adapter kit',
    'The outcome counts, but a part of the report beside it could not be kept.',
    'Read the message, and correct the adapter. The parked message has the whole report.',
  ],
  ['UNREACHABLE', 'adapter', 'The device cannot be reached.', 'Repeat it: the device does not have the command.'],
  [
    'UNSUPPORTED',
    'adapter',
    'The adapter or the device does not know the command type.',
    'Send another command type, or update the adapter.',
  ],
  [
    'ADAPTER_BUSY',
    'adapter kit',
    'Earlier commands of the device or the tenant took the places of the adapter.',
    'If the command is FAILED, repeat it. If it is TIMED_OUT, ask the device first.',
  ],
  [
    'NOT_STARTED',
    'adapter kit',
    'The command reached the adapter after its deadline.',
    'It is in `late_result`. If `late_result` is UNREACHABLE, it is safe to repeat.',
  ],
  ['DEADLINE_EXCEEDED', 'adapter kit', 'The adapter gave up at the deadline.', 'Ask the device before you repeat it.'],
  [
    'OUTCOME_UNKNOWN',
    'adapter kit',
    'The adapter does not know whether the device executed the command.',
    'Ask the device before you repeat it.',
  ],
  [
    'ADAPTER_ERROR',
    'adapter kit',
    'The adapter failed with an error that it did not expect.',
    'Read the log of the adapter. Ask the device before you repeat it.',
  ],
] as const;

const reasonsOfCommands = `## Reasons of commands

A command that ended without success has a reason: \`status_reason.code\`, from the platform or the adapter. An adapter may report other codes of its own.

| reason | from | meaning | what to do |
|---|---|---|---|
${reasons.map(([name, from, meaning, fix]) => `| \`${name}\` | ${from} | ${meaning} | ${fix} |`).join('\n')}

A command with \`NO_ADAPTER\` has \`public_status\` UNKNOWN, although it is safe to repeat. The platform learns who reads from the consumers of NATS, up to a minute late. If NATS loses its data within this minute, or if a program reads in another way, somebody has the command after all. The final status never changes, so it says only what is certain. The answer to "safe to repeat" can change: it is no as soon as anybody reports on the command.

[Commands](commands.md#when-the-time-is-over) explains the statuses.
`;

/** docs/errors.md, one section for each HTTP status. */
export function renderPageOfErrors(): string {
  const rows = Object.entries(errors);
  const statuses = [...new Set(rows.map(([, { status }]) => status))].sort((a, b) => a - b);
  const sections = statuses.map((status) => {
    const lines = rows
      .filter(([, error]) => error.status === status)
      .map(
        ([code, { meaning, fix, retryable }]) =>
          `| \`${code}\` | ${cell(meaning)} | ${cell(fix)} | ${retryable ? 'yes' : 'no'} |`,
      );
    return `## ${status}\n\n| code | meaning | what to do | retry |\n|---|---|---|---|\n${lines.join('\n')}\n`;
  });
  return [introduction, ...sections, withoutAnswer, reasonsOfCommands].join('\n');
}

const cell = (text: string) => text.replaceAll('|', '\\|');
