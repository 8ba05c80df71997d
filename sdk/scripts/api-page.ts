import type { Api, Operation } from './document.js';
import { parametersOf } from './resources.js';

/** The methods of src/resources that are built on operations. */
const additions: Record<string, string[]> = {
  commands: [
    '`client.commands.createAndWait(body, options?)` → `Command`: sends a command and waits until it is final.',
    '`client.commands.wait(commandId, options?)` → `Command`: waits until the command is final.',
  ],
  deviceRequests: ['`client.deviceRequests.follow(options?)`: iterates over the requests of devices as they arrive.'],
  events: ['`client.events.follow(options?)`: iterates over the event log, each event once and in order.'],
  objects: [
    '`client.objects.upload(resourceId, key, content, options?)` → `UploadedObject`',
    '`client.objects.download(resourceId, key, options?)` → `DownloadedObject`',
  ],
};

/** api.md: every method of the client, for readers and for language models. */
export function renderApiPage({ operations, resources }: Api): string {
  const sections = resources.map(({ name, description }) => {
    const methods = operations.filter(({ resource }) => resource === name).map(lineOf);
    const more = (additions[name] ?? []).map((text) => `- ${text}`);
    return `## ${name}\n\n${description}\n\n${[...methods, ...more].join('\n')}\n`;
  });
  return `<!-- Generated from contract/openapi.json by \`pnpm golden\`. -->

# Methods

\`const client = new TenantOpenPlatform()\` has a property for each resource and a method for each operation. Every method takes \`options\` of the type \`RequestOptions\` as its last argument. A list can be awaited for its first page, and iterated with \`for await\`.

${sections.join('\n')}`;
}

function lineOf(operation: Operation): string {
  const { name, method, path, answer, isList, scope } = operation;
  const call = `client.${name}(${parametersOf(operation).join(', ')})`;
  const result = isList ? `PagePromise<${answer}>` : answer;
  return `- \`${call}\` → \`${result}\`: \`${method} ${path}\`${scope ? `, scope \`${scope}\`` : ''}`;
}
