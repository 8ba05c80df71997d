import { patterns } from '../src/primitives.js';
import { referenceTo } from './schemas.js';

type Json = Record<string, unknown>;
type Schemas = Record<string, Json>;
type Description = { requests: object[]; answers: object[]; schemas: Schemas };

/**
 * An enum of an answer may gain values within /api/v1. It is a text whose known values are listed, so that a generated
 * client does not fail on a new one. An enum of a request stays closed, under a name of its own.
 */
export function separateEnums({ requests, answers, schemas }: Description): Schemas {
  const isEnum = (name: string) => Array.isArray(schemas[name]?.enum);
  const inRequests = reachable(requests, schemas);
  const inAnswers = reachable(answers, schemas);
  for (const name of inRequests) {
    if (!isEnum(name) && inAnswers.has(name)) throw new Error(`${name} is in requests and in answers`);
  }
  const closed = Object.entries(schemas).filter(([name]) => isEnum(name) && inRequests.has(name));
  const inputs = closed.map(([name, schema]) => [nameOfInput(name), { ...schema }] as const);
  const ofRequests = [...inRequests].filter((name) => !isEnum(name)).map((name) => schemas[name] ?? {});
  for (const root of [...requests, ...ofRequests]) rename(root, isEnum);
  const others = Object.entries(schemas).filter(([name]) => !isEnum(name) || inAnswers.has(name));
  const opened = others.map(([name, schema]) => [name, isEnum(name) ? open(schema) : schema] as const);
  return Object.fromEntries([...opened, ...inputs].sort(([one], [other]) => (one < other ? -1 : 1)));
}

const nameOfInput = (name: string) => `${name}Input`;

function open({ enum: values, ...schema }: Json): Json {
  const texts = values as string[];
  // New values are of the same form.
  const form = texts.every((text) => patterns.enumValue.test(text)) ? { pattern: patterns.enumValue.source } : {};
  return { examples: [texts[0]], ...schema, ...form, 'x-extensible-enum': values };
}

/** The names of the schemas that these refer to, directly or by others. */
function reachable(roots: readonly object[], schemas: Schemas): Set<string> {
  const found = new Set<string>();
  const visit = (node: unknown) => {
    for (const [, name = ''] of JSON.stringify(node).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      visit(schemas[name] ?? {});
    }
  };
  visit(roots);
  return found;
}

/** Replaces references to enums by those to their closed forms. */
function rename(node: unknown, isEnum: (name: string) => boolean): void {
  if (typeof node !== 'object' || node === null) return;
  const { $ref } = node as Json;
  const name = typeof $ref === 'string' ? ($ref.split('/').at(-1) ?? '') : '';
  if (isEnum(name)) Object.assign(node, { $ref: referenceTo(nameOfInput(name)) });
  for (const child of Object.values(node)) rename(child, isEnum);
}
