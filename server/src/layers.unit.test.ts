import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

/** A wing and the wings that it may import. The files beside the wings are the process: they may import all. */
const mayImport: Record<string, readonly string[]> = {
  foundation: [],
  gateway: ['foundation'],
  pipeline: ['foundation'],
  resources: ['foundation', 'gateway', 'pipeline'],
  operator: ['foundation', 'gateway', 'pipeline', 'resources'],
};
/** The files of the process that commands of the operator share with it. */
const SHARED_WITH_OPERATOR = ['config.ts', 'engines.ts'];

type Sources = Record<string, string>;
type Import = { from: string; line: number; to: string };

const wingOf = (file: string) => (file.includes('/') ? (file.split('/')[0] as string) : '');

const lineAt = (text: string, position: number) => text.slice(0, position).split('\n').length;

/** Imports of types count: they are what a reader has to know. */
const importsOf = (sources: Sources): Import[] =>
  Object.entries(sources).flatMap(([from, text]) =>
    ts
      .preProcessFile(text, true, true)
      .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
      .map(({ fileName, pos }) => ({
        from,
        line: lineAt(text, pos),
        to: normalize(join(dirname(from), fileName)).replace(/\.js$/, '.ts'),
      })),
  );

const shown = ({ from, line, to }: Import) => `${from}:${line} imports ${to}`;

function upwardImports(sources: Sources): string[] {
  const isAllowed = ({ from, to }: Import) => {
    const [own, other] = [wingOf(from), wingOf(to)];
    if (own === '' || own === other) return true;
    return mayImport[own]?.includes(other) || (own === 'operator' && SHARED_WITH_OPERATOR.includes(to));
  };
  return importsOf(sources)
    .filter((one) => !isAllowed(one))
    .map(shown);
}

/** Pairs of folders below `src` that import each other. */
function mutualImports(sources: Sources): string[] {
  const between = new Map<string, Import>();
  for (const one of importsOf(sources)) {
    const [own, other] = [dirname(one.from), dirname(one.to)];
    if (own !== other && own !== '.' && other !== '.') between.set(`${own} ${other}`, one);
  }
  return [...between].flatMap(([pair, one]) => {
    const [own = '', other = ''] = pair.split(' ');
    const back = own < other && between.get(`${other} ${own}`);
    return back ? [`${shown(one)}, and ${shown(back)}`] : [];
  });
}

const nameInTable = /pgTable\(\s*'(\w+)'/g;

/** Statements that name a table of a wing that their file may not import. */
function foreignTables(sources: Sources): string[] {
  const tables = Object.entries(sources).flatMap(([file, text]) =>
    [...text.matchAll(nameInTable)].map(([, table]) => ({ table: table as string, wing: wingOf(file) })),
  );
  return Object.entries(sources).flatMap(([file, text]) => {
    const own = wingOf(file);
    const foreign = tables.filter(({ wing }) => own !== '' && wing !== own && !mayImport[own]?.includes(wing));
    if (foreign.length === 0) return [];
    const any = foreign.map(({ table }) => table).join('|');
    const code = text.replace(/\/\*.*?\*\/|\/\/.*?$/gms, (comment) => comment.replace(/[^\n]/g, ' '));
    const named = new RegExp(
      `\\b(?:from|join|into|update|only|table|using|references)\\s+(?:\\w+(?: \\w+)?, )*"?(${any})"?\\b|'(${any})'`,
      'gi',
    );
    return [...code.matchAll(named)].map(
      (found) => `${file}:${lineAt(code, found.index)} names ${found[1] ?? found[2]}`,
    );
  });
}

const src = fileURLToPath(new URL('.', import.meta.url));
const sources: Sources = Object.fromEntries(
  readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => [file, readFileSync(join(src, file), 'utf8')]),
);

test('no wing imports a wing above it or beside it', () => {
  expect(upwardImports(sources)).toEqual([]);
});

test('no two folders import each other', () => {
  expect(mutualImports(sources)).toEqual([]);
});

test('no statement names a table of a wing that its file may not import', () => {
  expect(foreignTables(sources)).toEqual([]);
});

describe('the check', () => {
  test.each([
    ['pipeline/accept.ts', '../gateway/auth/admission.js', 'imports gateway/auth/admission.ts'],
    ['gateway/auth/admission.ts', '../../pipeline/accept.js', 'imports pipeline/accept.ts'],
    ['foundation/ids.ts', '../resources/rows.js', 'imports resources/rows.ts'],
    ['resources/rows.ts', '../router.js', 'imports router.ts'],
    ['operator/keys.ts', '../start.js', 'imports start.ts'],
  ])('refuses an upward import of %s', (file, specifier, problem) => {
    for (const statement of [
      `import { a } from`,
      'import type { A } from',
      'export * from',
      'const b = () => import(',
    ]) {
      const closing = statement.endsWith('(') ? ')' : '';
      expect(upwardImports({ [file]: `\n${statement} '${specifier}'${closing};` })).toEqual([`${file}:2 ${problem}`]);
    }
  });

  test('accepts imports downward, within a wing and of the process', () => {
    const imports = [
      ['resources/rows.ts', '../gateway/audit/audit.js'],
      ['pipeline/outbox/relay.ts', '../events.js'],
      ['router.ts', './resources/rows.js'],
      ['operator/keys.ts', '../engines.js'],
    ];
    for (const [file = '', specifier] of imports) {
      expect(upwardImports({ [file]: `import { a } from '${specifier}';` })).toEqual([]);
    }
  });

  test('refuses two folders that import each other, and names both lines', () => {
    const circle = {
      'gateway/auth/a.ts': `import { b } from '../http/b.js';`,
      'gateway/http/c.ts': `\nimport type { D } from '../auth/d.js';`,
    };
    expect(mutualImports(circle)).toEqual([
      'gateway/auth/a.ts:1 imports gateway/http/b.ts, and gateway/http/c.ts:2 imports gateway/auth/d.ts',
    ]);
    expect(mutualImports({ 'gateway/auth/a.ts': circle['gateway/auth/a.ts'] })).toEqual([]);
  });

  test.each([
    'sql`select status from commands where true`',
    'sql`select from tenants, commands`',
    'sql`insert into commands (tenant_id) values (1)`',
    "const table = 'commands';",
  ])('refuses %j in a file that may not know the table', (statement) => {
    const table = { 'pipeline/tables.ts': `pgTable('commands', {})` };
    expect(foreignTables({ ...table, 'gateway/a.ts': `\n${statement}` })).toEqual(['gateway/a.ts:2 names commands']);
    expect(foreignTables({ ...table, 'resources/a.ts': statement })).toEqual([]);
  });
});
