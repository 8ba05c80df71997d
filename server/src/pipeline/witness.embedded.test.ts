import { cp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { databaseFolder, signedRequest, startNode, unlimited } from '@tenant-open-platform/testing';
import { expect, test, vi } from 'vitest';
import { completed, newCommand } from '../../test/support/commands.js';
import { untilServed } from '../../test/support/until-served.js';

const EVENTS = '/api/v1/open/events';
const soon = { timeout: 60_000, interval: 50 };

/** What a user does who copies the folder of the database, and forgets the file beside it. */
test('an older copy of the embedded database begins a generation, and its readers go on; a restart begins none', async () => {
  const DATA_DIR = databaseFolder();
  const [files, copy] = [join(DATA_DIR, 'postgres'), join(DATA_DIR, 'copy')];
  const reached = async (): Promise<number> =>
    JSON.parse(await readFile(join(DATA_DIR, 'witness.json'), 'utf8')).number;
  const start = () => startNode({ ...unlimited, DATA_DIR });
  const first = await start();
  await completed(first.demo, await newCommand(first.demo));
  await vi.waitFor(async () => expect(await reached()).toBeGreaterThan(0), soon);
  await first.stop();
  await cp(files, copy, { recursive: true });
  const before = await reached();

  const second = await start();
  const reader = { ...first.demo, base_url: second.baseUrl };
  for (let count = 0; count < 3; count++) await completed(reader, await newCommand(reader));
  const { body: end } = await signedRequest(reader, 'GET', `${EVENTS}?from=now`);
  expect(end.restored_at).toBeNull();
  await vi.waitFor(async () => expect(await reached()).toBeGreaterThan(before), soon);
  await second.stop();

  await rm(files, { recursive: true });
  await cp(copy, files, { recursive: true });
  const third = await start();
  const again = { ...first.demo, base_url: third.baseUrl };
  const id = await newCommand(again);
  await completed(again, id);
  const { status, body } = await untilServed(() =>
    signedRequest(again, 'GET', `${EVENTS}?cursor=${end.next_cursor}&limit=50`),
  );
  expect([status, body.restored_at]).toEqual([200, expect.any(String)]);
  const read = body.items.filter(({ data }: { data: { command_id: string } }) => data.command_id === id);
  expect(read).toHaveLength(2);
});
