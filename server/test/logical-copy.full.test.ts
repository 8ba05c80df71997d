import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, newKeyring, type Profile, signedRequest, temporaryFolder } from '@tenant-open-platform/testing';
import { postgresBinaries, startPrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import { startServer } from '@tenant-open-platform/testing/start-server';
import { expect, onTestFinished, test } from 'vitest';
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
  const folder = temporaryFolder();
  const [original, copy] = await Promise.all([startPrivatePostgres(), startPrivatePostgres()]);
  onTestFinished(async () => {
    await Promise.all([original.stop(), copy.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });
  const environment = {
    DATA_DIR: folder,
    KEYRING: newKeyring(),
    REQUESTS_PER_MINUTE: '1000000',
  };
  const before = await startServer({ ...environment, DATABASE_URL: original.url });
  const demo: Profile = JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8'));
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

  const after = await startServer({ ...environment, DATABASE_URL: copy.url });
  onTestFinished(async () => void (await after.stop()));
  const reader = { ...demo, base_url: after.baseUrl };
  const later = await newCommand(reader);
  await completed(reader, later);
  const rest = await signedRequest(reader, 'GET', `${EVENTS}?cursor=${first.body.next_cursor}`);
  expect([...summaries(first), ...summaries(rest)].sort()).toEqual(
    [...log, `command.accepted ${later}`, `command.completed ${later}`].sort(),
  );
  expect(summaries(rest).slice(-2)).toEqual([`command.accepted ${later}`, `command.completed ${later}`]);
});
