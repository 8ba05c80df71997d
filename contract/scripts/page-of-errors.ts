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
  return [introduction, ...sections, withoutAnswer].join('\n');
}

const cell = (text: string) => text.replaceAll('|', '\\|');
