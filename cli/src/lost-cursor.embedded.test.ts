import { createTenant } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { environmentOf, topctl } from '../test/topctl.js';

const world = { env: environmentOf((await createTenant()).operator) };
const reboot = ['commands', 'create', '--vendor', 'vendor_a', '--command-type', 'reboot'];

/** The answers of the platform, with a cursor that it did not make: it refuses it with the next page. */
const withForeignCursor: typeof fetch = async (input, init) => {
  const answer = await fetch(input, init);
  const body = (await answer.json()) as object;
  return Response.json('items' in body ? { ...body, next_cursor: 'foreign' } : body, answer);
};

test('a list whose cursor is no longer accepted is an error, after the items that came', async () => {
  const id = (await topctl([...reboot, '--device-id', 'd', '-o', 'id'], world)).stdout;
  const pages = { ...world, fetch: withForeignCursor };
  const printed = await topctl(['commands', 'list', '--all', '-o', 'id'], pages);
  expect(printed).toMatchObject({ exitCode: 1, stdout: id });
  expect(printed.stderr).toContain('The list is incomplete');
  expect(printed.stderr).toContain('(INVALID_CURSOR)');
  for (const format of ['json', 'yaml', 'table']) {
    expect(await topctl(['commands', 'list', '--all', '-o', format], pages)).toMatchObject({
      exitCode: 1,
      stdout: '',
    });
  }
  const events = await topctl(['events', 'list', '--all', '-o', 'id'], pages);
  expect(events).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('The list is incomplete') });
});

test('a list whose answers lose the cursor is an error, and no page is printed twice', async () => {
  for (const resource of ['commands', 'events', 'device-requests']) {
    let asked = 0;
    const losing: typeof fetch = async (input, init) => {
      // The message of the failure asks who the caller is.
      if (!String(input).includes('limit=')) return fetch(input, init);
      asked += 1;
      const items = [{ command_id: `c${asked}`, event_id: `e${asked}`, device_request_id: `d${asked}` }];
      return Response.json({ items, ...(asked === 1 && { next_cursor: 'c' }), request_id: 'r' });
    };
    const { exitCode, stdout, stderr } = await topctl([resource, 'list', '--all', '-o', 'id'], {
      ...world,
      fetch: losing,
    });
    expect([resource, exitCode, asked]).toEqual([resource, 1, 2]);
    expect(stdout.startsWith(`${resource[0]}1\n`)).toBe(true);
    expect(stderr).toContain('is incomplete');
  }
});
