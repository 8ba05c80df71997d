import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type Answer, signedRequest, startNode, temporaryFolder, unlimited } from '@tenant-open-platform/testing';
import { ownPostgres, postgresBinaries } from '@tenant-open-platform/testing/private-postgres';
import { expect, test } from 'vitest';
import { completed, newCommand } from './support/commands.js';
import { openSession } from './support/open-pool.js';

const EVENTS = '/api/v1/open/events';

const run = (program: string, args: string[], input?: string): string =>
  execFileSync(join(postgresBinaries(), program), args, {
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
    maxBuffer: 100_000_000,
    ...(input !== undefined && { input }),
  });

test('a pg_dump restored into a new cluster starts, and event readers continue from their cursors', async () => {
  const [original, copy] = await Promise.all([ownPostgres(), ownPostgres()]);
  const environment = { ...unlimited, DATA_DIR: temporaryFolder() };
  const before = await startNode({ ...environment, DATABASE_URL: original.url });
  const { demo } = before;
  const summaries = ({ body }: Answer) =>
    body.items.map(({ event_type, data }: Answer['body']) => `${event_type} ${data.command_id}`);
  const ids = [await newCommand(demo), await newCommand(demo)];
  for (const id of ids) await completed(demo, id);
  const log = ids.flatMap((id) => [`command.accepted ${id}`, `command.completed ${id}`]);
  const first = await signedRequest(demo, 'GET', `${EVENTS}?limit=3`);
  expect(summaries(first)).toHaveLength(3);
  // Transaction ids of a new cluster start again from the beginning.
  const superuser = openSession(original.superuserUrl);
  for (let count = 0; count < 100; count++) await superuser`select pg_current_xact_id()`;
  await superuser.end();
  await before.stop();

  const roles = run('pg_dumpall', ['--roles-only', '--no-role-passwords', `--dbname=${original.superuserUrl}`]);
  run('psql', [copy.superuserUrl], roles);
  // As a superuser, because row-level security applies to the owner of the tables.
  const dump = run('pg_dump', [original.superuserUrl]);
  run('psql', ['--set=ON_ERROR_STOP=1', copy.superuserUrl], dump);

  const after = await startNode({ ...environment, DATABASE_URL: copy.url });
  const reader = { ...demo, base_url: after.baseUrl };
  const later = await newCommand(reader);
  await completed(reader, later);
  const rest = await signedRequest(reader, 'GET', `${EVENTS}?cursor=${first.body.next_cursor}`);
  expect([...summaries(first), ...summaries(rest)].sort()).toEqual(
    [...log, `command.accepted ${later}`, `command.completed ${later}`].sort(),
  );
  expect(summaries(rest).slice(-2)).toEqual([`command.accepted ${later}`, `command.completed ${later}`]);
});
