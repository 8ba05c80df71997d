import { allOperations } from '../src/contract.js';
import { resources } from '../src/resources.js';

/** llms.txt: what a language model needs to find the way. Links are relative to where the platform serves it. */
export function renderLlms(): string {
  const sections = Object.entries(resources).map(([resource, { title, description }]) => {
    const lines = allOperations
      .filter(({ name }) => name.startsWith(`${resource}.`))
      .map(({ name, route }) => {
        const { summary = '', method, path } = route;
        const scope = route.metadata.scope ? ` Scope \`${route.metadata.scope}\`.` : '';
        return `- \`${name}\`: ${summary}. \`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}\`.${scope}`;
      });
    return `## ${title}\n\n${description}\n\n${lines.join('\n')}\n`;
  });
  return `# Tenant Open Platform

> A multi-tenant platform for cloud-to-device control. A signed HTTP request creates a command for a device, exactly once. The data of tenants is isolated.

- [OpenAPI 3.1](openapi.json): every operation with schemas, examples, error codes and code samples; also [as YAML](openapi.yaml)
- [AsyncAPI 3.0](asyncapi.json): the messages between the platform and the adapters of vendors over NATS
- [Guides](docs/guides): [code that signs, in nine languages](docs/signing-code), [commands](docs/commands), [idempotency, pages and limits](docs/requests), [events](docs/events), [errors](docs/errors) and more
- [Reference page](docs): signs and sends requests from the browser

## Signing

Every request below \`/api/v1\` has four headers:

- \`X-Api-Id\`: the client_id
- \`X-Api-Timestamp\`: Unix time in seconds
- \`X-Api-Nonce\`: 8 to 128 characters of \`A-Z a-z 0-9 . _ ~ -\`, new for each attempt
- \`X-Api-Signature\`: \`v1=\` and the HMAC-SHA256 of the string to sign, as lower-case hex digits; the key is the whole secret

The string to sign has seven lines. They are joined by a line feed, with none at the end:

\`\`\`text
HMAC-SHA256-V1
METHOD
path and query exactly as sent, from /api/v1
X-Api-Id
X-Api-Timestamp
X-Api-Nonce
lower-case hex SHA-256 of the body
\`\`\`

A 401 \`UNAUTHENTICATED\` has \`metadata.string_to_sign\`: the string that the platform expected you to sign. Compare it with your own string. If they are equal, the secret is wrong.

## Responses

Bodies are JSON and have a \`request_id\`. An error is \`{code, message, request_id, details?, metadata?}\`: use \`code\` in programs. A list has \`items\` and \`next_cursor\`. Send \`next_cursor\` as \`cursor\` until it is null. In \`events.list\` it is never null: an empty page whose \`next_cursor\` equals the \`cursor\` that you sent is the end of the log for now. Save this cursor and continue from it later, with \`wait_seconds=30\`. The list of credentials is an array, with the cursor in the header \`X-Next-Cursor\`. \`commands.create\` returns 202: the command is stored, but not executed yet. Repeat it with the same \`idempotency_key\`. Operations that create a resource or rotate a secret accept the header \`Idempotency-Key\`: the same request with the same key returns the same response for 24 hours.

${sections.join('\n')}`;
}
