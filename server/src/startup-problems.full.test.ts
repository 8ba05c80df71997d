import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { newKeyring, temporaryFolder } from '@tenant-open-platform/testing';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { ServerExited, startServer } from '@tenant-open-platform/testing/start-server';
import postgres from 'postgres';
import { beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { openSession } from '../test/support/open-pool.js';
import { startLink } from '../test/support/start-link.js';

const keyring = newKeyring();

const start = (url: string) => startServer({ DATA_DIR: folder, DATABASE_URL: url, KEYRING: keyring });

/** What a failed start prints to standard error, without the line about waiting. */
async function refusal(change: Partial<URL> = {}): Promise<string> {
  const url = Object.assign(new URL(database.url), change).href;
  const outcome = await start(url).then(
    async (server) => `started, exit ${await server.stop()}`,
    (error: unknown) => error,
  );
  if (!(outcome instanceof ServerExited)) throw new Error(`The server started: ${outcome}`);
  expect(outcome.exitCode).toBe(1);
  expect(outcome.stderr).not.toContain(new URL(database.url).password);
  const lines = outcome.stderr.trimEnd().split('\n');
  if (lines[0]?.startsWith('Waiting up to 15 seconds for Postgres. ')) lines.shift();
  expect(lines).toHaveLength(1);
  return lines.join();
}

const folder = temporaryFolder();
const database = await ownPostgres();
const superuser = openSession(database.superuserUrl);
const { password } = new URL(database.url);
for (const statement of [
  `create role weak login password '${password}'`,
  'create database weak owner weak',
  'create database foreign_owner',
  'create database encrypted owner platform',
  `create database latin owner platform encoding 'LATIN1' template template0`,
  `copy (values ('hostssl encrypted all 127.0.0.1/32 scram-sha-256'),
    ('host platform,weak,foreign_owner,latin,missing all 127.0.0.1/32 scram-sha-256')) to '${await hbaFile()}'`,
  'select pg_reload_conf()',
]) {
  await superuser.unsafe(statement);
}

/** Asks for a password as Postgres does (SCRAM), without knowing it. Returns its port. */
async function startImpostor({ onTestFinished }: TestContext): Promise<string> {
  const authentication = (type: number, text: string) => {
    const message = Buffer.alloc(9 + Buffer.byteLength(text));
    message.write('R');
    message.writeInt32BE(message.length - 1, 1);
    message.writeInt32BE(type, 5);
    message.write(text, 9);
    return message;
  };
  const server = createServer((socket) => {
    const answers = [
      authentication(10, 'SCRAM-SHA-256\0\0'),
      authentication(11, 'r=nonce,s=c2FsdA==,i=4096'),
      authentication(12, 'v=wrong'),
    ];
    socket.on('error', () => {}).on('data', () => socket.write(answers.shift() ?? ''));
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return String((server.address() as AddressInfo).port);
}

async function hbaFile(): Promise<string> {
  const [row] = await superuser<{ hba_file: string }[]>`show hba_file`;
  return row?.hba_file as string;
}

describe.concurrent('a start that cannot connect waits for 15 seconds, and says in one line how to solve it:', () => {
  test('nobody listens', async () => {
    expect(await refusal({ port: '1' })).toMatch(
      /^Postgres at 127\.0\.0\.1:\d+ refuses connections\. Start it, or correct host and port in DATABASE_URL\.$/,
    );
  });

  test('unknown host', async () => {
    expect(await refusal({ hostname: 'nowhere.invalid' })).toMatch(
      /^Postgres at nowhere\.invalid:\d+ was not found: .* Correct the host in DATABASE_URL\.$/,
    );
  });

  test('TLS is requested but not offered', async () => {
    expect(await refusal({ search: '?sslmode=require' })).toMatch(/sslmode in DATABASE_URL/);
  });
});

/** Beside the tests above: these do not wait. */
describe.concurrent('a start', () => {
  describe.concurrent('that cannot use its database says in one line how to solve it:', () => {
    test('no such database', async () => {
      expect(await refusal({ pathname: '/missing' })).toMatch(/has no database "missing"\. Create it: create database/);
    });

    test('wrong password', async () => {
      expect(await refusal({ username: 'weak', password: 'wrong' })).toMatch(/refuses the user "weak" or its password/);
    });

    test('no such user', async () => {
      expect(await refusal({ username: 'nobody' })).toMatch(/refuses the user "nobody" or its password/);
    });

    test('may not create roles', async () => {
      expect(await refusal({ username: 'weak', pathname: '/weak' })).toMatch(
        /permission denied to create role\. Run as superuser: alter role "weak" createrole\.$/,
      );
    });

    test('does not own the database', async () => {
      expect(await refusal({ pathname: '/foreign_owner' })).toMatch(
        /Run as superuser: alter database "foreign_owner" owner to "platform"\.$/,
      );
    });

    test('TLS is required', async () => {
      expect(await refusal({ pathname: '/encrypted' })).toMatch(
        /requires TLS: .* Add \?sslmode=verify-full to DATABASE_URL\.$/,
      );
    });

    test('an encoding that lacks characters', async () => {
      expect(await refusal({ pathname: '/latin' })).toMatch(/^The database "latin" has the encoding LATIN1\. .*UTF8/);
      const latin = postgres(Object.assign(new URL(database.url), { pathname: '/latin' }).href, { max: 1 });
      expect(await latin`select from pg_tables where schemaname in ('public', 'drizzle')`).toEqual([]);
      await latin.end();
    });

    test('a server that does not know the password itself', async (context) => {
      const port = await startImpostor(context);
      expect(await refusal({ port })).toMatch(
        /^Postgres at 127\.0\.0\.1:\d+ cannot be used: SASL_SIGNATURE_MISMATCH: The server did not return the correct signature\.$/,
      );
    });

    test('a parameter that the pooler drops', async () => {
      expect(await refusal({ search: '?datestyle=SQL,DMY' })).toMatch(
        /^A connection to Postgres has datestyle = SQL, DMY/,
      );
    });
  });

  describe.sequential('roles of the platform', () => {
    beforeAll(async () => {
      await (await start(database.url)).stop();
    });

    test('missing', async () => {
      await superuser`alter role top_app rename to elsewhere`;
      expect(await refusal()).toMatch(/lacks a role/);
      await superuser`alter role elsewhere rename to top_app`;
      expect(await (await start(database.url)).stop()).toBe(0);
    });

    test('not granted: the printed statement repairs it', async () => {
      await superuser.unsafe('alter role platform noinherit; revoke top_app from platform cascade');
      const fixes = /run as superuser: (.+)\. Since Postgres 16: (.+)\.$/.exec(await refusal());
      expect(fixes).not.toBeNull();
      const [server] = await superuser`select current_setting('server_version_num')::int >= 160000 as grants_inherit`;
      await superuser.unsafe(fixes?.[server?.grants_inherit ? 2 : 1] as string);
      expect(await (await start(database.url)).stop()).toBe(0);
    });

    test('waits for a Postgres that does not answer yet, and logs the reason once', async ({
      expect,
      onTestFinished,
    }) => {
      const link = await startLink(database.url);
      onTestFinished(() => link.stop());
      link.blackHole();
      const starting = start(link.through(database.url));
      await expect.poll(link.connections).toBeGreaterThan(0);
      link.heal();
      const server = await starting;
      expect(await server.stop()).toBe(0);
      expect(server.stderr().match(/^Waiting up to 15 seconds for Postgres\. .* does not answer/gm)).toHaveLength(1);
    });
  });
});
