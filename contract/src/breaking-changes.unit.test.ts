import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { breakingChanges, type Document } from '../scripts/breaking-changes.js';
import { buildOpenApi } from '../scripts/openapi.js';

const document = buildOpenApi() as unknown as Document;
/** The release script writes it. Before the first release nothing can break. */
const file = new URL('../openapi.released.json', import.meta.url);
const released: Document = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : document;

test('the contract breaks nothing that was released', () => {
  expect(breakingChanges(released, document)).toEqual([]);
});

// biome-ignore lint/suspicious/noExplicitAny: the cases change any part of the document.
type Change = (document: any) => void;

const COMMANDS = '/api/v1/open/downlink/commands';

const after = (change: Change) => {
  const current = structuredClone(document);
  change(current);
  return breakingChanges(document, current);
};

test.each<[string, Change]>([
  ['an operation that is gone', ({ paths }) => delete paths[COMMANDS].post],
  ['another scope', ({ paths }) => Object.assign(paths[COMMANDS].post, { 'x-required-scope': 'open:command:read' })],
  ['a parameter that is gone', ({ paths }) => paths[COMMANDS].get.parameters.shift()],
  [
    'a parameter that is required now',
    ({ paths }) => Object.assign(paths[COMMANDS].get.parameters[0], { required: true }),
  ],
  ['a success status that is gone', ({ paths }) => delete paths[COMMANDS].post.responses['202']],
  ['a field of a request that is gone', ({ components }) => delete components.schemas.CommandCreate.properties.vendor],
  [
    'a field of a request that is required now',
    ({ components }) => components.schemas.CommandCreate.required.push('timeout_seconds'),
  ],
  [
    'a lower maximum of a request',
    ({ components }) => Object.assign(components.schemas.CommandCreate.properties.timeout_seconds, { maximum: 60 }),
  ],
  [
    'another pattern of a request',
    ({ components }) => Object.assign(components.schemas.CommandCreate.properties.vendor, { pattern: '^a$' }),
  ],
  ['a value of a request that is gone', ({ components }) => components.schemas.CommandStatusInput.enum.pop()],
  ['a field of an answer that is gone', ({ components }) => delete components.schemas.Command.properties.status],
  [
    'a required field that the answers stored for an Idempotency-Key lack',
    ({ components }) => components.schemas.CredentialWithSecret.required.push('more'),
  ],
  ['a field of an answer that may be absent', ({ components }) => components.schemas.Command.required.pop()],
  [
    'a field of an answer that may be null',
    ({ components }) => Object.assign(components.schemas.Command.properties.command_id, { type: ['string', 'null'] }),
  ],
  [
    'an answer whose values were limited and are not',
    ({ components }) => delete components.schemas.CommandAccepted.properties.status.const,
  ],
])('notices %s', (_, change) => {
  expect(after(change)).not.toEqual([]);
});

test.each<[string, Change]>([
  ['an operation', ({ paths }) => Object.assign(paths, { '/api/v1/more': { get: paths[COMMANDS].get } })],
  [
    'an optional parameter',
    ({ paths }) => paths[COMMANDS].post.parameters.push({ name: 'more', in: 'query', schema: {} }),
  ],
  [
    'a list of values where one value was allowed',
    ({ paths }) => {
      const vendor = paths[COMMANDS].get.parameters.find(({ name }: { name: string }) => name === 'vendor');
      Object.assign(vendor, { explode: false, schema: { type: 'array', items: vendor.schema } });
    },
  ],
  [
    'an optional field of a request',
    ({ components }) => Object.assign(components.schemas.CommandCreate.properties, { more: {} }),
  ],
  ['a value of a request', ({ components }) => components.schemas.CommandStatusInput.enum.push('MORE')],
  [
    'a higher maximum of a request',
    ({ components }) => Object.assign(components.schemas.CommandCreate.properties.timeout_seconds, { maximum: 600 }),
  ],
  ['a field of an answer', ({ components }) => Object.assign(components.schemas.Command.properties, { more: {} })],
  ['a required field of an answer', ({ components }) => components.schemas.Command.required.push('more')],
  ['a value of an answer', ({ components }) => components.schemas.CommandStatus['x-extensible-enum'].push('MORE')],
  ['an error code', ({ components }) => components.schemas.ErrorCode?.['x-extensible-enum'].push('MORE')],
])('lets %s be added', (_, change) => {
  expect(after(change)).toEqual([]);
});
