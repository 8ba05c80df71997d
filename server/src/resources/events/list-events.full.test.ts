import { createTenant, signedRequest } from '@tenant-open-platform/testing';
import { expect, onTestFinished, test } from 'vitest';
import { completed, newCommand } from '../../../test/support/commands.js';
import { onBothNodes } from '../../../test/support/on-both-nodes.js';
import { openPool } from '../../../test/support/open-pool.js';

const EVENTS = '/api/v1/open/events';

test('an open transaction with writes delays no outcome of a command and no event of the list', async () => {
  const { operator, reader } = await createTenant();
  const database = openPool();
  onTestFinished(() => database.close());
  await database.sql.begin(async (tx) => {
    await tx`select pg_current_xact_id()`;
    const id = await newCommand(operator);
    expect((await completed(reader, id)).status).toBe('SUCCEEDED');
    const { items } = (await signedRequest(reader, 'GET', `${EVENTS}?command_id=${id}`)).body;
    expect(items).toMatchObject([{ event_type: 'command.accepted' }, { event_type: 'command.completed' }]);
  });
});

test('a reader that follows the log while two nodes write it gets every event once, accepted before completed', async () => {
  const COMMANDS = 600;
  const { operator, reader } = await createTenant();
  const seen: string[] = [];
  const following = (async () => {
    for (let cursor = ''; seen.length < 2 * COMMANDS; ) {
      const { body } = await signedRequest(reader, 'GET', `${EVENTS}?limit=50&wait_seconds=30${cursor}`);
      for (const { event_type, data } of body.items) seen.push(`${data.command_id} ${event_type}`);
      cursor = `&cursor=${body.next_cursor}`;
    }
  })();
  const ids: string[] = [];
  for (let round = 0; round < COMMANDS / 40; round++) {
    // Some complete, some soon pass their deadline.
    const fields = (index: number) => (index % 4 === 0 ? { device_id: 'offline-1', timeout_seconds: 1 } : {});
    ids.push(...(await onBothNodes(40, (node, index) => newCommand(operator, fields(index), node))));
  }
  await following;
  expect(new Set(seen)).toEqual(new Set(ids.flatMap((id) => [`${id} command.accepted`, `${id} command.completed`])));
  expect(seen).toHaveLength(2 * COMMANDS);
  for (const id of ids) {
    expect(seen.indexOf(`${id} command.accepted`)).toBeLessThan(seen.indexOf(`${id} command.completed`));
  }
});
