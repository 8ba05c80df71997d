import { createTenant, platform, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { COMMANDS, newCommand } from '../../../test/commands.js';
import { openPool } from '../../../test/open-pool.js';

test('an event is read only once none can come before it, and then by whoever waits for it', async () => {
  const { operator, reader } = await createTenant();
  const database = openPool(platform().databaseUrl as string);
  const events = (query: string) => signedRequest(reader, 'GET', `/api/v1/open/events?${query}`);
  const { waiting, id } = await database.sql.begin(async (tx) => {
    // As one that wrote an event and did not commit yet.
    await tx`select pg_current_xact_id()`;
    const id = await newCommand(operator);
    expect((await signedRequest(reader, 'GET', `${COMMANDS}/${id}`)).status).toBe(200);
    expect((await events('wait_seconds=1')).body.items).toEqual([]);
    return { waiting: [events('wait_seconds=30&limit=1')], id };
  });
  const [answer] = await Promise.all(waiting);
  expect(answer?.body.items).toMatchObject([{ event_type: 'command.accepted', data: { command_id: id } }]);
  await database.close();
});
