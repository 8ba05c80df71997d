import { expect, test } from 'vitest';
import { lists } from './lists.js';

test('the contract accepts the request for a page of every list with every filter', () => {
  const measured = lists();
  expect(measured.map(({ name }) => name)).toContain('commands.list');
  for (const { query, requests } of measured) {
    for (const { target } of requests) {
      const { pathname, search, searchParams } = new URL(target, 'http://localhost');
      // The signature is over the target as fetch sends it.
      expect.soft(pathname + search).toBe(target);
      expect.soft(query.safeParse(Object.fromEntries(searchParams)), target).toMatchObject({ success: true });
    }
  }
});
