import { allOperations } from '@tenant-open-platform/contract';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { commandAt, commandPaths } from '../test/complete-help.js';
import type { FieldOption } from './input/field.js';

/** Fields without a flag: every user of the machine can read the arguments of a process. */
const secretFiles = { secret_access_key: '--secret-access-key-file', session_token: '--session-token-file' };

/** Fields whose flag has a clearer name than the field. */
const renamed: Record<string, Record<string, string>> = {
  'commands create-many': { commands: '--from' },
  'credentials create': { rotate_secret: 'credentials rotate', previous_secret_ttl_seconds: 'credentials rotate' },
  'credentials update': { rotate_secret: 'credentials rotate' },
  'callback-endpoints update': {
    rotate_secret: 'callback-endpoints rotate',
    previous_secret_ttl_seconds: 'callback-endpoints rotate',
  },
  'device-requests reply': { error: '--error-code and --error-message' },
  'object-credentials create': secretFiles,
  'object-credentials update': secretFiles,
};

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const commands = commandPaths().map((path) => path.join(' '));

test.each(allOperations)('$name has a command of the same name', ({ name }) => {
  const [resource = '', verb] = name.split('.');
  const file = `cli/src/commands/${kebab(resource)}.ts`;
  const isThere = commands.includes(kebab(name).replace('.', ' '));
  expect(isThere, `${file} has no add('${verb}', …), or cli/src/app.ts does not list the file`).toBe(true);
});

test.each(allOperations)('$name has every field of its query and body as a flag', ({ name, route }) => {
  const path = kebab(name).replace('.', ' ');
  const command = commandAt(path.split(' '));
  const { cursor: _, ...query } = fieldsOf(route.query);
  const body = 'body' in route ? fieldsOf(route.body) : {};
  const expected = Object.keys({ ...query, ...body })
    .filter((field) => !(renamed[path] && field in renamed[path]))
    .map((field) => `--${field.replaceAll('_', '-')}`);
  expect(command.options.map((option) => option.long)).toEqual(expect.arrayContaining(expected));
});

test.each(allOperations)(
  '$name has the ids of its path as arguments, except the tenant, which is --tenant',
  ({ name, route }) => {
    const command = commandAt(kebab(name).split('.'));
    const ids = [...route.path.matchAll(/:([a-z_]+)/g)].map(([, id]) => id);
    const own = name.startsWith('tenants.') ? ids : ids.filter((id) => id !== 'tenant_id');
    expect(argumentsOf(command)).toEqual(own);
  },
);

const choices = allOperations.flatMap(({ name, route }) => {
  const body = 'body' in route ? fieldsOf(route.body) : {};
  return Object.entries({ ...fieldsOf(route.query), ...body }).flatMap(([field, schema]) => {
    const values = valuesOf(schema);
    return values ? [{ name, flag: `--${field.replaceAll('_', '-')}`, values }] : [];
  });
});

test('the contract has fields with choices', () => {
  expect(choices.map(({ name, flag }) => `${name} ${flag}`)).toContain('commands.list --status');
});

test.each(choices)('$name offers for $flag exactly the values of the contract', ({ name, flag, values }) => {
  const option = commandAt(kebab(name).split('.')).options.find(({ long }) => long === flag);
  expect((option as FieldOption).field.choices).toEqual(values);
  expect(option?.argChoices ?? option?.description).toEqual(
    option?.argChoices ? values : expect.stringContaining(values.join(', ')),
  );
});

test.each(allOperations)('$name states its scope and the summary of the contract', ({ name, route }) => {
  const command = commandAt(kebab(name).split('.'));
  expect(command.description()).toContain(`Scope: ${route.metadata.scope ?? 'none'}`);
  expect(command.summary()).not.toBe('');
});

/** The values of an enum or of a list of enums, also if it is optional or nullable. */
function valuesOf(schema: unknown): string[] | undefined {
  if (schema instanceof z.ZodEnum) return schema.options.map(String);
  if (schema instanceof z.ZodArray) return valuesOf(schema.element);
  // A list in a query is a text that becomes an array.
  if (schema instanceof z.ZodPipe) return valuesOf(schema.out);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return valuesOf(schema.unwrap());
  }
  return undefined;
}

function fieldsOf(schema: unknown): Record<string, unknown> {
  return (schema as { shape?: Record<string, unknown> } | undefined)?.shape ?? {};
}

function argumentsOf(command: Command): string[] {
  return command.registeredArguments.map((argument) => argument.name());
}
