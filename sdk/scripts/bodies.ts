import type { Api } from './document.js';

type Schema = Record<string, unknown>;

/** The document's own words; they describe no value. */
const texts = ['description', 'example', 'examples', 'x-known-values'];

/** Properties may have the names of keywords. */
function withoutTexts(schema: Schema): Schema {
  const kept = Object.entries(schema).filter(([key]) => !texts.includes(key));
  return mapValues(kept, (value, key) => {
    if (key === 'properties') return mapValues(Object.entries(value as Schema), (one) => withoutTexts(one as Schema));
    return key === 'items' ? withoutTexts(value as Schema) : value;
  });
}

/** A line for each property, so that the published file is readable. */
function inLines(schema: Schema): string {
  const lines = Object.entries(schema).map(([key, value]) => {
    const isObject = key === 'properties';
    return `${JSON.stringify(key)}: ${isObject ? inLines(value as Schema) : JSON.stringify(value)},`;
  });
  return `{\n${lines.join('\n')}\n}`;
}

const mapValues = (entries: [string, unknown][], change: (value: unknown, key: string) => unknown): Schema =>
  Object.fromEntries(entries.map(([key, value]) => [key, change(value, key)]));

const references = (text: string) => [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name = '']) => name);

/** The schemas of the bodies of requests, by the names of their operations, and the names of the lists. */
export function renderBodies({ operations }: Api, schemas: Record<string, Schema>): string {
  const bodies = operations.flatMap(({ name, body }) => (body ? [[name, body] as const] : []));
  const named: Record<string, Schema> = {};
  const add = (name: string): void => {
    const schema = schemas[name];
    if (!schema || name in named) return;
    named[name] = withoutTexts(schema);
    for (const other of references(JSON.stringify(schema))) add(other);
  };
  for (const [, { type }] of bodies) add(type);
  return `import type { Operations } from './api.gen.js';
import type { Schema } from './json-schema.js';

type Name = keyof Operations;

/** The schema of the body, and whether the operation demands one. */
export const bodies: { readonly [N in Name]?: readonly [schema: string, isRequired: boolean] } = {
${bodies.map(([name, { type, isRequired }]) => `  '${name}': ['${type}', ${isRequired}],`).join('\n')}
};

/** The operations that answer pages. */
export const lists: readonly Name[] = [
${operations.flatMap(({ name, isList }) => (isList ? [`  '${name}',`] : [])).join('\n')}
];

export const schemas: Readonly<Record<string, Schema>> = {
${Object.entries(named)
  .map(([name, schema]) => `  ${name}: ${inLines(schema)},`)
  .join('\n')}
};
`;
}
