import { readFile, writeFile } from 'node:fs/promises';
import openapiTS, { type OpenAPI3 } from 'openapi-typescript';
import { renderApiPage } from './api-page.js';
import { renderBodies } from './bodies.js';
import { readDocument } from './document.js';
import { messagesOf } from './messages.js';
import { renderResources } from './resources.js';
import { knownValues, renderMessages, renderTypes } from './types.js';

/**
 * Writes src/api.gen.ts, the types and the table of operations, src/resources.gen.ts, the methods of each resource,
 * src/bodies.gen.ts, the schemas for TestPlatform, api.md, the list of the methods, and src/adapter/messages.gen.ts, the
 * messages of adapters.
 */
const read = async (name: string) =>
  JSON.parse(await readFile(new URL(`../../contract/${name}`, import.meta.url), 'utf8'));
const write = (name: string, source: string, text: string) =>
  writeFile(
    new URL(`../src/${name}`, import.meta.url),
    `// Generated from contract/${source} by \`pnpm golden\`.\n${text}`,
  );

const openApi = await read('openapi.json');
const api = readDocument(openApi);
await write('api.gen.ts', 'openapi.json', renderTypes(api, await openapiTS(openApi, { transform: knownValues })));
await write('resources.gen.ts', 'openapi.json', renderResources(api));
await write('bodies.gen.ts', 'openapi.json', renderBodies(api, openApi.components.schemas));
await writeFile(new URL('../api.md', import.meta.url), renderApiPage(api));

const { schemas, sent } = messagesOf(await read('asyncapi.json'));
const messages = { openapi: '3.1.0', info: { title: '', version: '' }, paths: {}, components: { schemas } };
await write('adapter/messages.gen.ts', 'asyncapi.json', renderMessages(await openapiTS(messages as OpenAPI3), sent));
