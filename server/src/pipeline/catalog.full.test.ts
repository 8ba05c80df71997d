import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openPool, openSession } from '../../test/support/open-pool.js';
import { ApiError, refuse } from '../foundation/api-error.js';
import type { Database } from '../foundation/database/database.js';
import { commandCatalog } from './catalog.js';
import { compilePayloadSchema } from './payload-schema.js';

const OTHER_TYPES = 1_000;

/** The rows that each read of the catalog returned. */
let reads: { command_type: string; payload_schema: object | null }[][];
let compiled: object[];
/** A vendor of this test, removed afterwards: its broken schemas must not stay on other nodes. */
let vendor: string;

const owner = openSession();
const pool = openPool();
const database: Database = { ...pool, prepared: Object.create(pool.prepared) };
database.prepared.transaction = async (work) => {
  const rows = await pool.prepared.transaction(work);
  reads.push([...(rows as (typeof reads)[number])]);
  return rows;
};

beforeEach(async () => {
  reads = [];
  compiled = [];
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

const newCatalog = () =>
  commandCatalog(database, (schema, refuse) => {
    compiled.push(schema);
    return compilePayloadSchema(schema, refuse);
  });

const key = (command_type: string) => ({ vendor, command_type });

/** Checks a command against a new read of its type. */
async function checked(commandType: string, payload: unknown = {}, catalog = newCatalog()) {
  const found = await catalog.read([key(commandType)]);
  const result = catalog.check({ ...key(commandType), payload }, refuse, found);
  return result instanceof ApiError ? result : result.revision;
}

const addOtherTypes = () => owner`
  insert into command_types (vendor, command_type, enabled, description, payload_schema)
  select ${vendor}, 'other_' || number, true, 'Of a test.', json_build_object('minProperties', number)
  from generate_series(1, ${OTHER_TYPES}) as number`;

test('of 1,000 command types the first command reads and compiles its own, and a refused command reads no other', async () => {
  await addOtherTypes();
  await addType('one', { required: ['a'] });
  const catalog = newCatalog();
  expect(await checked('one', { a: 1 }, catalog)).toBe(1);
  expect(reads).toMatchObject([[{ command_type: 'one', payload_schema: { required: ['a'] } }]]);
  expect(await checked('one', {}, catalog)).toMatchObject({ code: 'COMMAND_PAYLOAD_INVALID' });
  expect(await checked('unknown', {}, catalog)).toMatchObject({ code: 'COMMAND_TYPE_UNKNOWN' });
  expect(reads.slice(1)).toMatchObject([
    [{ command_type: 'one', payload_schema: null }],
    [{ command_type: 'unknown', payload_schema: null }],
  ]);
  expect(compiled).toEqual([{ required: ['a'] }]);
});

test('callers that wait at the same time share one read of their types, which starts after they asked', async () => {
  const catalog = newCatalog();
  const first = catalog.read([key('new')]);
  await new Promise((resolve) => setImmediate(resolve));
  await addType('new', {});
  const waiting = Array.from({ length: 100 }, (_, index) => catalog.read([key('new'), key(`unknown_${index % 10}`)]));
  const [found] = await Promise.all([...waiting, first]);
  expect(catalog.check({ ...key('new'), payload: {} }, refuse, found)).toEqual({ revision: 1 });
  expect(reads.map(({ length }) => length)).toEqual([1, 11]);
});

test('a command of a type that was used needs no read, until a read finds the type or its vendor not enabled', async () => {
  await addType('used', {});
  await addType('kept', {});
  const catalog = newCatalog();
  await catalog.read([key('used'), key('kept')]);
  const inMemory = (commandType: string) => catalog.check({ ...key(commandType), payload: {} }, refuse);
  expect([inMemory('used'), inMemory('kept')]).toEqual([{ revision: 1 }, { revision: 1 }]);
  await owner`update command_types set enabled = false where vendor = ${vendor} and command_type = 'used'`;
  expect(await checked('used', {}, catalog)).toMatchObject({ code: 'COMMAND_TYPE_UNKNOWN' });
  expect([inMemory('used'), inMemory('kept')]).toEqual([expect.any(ApiError), { revision: 1 }]);
  await owner`update vendors set enabled = false where vendor = ${vendor}`;
  for (const commandType of ['kept', 'used', 'unknown']) {
    expect(await checked(commandType, {}, catalog)).toMatchObject({ code: 'VENDOR_NOT_ENABLED' });
  }
});

test('two schemas, and two revisions of one, may have the same $id', async () => {
  const $id = `https://example.com/${vendor}`;
  await addType('one', { $id });
  await addType('other', { $id, required: ['a'] });
  const catalog = newCatalog();
  expect(await checked('one', {}, catalog)).toBe(1);
  expect(await checked('other', {}, catalog)).toMatchObject({ code: 'COMMAND_PAYLOAD_INVALID' });
  await owner`update command_types set revision = 2 where vendor = ${vendor} and command_type = 'one'`;
  expect(await checked('one', {}, catalog)).toBe(2);
});

test('a schema that does not compile makes only its own command type unavailable', async () => {
  await addType('broken', { type: 'nonsense' });
  await addType('sound', { type: 'object' });
  const catalog = newCatalog();
  expect(await checked('broken', {}, catalog)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', cause: expect.any(Error) });
  expect(await checked('sound', {}, catalog)).toBe(1);
});

test('a check that throws makes only its command unavailable, until the schema is repaired', async () => {
  await addType('throws', { type: 'object' });
  await addType('sound', { type: 'object' });
  let isBroken = true;
  const catalog = commandCatalog(database, async (schema, refuse) => {
    const check = await compilePayloadSchema(schema, refuse);
    return (value, part) => {
      if (isBroken && part === 'body/payload' && (value as { a?: 1 }).a) throw new TypeError('Cannot set properties');
      return check(value, part);
    };
  });
  expect(await checked('throws', { a: 1 }, catalog)).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    cause: expect.any(TypeError),
  });
  expect(await checked('throws', {}, catalog)).toBe(1);
  expect(await checked('sound', {}, catalog)).toBe(1);
  isBroken = false;
  expect(await checked('throws', { a: 1 }, catalog)).toBe(1);
});

test('caller-chosen names in the location of a detail are truncated', async () => {
  const levels = 12;
  const objects = (level: number): object =>
    level === 0 ? { type: 'object' } : { type: 'object', additionalProperties: objects(level - 1) };
  await addType('nested', objects(levels));
  const nested = (level: number): unknown => (level === 0 ? 'no object' : { ['n'.repeat(1_000)]: nested(level - 1) });
  const locationIn = async (level: number) =>
    ((await checked('nested', nested(level))) as ApiError).extra.details?.[0]?.location;
  expect(await locationIn(2)).toBe(`body/payload/${'n'.repeat(128)}/${'n'.repeat(128)}`);
  expect((await locationIn(levels))?.length).toBeLessThanOrEqual(1_024);
  expect((await locationIn(levels))?.length).toBeGreaterThan(512);
});

test('a generation that begins during a read refuses no type that is enabled, and takes its schema from the new one', async () => {
  await addType('move', { minProperties: 1 });
  const begun: (() => void)[] = [];
  const generations = { ...database.generations, onNew: (listener: () => void) => void begun.push(listener) };
  const catalog = commandCatalog({ ...database, generations });
  expect(await checked('move', { a: 1 }, catalog)).toBe(1);
  // Another schema has the same revision in the new history.
  await owner`update command_types set payload_schema = '{"minProperties": 2}' where vendor = ${vendor}`;
  const reading = checked('move', { a: 1, b: 2 }, catalog);
  for (const begin of begun) begin();
  expect(await reading).toBe(1);
  expect(await checked('move', { a: 1 }, catalog)).toMatchObject({ code: 'COMMAND_PAYLOAD_INVALID' });
});
