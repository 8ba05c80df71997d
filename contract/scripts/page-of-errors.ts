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

*Retry* says whether the same request, signed anew, may succeed. With \`Retry-After\`, wait that many seconds first.
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
  return [introduction, ...sections].join('\n');
}

const cell = (text: string) => text.replaceAll('|', '\\|');
