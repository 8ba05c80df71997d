import { readFile, writeFile } from 'node:fs/promises';
import openapiTS from 'openapi-typescript';
import { readDocument } from './document.js';
import { renderResources } from './resources.js';
import { knownValues, renderTypes } from './types.js';

/** Writes src/api.gen.ts, the types and the table of operations, and src/resources.gen.ts, a class per resource. */
const source = new URL('../../contract/openapi.json', import.meta.url);
const openApi = JSON.parse(await readFile(source, 'utf8'));
const api = readDocument(openApi);

const write = (name: string, text: string) =>
  writeFile(
    new URL(`../src/${name}`, import.meta.url),
    `// Generated from contract/openapi.json by \`pnpm golden\`.\n${text}`,
  );

await write('api.gen.ts', renderTypes(api, await openapiTS(openApi, { transform: knownValues })));
await write('resources.gen.ts', renderResources(api));
