import { expect, test } from 'vitest';
import { z } from 'zod';
import { allOperations } from './contract.js';

/** Values that fit nowhere, or in few places. */
const strange = [
  undefined,
  null,
  '',
  'a b\u202e',
  'x'.repeat(6_000),
  0,
  -1,
  1.5,
  1e300,
  true,
  [],
  [null],
  ['x', 'x'],
  Array(600).fill('x'),
  {},
  { strange: 1 },
];

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value with one field, at any depth, replaced by something strange; and something strange in its own place. */
function* spoiled(value: unknown): Generator<unknown> {
  yield* strange;
  if (!isFields(value)) return;
  for (const [name, field] of Object.entries(value)) {
    for (const wrong of spoiled(field)) yield { ...value, [name]: wrong };
  }
}

/** Every field that a schema declares, with null in it. */
function whole(schema: z.ZodType): Fields {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return whole(schema.unwrap() as z.ZodType);
  if (!(schema instanceof z.ZodObject)) return {};
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>);
  return Object.fromEntries(fields.map(([name, field]) => [name, whole(field)]));
}

const parts = allOperations.flatMap(({ name, route }) => [
  { name, part: 'query', schema: route.query as z.ZodType },
  ...('body' in route && route.body ? [{ name, part: 'body', schema: route.body as z.ZodType }] : []),
]);

function messagesOf(schema: z.ZodType): string[] {
  const example = schema.meta()?.example as Fields | undefined;
  const messages = [...spoiled({ ...whole(schema), ...example }), ...spoiled(example ?? {})].flatMap(
    (value) => schema.safeParse(value).error?.issues.map(({ message }) => message) ?? [],
  );
  return [...new Set(messages)];
}

/** The words of a validator, of JavaScript, and regular expressions. */
const ODD =
  /invalid|expected|received|undefined|pattern|regex|nan\b|ZodError|[\\^$*{}]|\[.*\]|another|of another form/i;

test.each(parts)('$name says in words what is wrong with its $part', ({ schema }) => {
  const messages = messagesOf(schema);
  expect(messages.length).toBeGreaterThan(0);
  // `image/*` is a form of content types.
  expect(messages.filter((message) => ODD.test(message.replace('image/*', '')))).toEqual([]);
  expect(messages.filter((message) => !/^(must|is|has|needs|belongs|and) /.test(message))).toEqual([]);
});

test('names the kind of value, the choices and the bounds', () => {
  const create = parts.find(({ name, part }) => name === 'commands.create' && part === 'body');
  const problems = create?.schema.safeParse({ vendor: 1, payload: [], timeout_seconds: 301 }).error?.issues;
  expect(problems?.map(({ path, message }) => `${path.join('/')} ${message}`)).toEqual([
    'vendor must be a text',
    'device_id is required',
    'command_type is required',
    'payload must be an object',
    'idempotency_key is required',
    'timeout_seconds must be at most 300',
  ]);
  const update = parts.find(({ name, part }) => name === 'tenants.update' && part === 'body');
  const [problem] = update?.schema.safeParse({ status: 'CLOSED' }).error?.issues ?? [];
  expect(problem?.message).toBe('must be ACTIVE or DISABLED');
});
