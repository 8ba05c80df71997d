import { newKeyring, startNode, temporaryFolder } from '@tenant-open-platform/testing';
import { ownNats } from '@tenant-open-platform/testing/private-nats';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import connect from 'postgres';
import { expect, onTestFinished, test, vi } from 'vitest';
import { completed, newCommand } from './support/commands.js';
import { runMain } from './support/private-platform.js';

vi.setConfig({ testTimeout: 180_000 });

test('migrate --plan prints what migrate then does; a login that owns nothing serves', async () => {
  const [postgres, nats] = await Promise.all([ownPostgres(), ownNats()]);
  const superuser = connect(postgres.superuserUrl, { max: 1, onnotice: () => {} });
  onTestFinished(() => superuser.end());
  const environment = { DATABASE_URL: postgres.url };
  const plan = await runMain(['migrate', '--plan'], environment);
  expect(plan).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^-- 0000_schema\n[\s\S]*CREATE TABLE/),
    stderr: expect.stringMatching(/ applies 0000_schema\. Older nodes keep working/),
  });
  const owner = connect(postgres.url, { max: 1 });
  onTestFinished(() => owner.end());
  const commands = async () => (await owner`select to_regclass('commands')::text as name`)[0]?.name;
  expect(await commands()).toBeNull();
  expect(await runMain(['migrate', '--grant-to', 'serving'], environment)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('CREATE ROLE serving LOGIN NOINHERIT'),
  });
  expect(await commands()).toBeNull();
  await superuser`create role serving login noinherit password 'serving'`;
  const granted = await runMain(['migrate', '--grant-to', 'serving'], environment);
  expect(granted).toMatchObject({ exitCode: 0, stdout: '' });
  expect(await runMain(['migrate', '--plan'], environment)).toMatchObject({ exitCode: 0, stdout: '' });

  const url = new URL(postgres.url);
  url.username = 'serving';
  url.password = 'serving';
  const node = await startNode({
    DATA_DIR: temporaryFolder(),
    DATABASE_URL: String(url),
    KEYRING: newKeyring(),
    NATS_URL: nats.url,
    SIMULATED_FLEET: 'true',
  });
  const done = await completed(node.demo, await newCommand(node.demo, { device_id: 'ok-1' }));
  expect(done.status).toBe('SUCCEEDED');
  await vi.waitFor(async () => expect((await fetch(`${node.baseUrl}/readyz`)).status).toBe(200), { timeout: 60_000 });
  const ddl = connect(String(url), { max: 1 });
  onTestFinished(() => ddl.end());
  await owner`delete from drizzle.__drizzle_migrations where id = (select max(id) from drizzle.__drizzle_migrations)`;
  expect(
    await runMain(['keys', 'status'], { ...environment, DATABASE_URL: String(url), KEYRING: newKeyring() }),
  ).toEqual({
    exitCode: 1,
    stdout: '',
    stderr:
      'Migrations are missing, and the database user serving does not own the tables. Run tenant-open-platform migrate --grant-to serving with the DATABASE_URL of platform, then start again.\n',
  });
  await expect(ddl`alter table commands add column mine text`).rejects.toThrow('must be owner of table commands');
});

test.each([[['--plan', 'x']], [['--grant-to']], [['--grant-to', 'a', 'b']], [['now']]])(
  'migrate %j prints its usage',
  async (flags) => {
    expect(await runMain(['migrate', ...flags], {})).toMatchObject({
      exitCode: 1,
      stderr: 'Usage: tenant-open-platform migrate [--plan | --grant-to <role>]\n',
    });
  },
);
