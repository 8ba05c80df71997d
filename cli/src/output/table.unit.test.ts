import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { Context } from '../context.js';
import { columnOf, renderRows } from './table.js';

test('a table may have more rows than a call can have arguments', () => {
  const context = { env: {}, stdout: new PassThrough() } as unknown as Context;
  const rows = Array.from({ length: 150_000 }, (_, index) => ({ n: index }));
  const lines = renderRows(context, ['n', 'm'].map(columnOf), [...rows, { n: 'the widest', m: 'x' }]).split('\n');
  expect(lines).toHaveLength(150_003);
  expect([lines[0], lines[1], lines[150_001]]).toEqual(['N           M', '0           -', 'the widest  x']);
});
