import { writeFileSync } from 'node:fs';
import { buildOpenApi } from './openapi.js';

/** The release workflow runs it together with the new versions. It keeps what callers may rely on from now on, without the texts. */
const texts = new Set(['description', 'summary', 'example', 'examples', 'x-codeSamples', 'x-displayName']);

/** A property may be called `description`. */
const namesOfProperties = new Set(['properties', 'schemas', 'responses', 'paths', 'parameters', 'headers']);

function withoutTexts(value: unknown, parent = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutTexts(item));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => namesOfProperties.has(parent) || !texts.has(key));
  return Object.fromEntries(kept.map(([key, child]) => [key, withoutTexts(child, key)]));
}

const { openapi, paths, components } = buildOpenApi();
const document = withoutTexts({ openapi, paths, components: { schemas: components.schemas } });
writeFileSync(new URL('../openapi.released.json', import.meta.url), `${JSON.stringify(document, null, 1)}\n`);
