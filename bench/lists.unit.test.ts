import { expect, test } from 'vitest';
import { lists } from './lists.js';

test('the contract accepts the request for a page of every list with every filter', () => {
  const measured = lists();
  expect(measured.map(({ name }) => name)).toContain('commands.list');
  for (const { query, requests } of measured) {
    for (const { target } of requests) {
      const given = Object.fromEntries(new URL(target, 'http://localhost').searchParams);
      expect.soft(query.safeParse(given), target).toMatchObject({ success: true });
    }
  }
});
