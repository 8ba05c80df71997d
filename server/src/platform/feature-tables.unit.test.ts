import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const platform = fileURLToPath(new URL('.', import.meta.url));
const features = fileURLToPath(new URL('../features', import.meta.url));

const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file));

const tables = filesOf(features)
  .filter((file) => file.endsWith('.table.ts'))
  .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/pgTable\(\s*'(\w+)'/g)].map(([, table]) => table));

/** Where a statement names a table of a feature, or a string is such a name. */
function featureTablesIn(source: string): string[] {
  const code = source.replace(/\/\*.*?\*\/|\/\/.*?$/gms, '');
  const any = tables.join('|');
  const named = new RegExp(
    `\\b(?:from|join|into|update|only|table|using|references)\\s+(?:\\w+(?: \\w+)?, )*"?(${any})"?\\b`,
    'gi',
  );
  const quoted = new RegExp(`'(${any})'`, 'g');
  return [named, quoted].flatMap((pattern) => [...code.matchAll(pattern)].map(([, table]) => table as string));
}

test('the rule knows the tables of the features, and none of the platform', () => {
  expect(tables).toEqual(expect.arrayContaining(['commands', 'device_requests', 'object_grants', 'vendors']));
  for (const table of ['tenants', 'credentials', 'role_bindings', 'policies']) expect(tables).not.toContain(table);
});

test.each([
  'sql`select status from commands where true`',
  'sql`select from tenants, commands`',
  'sql`insert\n  into commands (tenant_id) values (1)`',
  "const table = 'commands';",
])('the rule refuses %j', (source) => {
  expect(featureTablesIn(source)).toEqual(['commands']);
});

test.each([
  'sql`select status from tenants where true`',
  '/** Deletes from commands. */',
  "const stream = { TOP_COMMANDS: ['tenants.*.commands.*'] };",
  'sql`select from commands_of_tenant`',
])('the rule accepts %j', (source) => {
  expect(featureTablesIn(source)).toEqual([]);
});

test('no file of the platform names a table of a feature', () => {
  const files = filesOf(platform).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  const named = files.flatMap((file) =>
    featureTablesIn(readFileSync(file, 'utf8')).map((table) => `${relative(platform, file)} names ${table}`),
  );
  expect(named).toEqual([]);
});
