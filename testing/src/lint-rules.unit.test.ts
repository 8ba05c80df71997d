import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

type Rule = { rule: string; message: string; refused: Record<string, string>; passed: Record<string, string> };

/** Each of our own rules: where it applies, what it refuses there, and what it accepts. */
const rules: Rule[] = [
  {
    rule: 'files do not import each other in a circle',
    message: 'This import is part of a cycle.',
    refused: {
      'server/src/foundation/one.ts': `import type { Two } from './two.js';\nexport type One = Two[];`,
      'server/src/foundation/two.ts': `import type { One } from './one.js';\nexport type Two = One | null;`,
    },
    passed: {
      'server/src/foundation/one.ts': `import type { Two } from './two.js';\nexport type One = Two[];`,
      'server/src/foundation/two.ts': `export type Two = string | null;`,
    },
  },
  {
    rule: 'a handler acts only as its tenant',
    message: 'Handlers act as one tenant: of the roles import asTenant alone. Every other one sees all tenants.',
    refused: {
      'server/src/resources/x/all-tenants.ts': `export { asAllTenants } from '../../foundation/database/row-level-security.js';`,
      'server/src/resources/x/ingest.ts': `export { asIngest } from '../../foundation/database/row-level-security.js';`,
      'server/src/resources/x/statement.ts': `export { asAllTenantsStatement } from '../../foundation/database/row-level-security.js';`,
      'server/src/resources/x/another-tenant.ts': `export { enterTenant } from '../../foundation/database/row-level-security.js';`,
      'server/src/resources/x/renamed.ts': `import { asAllTenants as asTenant } from '../../foundation/database/row-level-security.js';\nexport const act = asTenant;`,
      'server/src/resources/x/namespace.ts': `import * as roles from '../../foundation/database/row-level-security.js';\nexport const act = roles.asAllTenants;`,
      'server/src/resources/x/everything.ts': `export * from '../../foundation/database/row-level-security.js';`,
      'server/src/resources/x/dynamic.ts': `export const roles = () => import('../../foundation/database/row-level-security.js');`,
      'server/src/resources/rows.ts': `export { asAllTenants } from '../foundation/database/row-level-security.js';`,
      'server/src/resources/x/deep/all-tenants.ts': `export { asAllTenants } from '../../../foundation/database/row-level-security.js';`,
    },
    passed: {
      'server/src/resources/x/tenant.ts': `export { asTenant } from '../../foundation/database/row-level-security.js';`,
    },
  },
  {
    rule: 'a handler refuses with the codes that its operation declares',
    message: 'Refuse by call.refuse: it knows the codes that the operation declares.',
    refused: {
      'server/src/resources/x/refusal.ts': `import { ApiError } from '../../foundation/api-error.js';\nexport const refusal = () => new ApiError('NOT_FOUND');`,
    },
    passed: {
      'server/src/resources/x/refusal.ts': `import { notFound } from '../../foundation/api-error.js';\nexport const refusal = () => notFound();`,
      'server/src/resources/x/refusal.test.ts': `import { ApiError } from '../../foundation/api-error.js';\nexport const refusal = () => new ApiError('NOT_FOUND');`,
    },
  },
  {
    rule: 'the pipeline enters no tenant by itself, and only acceptance ingests',
    message: 'The pipeline acts for all tenants (asAllTenants, asAllTenantsStatement) or as one (asTenant).',
    refused: {
      'server/src/pipeline/ingest.ts': `export { asIngest } from '../foundation/database/row-level-security.js';`,
      'server/src/pipeline/namespace.ts': `export * as roles from '../foundation/database/row-level-security.js';`,
      'server/src/pipeline/enter.ts': `export { enterTenant } from '../foundation/database/row-level-security.js';`,
    },
    passed: {
      'server/src/pipeline/sweeper.ts': `export { asAllTenantsStatement, asAllTenants } from '../foundation/database/row-level-security.js';`,
    },
  },
  {
    rule: 'the catalog is read and never written',
    message: 'The catalog belongs to no tenant: it is read with asAllTenantsStatement, and never written.',
    refused: {
      'server/src/pipeline/catalog.ts': `export { asAllTenants } from '../foundation/database/row-level-security.js';`,
    },
    passed: {
      'server/src/pipeline/catalog.ts': `export { asAllTenantsStatement } from '../foundation/database/row-level-security.js';`,
    },
  },
  {
    rule: 'acceptance reads no secret',
    message: 'Acceptance reads as one tenant (asTenant), and stores with asIngest, which reads no secret.',
    refused: {
      'server/src/pipeline/accept.ts': `export { asAllTenantsStatement } from '../foundation/database/row-level-security.js';`,
    },
    passed: {
      'server/src/pipeline/accept.ts': `export { asIngest, asTenant } from '../foundation/database/row-level-security.js';`,
    },
  },
  {
    rule: 'resources and pipeline do not query without a role',
    message:
      'Row-level security binds a role: query through asTenant (foundation/database/row-level-security.ts), never with the connection itself.',
    refused: {
      'server/src/resources/x/tagged.ts': `export const read = (database) => database.sql\`select 1\`;`,
      'server/src/resources/x/builder.ts': `export const read = (services) => services.database.drizzle.select();`,
      'server/src/resources/x/destructured.ts': `export const read = ({ sql }) => sql\`select 1\`;`,
      'server/src/resources/x/renamed.ts': `export function read(database) {\n  const { drizzle: query } = database;\n  return query;\n}`,
      'server/src/pipeline/tagged.ts': `export const read = (database) => database.sql\`select 1\`;`,
    },
    passed: {
      'server/src/resources/x/fragment.ts': `import { sql } from 'drizzle-orm';\nexport const now = sql\`now()\`;`,
      'server/src/resources/x/read.test.ts': `export const read = (database) => database.sql\`select 1\`;`,
    },
  },
  {
    rule: 'resources and pipeline set no role by a statement',
    message: 'Only foundation/database/row-level-security.ts sets a role or the tenant: call asTenant.',
    refused: {
      'server/src/resources/x/role.ts': `export const read = (tx, sql) => tx.execute(sql\`set local role top_system\`);`,
      'server/src/resources/x/no-role.ts': `export const read = (tx, sql) => tx.execute(sql\`RESET ROLE\`);`,
      'server/src/resources/x/tenant.ts': `export const read = (tx, sql) => tx.execute(sql\`select set_config('app.tenant_id', 'x', true)\`);`,
    },
    passed: {
      'server/src/resources/x/column.ts': `export const read = (tx, sql) => tx.execute(sql\`update t set role = 1\`);`,
    },
  },
  {
    rule: 'the SDK has no dependencies',
    message: 'The SDK has no dependencies and runs where there is no Node: use Web APIs.',
    refused: {
      'sdk/src/zod.ts': `export { z } from 'zod';`,
      'sdk/src/core/ts-rest.ts': `export { initClient } from '@ts-rest/core';`,
      'sdk/src/node.ts': `export { readFileSync } from 'node:fs';`,
      'sdk/src/contract.ts': `export { contract } from '@tenant-open-platform/contract';`,
    },
    passed: {
      'sdk/src/zod.test.ts': `export { z } from 'zod';`,
      'sdk/src/own.ts': `export { client } from './client.js';`,
    },
  },
  {
    rule: 'the SDK imports no Node module, not even without its prefix',
    message: 'This import references a Node.js builtin module.',
    refused: { 'sdk/src/node.ts': `export { readFileSync } from 'fs';` },
    passed: { 'sdk/src/node.test.ts': `export { readFileSync } from 'node:fs';` },
  },
  {
    rule: 'the contract runs in a browser',
    message: 'This import references a Node.js builtin module.',
    refused: { 'contract/src/strict-json/bytes.ts': `export { isUtf8 } from 'node:buffer';` },
    passed: { 'contract/src/strict-json/bytes.test.ts': `export { isUtf8 } from 'node:buffer';` },
  },
];

type Finding = { file: string; message: string };

/** Runs a linter on these files only. Returns what it refuses. */
async function findings(
  files: Record<string, string>,
  lint: (folder: string) => Promise<Finding[]>,
): Promise<Finding[]> {
  const folder = mkdtempSync(join(tmpdir(), 'top-lint-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return await lint(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The JSON that a linter prints. The linter ends with an error if it refuses something. */
function run(folder: string, program: string, args: string[]): Promise<{ diagnostics: unknown[] }> {
  const binaries = join(root, 'node_modules/.bin');
  const env = { ...process.env, PATH: `${binaries}:${process.env.PATH}` };
  return new Promise((resolve, reject) => {
    execFile(join(binaries, program), args, { cwd: folder, env }, (_, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout));
      } catch {
        reject(new Error(`${program} printed no JSON: ${stdout}${stderr}`));
      }
    });
  });
}

async function biome(folder: string): Promise<Finding[]> {
  const { diagnostics } = await run(folder, 'biome', [
    'lint',
    '--vcs-enabled=false',
    '--max-diagnostics=none',
    '--reporter=json',
    '.',
  ]);
  return (diagnostics as { message: string; location: { path: string } }[]).map(({ message, location }) => ({
    file: location.path,
    message,
  }));
}

async function oxlint(folder: string): Promise<Finding[]> {
  symlinkSync(join(root, 'server/node_modules'), join(folder, 'server/node_modules'));
  const { diagnostics } = await run(folder, 'oxlint', ['--type-aware', '--format=json', 'server/src']);
  return (diagnostics as { code: string; filename: string }[]).map(({ code, filename }) => ({
    file: filename,
    message: code,
  }));
}

const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

const below = (folder: string, files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]));

describe('our own rules', () => {
  const plugins = ['server/no-query-without-role.grit', 'server/refuse-by-call.grit'];
  const configuration = Object.fromEntries(['biome.json', ...plugins].map((path) => [path, textOf(path)]));
  // Paths in a nested configuration are relative to its folder.
  const nested = {
    ...configuration,
    'biome.json': JSON.stringify({ ...JSON.parse(textOf('biome.json')), root: false }),
  };

  let found: Finding[];
  beforeAll(async () => {
    const folders = rules.flatMap(({ refused, passed }, index) => [
      below(`${index}/refused`, { ...nested, ...refused }),
      below(`${index}/passed`, { ...nested, ...passed }),
    ]);
    found = await findings(Object.assign({}, configuration, ...folders), biome);
  });

  test.each(rules.map((rule, index) => ({ ...rule, index })))(
    '$rule: the bad files are refused with its message, the good ones accepted',
    ({ message, refused, index }) => {
      const filesWith = (kind: string) => found.filter(({ file }) => file.startsWith(`${index}/${kind}/`));
      expect(
        filesWith('refused')
          .filter((finding) => finding.message === message)
          .map(({ file }) => file),
      ).toEqual(expect.arrayContaining(Object.keys(refused).map((path) => `${index}/refused/${path}`)));
      expect(filesWith('passed')).toEqual([]);
    },
  );
});

describe('a promise is never left unawaited', () => {
  const types = `import { sql } from 'drizzle-orm';
import type { drizzle } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';

export type Database = { drizzle: ReturnType<typeof drizzle>; sql: postgres.Sql };
export const one = sql\`select 1\`;
`;
  const promises = {
    'drizzle-query.ts': ['typescript(no-floating-promises)', 'database.drizzle.execute(one);'],
    'tagged-query.ts': ['typescript(no-floating-promises)', 'database.sql`select 1`;'],
    'promise.ts': ['typescript(no-floating-promises)', 'Promise.resolve(1);'],
    'callback.ts': ['typescript(no-misused-promises)', '[1].forEach(async () => database.drizzle.execute(one));'],
    'condition.ts': ['typescript(no-misused-promises)', 'if (database.drizzle.execute(one)) return;'],
    'value.ts': ['typescript(await-thenable)', 'await 1;'],
  } as const;
  const passed = [
    'await database.drizzle.execute(one);',
    'await database.sql`select 1`;',
    'return Promise.resolve(1);',
  ];
  const around = (statement: string) =>
    `import { type Database, one } from './types.js';\nexport async function work(database: Database) {\n  ${statement}\n  return { database, one };\n}\n`;
  const tsconfig = JSON.stringify({ extends: '../tsconfig.base.json', include: ['src'] });

  let found: Finding[];
  beforeAll(async () => {
    const files = Object.fromEntries([
      ...Object.entries(promises).map(([name, [, statement]]) => [`server/src/${name}`, around(statement)]),
      ...passed.map((statement, index) => [`server/src/passed-${index}.ts`, around(statement)]),
    ]);
    found = await findings(
      {
        '.oxlintrc.json': textOf('.oxlintrc.json'),
        'tsconfig.base.json': textOf('tsconfig.base.json'),
        'server/tsconfig.json': tsconfig,
        'server/src/types.ts': types,
        ...files,
      },
      oxlint,
    );
  });

  test('refuses unawaited queries and promises, and nothing else', () => {
    const expected = Object.entries(promises).map(([name, [code]]) => ({ file: `server/src/${name}`, message: code }));
    const inOrder = (findings: Finding[]) => findings.map(({ file, message }) => `${file} ${message}`).sort();
    expect(inOrder(found)).toEqual(inOrder(expected));
  });
});
