import { expect, test } from 'vitest';
import { z } from 'zod';
import { CommandUpdate } from './bus/messages.js';
import { allOperations } from './contract.js';

const id = '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d';

/** The fields of a request, with the names of their operations. */
const fields = allOperations.flatMap(({ name, route }) =>
  [route.pathParams, 'query' in route ? route.query : undefined, 'body' in route ? route.body : undefined].flatMap(
    (schema) =>
      schema instanceof z.ZodObject
        ? Object.entries<z.ZodType>(schema.shape).map(([field, type]) => ({ field: `${name} ${field}`, type }))
        : [],
  ),
);
const ids = fields.filter(
  ({ type }) =>
    (z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' }) as { format?: string }).format === 'uuid',
);

test('each UUID of a request and of an update is read in lower case, as it is stored', () => {
  expect(ids.map(({ field }) => field)).toEqual(
    expect.arrayContaining(['commands.get command_id', 'commands.list batch_id', 'events.list command_id']),
  );
  for (const { field, type } of ids) expect(type.parse(id.toUpperCase()), field).toBe(id);
  const update = { command_id: id.toUpperCase(), adapter_status: 'DELIVERED' };
  expect(CommandUpdate.parse(update).command_id).toBe(id);
});
