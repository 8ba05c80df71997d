import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const at = (path: string) => new URL(`../../${path}`, import.meta.url).href;
const { linesIn, longFunctionsIn } = await import(at('scripts/check-size.mjs'));
const { unknownNamesIn } = await import(at('scripts/check-names.mjs'));

describe('the size of the server', () => {
  test('counts its sources and the texts of database functions, and neither tests nor other packages', () => {
    const files = {
      'server/src/foundation/one.ts': '1\n2\n',
      'server/drizzle/functions/admit_requests_v1.sql': '1\n2\n3\n',
      'server/src/foundation/one.unit.test.ts': '1\n',
      'server/drizzle/0000_schema.sql': '1\n',
      'server/test/support/one.ts': '1\n',
      'sdk/src/one.ts': '1\n',
    };
    expect(linesIn(files)).toBe(5);
  });

  const withBody = (lines: number) => ['{', ...Array<string>(lines - 2).fill('  work();'), '}'].join('\n');
  test.each([
    ['a declaration', 'export function long() ', 'long has 121 lines'],
    ['an arrow', 'const long = async () => ', 'long has 121 lines'],
    ['a method', 'class One { long() ', 'long has 121 lines'],
    ['a constructor', 'class One { constructor() ', 'a function has 121 lines'],
    ['a function within another', 'export const outer = () => () => ', 'a function has 121 lines'],
  ])('refuses a function of 121 lines: %s', (_, before, message) => {
    const end = before.startsWith('class') ? ' }\n' : '\n';
    const source = (lines: number) => ({ 'server/src/one.ts': `\n${before}${withBody(lines)}${end}` });
    expect(longFunctionsIn(source(121))).toContain(`server/src/one.ts:2 ${message}`);
    expect(longFunctionsIn(source(120))).toEqual([]);
    expect(longFunctionsIn({ 'server/src/one.test.ts': source(121)['server/src/one.ts'] })).toEqual([]);
  });

  test('is part of pnpm check, and so are the names in documents', () => {
    const { scripts } = JSON.parse(readFileSync(fileURLToPath(at('package.json')), 'utf8'));
    expect(scripts).toMatchObject({
      'check:size': 'node scripts/check-size.mjs',
      'check:names': 'node scripts/check-names.mjs',
    });
  });
});

describe('the names in documents', () => {
  const code = { 'server/src/one.ts': 'export const startRelay = () => wait(1);' };
  test.each([
    '`startRelay`',
    '`startRelay(options)`',
    '`relay.startRelay()`',
    '`wait(id)`',
    '`a word`',
    '`snake_case`',
    '`wait`',
    '`UPPER`',
  ])('may be %s where code has it, and words that name no function', (span) =>
    expect(unknownNamesIn({ ...code, 'docs/internals/outbox.md': `See ${span}.` })).toEqual([]),
  );
  test.each(['`stopRelay`', '`stopRelay(options)`', '`relay.stopRelay()`', '`stopped(id)`'])(
    'may not be %s',
    (span) => {
      const name = /(\w+)[(`]/.exec(span.replace('relay.', ''))?.[1];
      for (const page of ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/events.md', 'docs/internals/outbox.md']) {
        expect(unknownNamesIn({ ...code, [page]: `See ${span}.` })).toEqual([`${page} names ${name}`]);
      }
    },
  );
  test('are not those of tests', () => {
    const files = { 'server/src/one.test.ts': 'stopRelay();', 'ARCHITECTURE.md': '`stopRelay`' };
    expect(unknownNamesIn(files)).toEqual(['ARCHITECTURE.md names stopRelay']);
  });
});
