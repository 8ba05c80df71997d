import { randomUUID } from 'node:crypto';
import { platform } from '@tenant-open-platform/testing';
import postgres from 'postgres';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openPool } from '../../test/support/open-pool.js';
import { ApiError, refuse } from '../foundation/api-error.js';
import { commandCatalog } from './catalog.js';

let reads: number;
/** A vendor of this test, removed afterwards: its broken schemas must not stay on other nodes. */
let vendor: string;

const url = platform().databaseUrl as string;
const owner = postgres(url, { max: 1, onnotice: () => {} });
const database = openPool(url, { debug: (_connection, query) => (reads += Number(query.includes('command_types'))) });

beforeEach(async () => {
  reads = 0;
  vendor = `vendor_${randomUUID()}`;
  await owner`insert into vendors (vendor, enabled) values (${vendor}, true)`;
});

afterEach(async () => {
  await owner`delete from command_types where vendor = ${vendor}`;
  await owner`delete from vendors where vendor = ${vendor}`;
});

const addType = (commandType: string, schema: object) => owner`
  insert into command_types (vendor, command_type, enabled, description, payload_schema)
  values (${vendor}, ${commandType}, true, 'Of a test.', ${JSON.stringify(schema)}::text::json)`;

async function loaded() {
  const catalog = commandCatalog(database);
  await catalog.reload();
  return (commandType: string, payload: unknown = {}) => {
    const checked = catalog.check({ vendor, command_type: commandType, payload }, refuse);
    return checked instanceof ApiError ? checked : checked.revision;
  };
}

test('concurrent reloads share one read, which starts after they were requested', async () => {
  const catalog = commandCatalog(database);
  const first = catalog.reload();
  await new Promise((resolve) => setImmediate(resolve));
  await addType('new', {});
  await Promise.all([first, ...Array.from({ length: 100 }, () => catalog.reload())]);
  expect(catalog.check({ vendor, command_type: 'new', payload: {} }, refuse)).toEqual({ revision: 1 });
  expect(reads).toBe(2);
});

test('two schemas, and two revisions of one, may have the same $id', async () => {
  const $id = `https://example.com/${vendor}`;
  await addType('one', { $id });
  await addType('other', { $id, required: ['a'] });
  const check = await loaded();
  expect(check('one')).toBe(1);
  expect(check('other')).toMatchObject({ code: 'COMMAND_PAYLOAD_INVALID' });

  const catalog = commandCatalog(database);
  await catalog.reload();
  await owner`update command_types set revision = 2 where vendor = ${vendor} and command_type = 'one'`;
  await catalog.reload();
  expect(catalog.check({ vendor, command_type: 'one', payload: {} }, refuse)).toEqual({ revision: 2 });
});

test('a schema that does not compile makes only its own command type unavailable', async () => {
  await addType('broken', { type: 'nonsense' });
  await addType('sound', { type: 'object' });
  const check = await loaded();
  expect(check('broken')).toMatchObject({ code: 'SERVICE_UNAVAILABLE', cause: expect.any(Error) });
  expect(check('sound')).toBe(1);
});

test('caller-chosen names in the location of a detail are truncated', async () => {
  const levels = 12;
  const objects = (level: number): object =>
    level === 0 ? { type: 'object' } : { type: 'object', additionalProperties: objects(level - 1) };
  await addType('nested', objects(levels));
  const check = await loaded();
  const nested = (level: number): unknown => (level === 0 ? 'no object' : { ['n'.repeat(1_000)]: nested(level - 1) });
  const locationIn = (level: number) => (check('nested', nested(level)) as ApiError).extra.details?.[0]?.location;
  expect(locationIn(2)).toBe(`body/payload/${'n'.repeat(128)}/${'n'.repeat(128)}`);
  expect(locationIn(levels)?.length).toBeLessThanOrEqual(1_024);
  expect(locationIn(levels)?.length).toBeGreaterThan(512);
});
