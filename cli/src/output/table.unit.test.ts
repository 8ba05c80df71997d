import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { Context } from '../context.js';
import { columnOf, renderDetails, renderRows } from './table.js';

const screen = (columns: number) =>
  ({
    env: { NO_COLOR: '1' },
    stdout: Object.assign(new PassThrough(), { isTTY: true, columns }),
  }) as unknown as Context;

test('a value without spaces is broken if its script has none; a URL stays whole', () => {
  const url = `https://x.example/${'a'.repeat(20)}`;
  expect(renderDetails(screen(20), { name: '東京のポンプ場🚰東京のポンプ', url })).toBe(
    `name  東京のポンプ場\n      🚰東京のポンプ\nurl   ${url}\n`,
  );
});

test('a table may have more rows than a call can have arguments', () => {
  const context = { env: {}, stdout: new PassThrough() } as unknown as Context;
  const rows = Array.from({ length: 150_000 }, (_, index) => ({ n: index }));
  const lines = renderRows(context, ['n', 'm'].map(columnOf), [...rows, { n: 'the widest', m: 'x' }]).split('\n');
  expect(lines).toHaveLength(150_003);
  expect([lines[0], lines[1], lines[150_001]]).toEqual(['N           M', '0           -', 'the widest  x']);
});
