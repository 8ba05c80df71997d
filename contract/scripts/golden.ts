import { readFileSync, writeFileSync } from 'node:fs';
import { renderAsyncApi } from './asyncapi.js';
import { renderLlms } from './llms.js';
import { renderOpenApi } from './openapi.js';
import { renderPageOfErrors } from './page-of-errors.js';
import { renderPostman } from './postman.js';
import { renderVectors } from './vectors.js';

/** Derived files by their path in the package. `--check` writes nothing and fails if a file is out of date. */
const goldens: Record<string, () => string | Promise<string>> = {
  'openapi.json': renderOpenApi,
  'asyncapi.json': renderAsyncApi,
  'llms.txt': renderLlms,
  'postman.json': renderPostman,
  'vectors/vectors.json': renderVectors,
  '../docs/errors.md': renderPageOfErrors,
};

const check = process.argv.includes('--check');

for (const [path, render] of Object.entries(goldens)) {
  const file = new URL(`../${path}`, import.meta.url);
  const text = await render();
  if (!check) writeFileSync(file, text);
  else if (text !== readFileSync(file, 'utf8')) {
    console.error(`contract/${path} is out of date: run pnpm golden`);
    process.exitCode = 1;
  }
}
