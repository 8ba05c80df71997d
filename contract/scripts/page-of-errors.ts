import { errors } from '../src/errors.js';

const introduction = `<!-- Generated from contract/src/errors.ts by \`pnpm golden\`. -->

# Errors

Every answer that is not a success has the same body:

\`\`\`json
{
  "code": "FORBIDDEN",
  "message": "Authorization was denied: this needs open:command:create in the tenant.",
  "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d",
  "metadata": { "required_scope": "open:command:create", "granted_by_roles": ["integration_operator"] }
}
\`\`\`

Decide by \`code\`; \`message\` is for people. \`request_id\` is the \`X-Request-Id\` of the request, or one made for it: name it when you report a problem. \`details\` lists every place in the request that is wrong, \`metadata\` holds facts that belong to the code. Codes may be added within \`/api/v1\`; treat an unknown one by its HTTP status.

To see one, run this at the root of the repository while the platform runs. \`topctl\` shows the message, the code, the details and the request id:

\`\`\`sh run
npx topctl --profile-file data/demo.json commands create --vendor vendor_a --device-id ok-1 --command-type dance || test $? = 1
\`\`\`

*Retry* says whether the same request, signed anew, may succeed. With \`Retry-After\`, wait that many seconds first.
`;

const withoutAnswer = `## No answer of the platform

A request may have taken effect if the connection was lost, if no answer came in time, or if the answer lacks \`code\`, \`message\` and \`request_id\`: then a proxy or another server wrote it. Check the base URL and the logs of the proxy. Repeat the request if it is safe to repeat, as the reference says for each operation: reads, deletes, and \`commands.create\` with the same idempotency key. Before you repeat another one, read whether it took effect.

The SDK throws \`ConnectionError\`, \`TimeoutError\` or \`ApiError\` with the code \`UNEXPECTED_ANSWER\`. It throws \`UnknownOutcomeError\`, which says what to read, if the request is not safe to repeat.
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
