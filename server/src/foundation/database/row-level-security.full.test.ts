import { newKeyring, temporaryFolder } from '@tenant-open-platform/testing';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { ServerExited, startServer } from '@tenant-open-platform/testing/start-server';
import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { openPool, openSession } from '../../../test/support/open-pool.js';
import { asTenant } from './row-level-security.js';

const keyring = newKeyring();

async function startUp(url = database.url): Promise<string> {
  try {
    const server = await startServer({ DATA_DIR: folder, DATABASE_URL: url, KEYRING: keyring });
    return `exit ${await server.stop()}`;
  } catch (error) {
    if (!(error instanceof ServerExited)) throw error;
    // While the machine stalls, the server may first print that it waits for Postgres.
    return `exit ${error.exitCode}: ${error.stderr.replaceAll(/^Waiting up to .*\n/gm, '').trimEnd()}`;
  }
}

const folder = temporaryFolder();
const database = await ownPostgres();
expect(await startUp()).toBe('exit 0');
const superuser = openSession(database.superuserUrl);

test.each([
  ['BYPASSRLS', 'top_system', 'alter role top_system bypassrls', 'alter role top_system nobypassrls'],
  ['superuser', 'top_ingest', 'alter role top_ingest superuser', 'alter role top_ingest nosuperuser'],
  ['owner of the tables', 'top_app', 'alter table commands owner to top_app', 'alter table commands owner to platform'],
])('refuses to start, in one line, if row-level security would not apply: %s', async (_, role, weaken, restore) => {
  await superuser.unsafe(weaken);
  expect(await startUp()).toMatch(new RegExp(`^exit 1: .*${role}.*row-level security would not apply.*$`));
  await superuser.unsafe(restore);
  expect(await startUp()).toBe('exit 0');
});

const ADMISSION = 'admission.admit_requests_v1';

test.each([
  ['belongs to somebody else', `alter function ${ADMISSION} owner to platform`],
  ['may not be executed', `revoke execute on function ${ADMISSION} from platform`],
  ['is in a schema that may not be used', 'revoke usage on schema admission from platform'],
])('refuses to start, in one line with the fix, if the function that admits %s', async (_, change) => {
  await superuser.unsafe(change);
  const refusal = await startUp();
  expect(refusal).toMatch(/^exit 1: The function .* must belong to top_ingest.* Run as superuser: .*;$/);
  await superuser.unsafe(refusal.replace(/.* Run as superuser: /, ''));
  expect(await startUp()).toBe('exit 0');
});

/** Since Postgres 16 inheritance is an option of each grant; before, it is an attribute of the login. */
async function inheritance() {
  const [server] = await superuser`select current_setting('server_version_num')::int >= 160000 as per_grant`;
  const grant = 'GRANT top_app, top_system, top_ingest TO platform WITH INHERIT';
  return server?.per_grant
    ? { start: `${grant} TRUE`, stop: `${grant} FALSE`, starter: database.url }
    : { start: 'ALTER ROLE platform INHERIT', stop: 'ALTER ROLE platform NOINHERIT', starter: database.superuserUrl };
}

const inherits = () => superuser`select pg_has_role('platform', 'top_system', 'usage') as inherits`;

test('stops its login from inheriting the roles of the platform', async () => {
  const { start, starter } = await inheritance();
  // A grant belongs to the role that made it: the login can change only its own.
  const own = postgres(starter, { max: 1 });
  await own.unsafe(start);
  await own.end();
  expect(await inherits()).toEqual([{ inherits: true }]);
  expect(await startUp()).toBe('exit 0');
  expect(await inherits()).toEqual([{ inherits: false }]);
});

test('migrates a database whose owner does not inherit the right to create objects in it', async () => {
  await superuser`alter role platform noinherit`;
  await superuser`create database another owner platform`;
  const another = database.url.replace(/platform$/, 'another');
  expect(await startUp(another)).toBe('exit 0');
});

test('refuses to start, in one line with the fix, if a statement without a role would see rows of tenants', async () => {
  await superuser`grant pg_monitor to platform`;
  const { start, stop: fix } = await inheritance();
  await superuser.unsafe(start);
  const refusal = await startUp();
  expect(refusal).toMatch(/^exit 1: A statement without SET ROLE sees rows of every tenant.*commands, .*$/);
  expect(refusal).toContain(`${fix};`);
  await superuser.unsafe(fix);
  expect(await startUp()).toBe('exit 0');
  await superuser`revoke pg_monitor from platform`;
});

test('refuses to start if the owner of a table is exempt from its row-level security', async () => {
  await superuser`alter table credentials no force row level security`;
  expect(await startUp()).toMatch(
    /^exit 1: A statement without SET ROLE sees rows of every tenant.*\(credentials\).*$/,
  );
  await superuser`alter table credentials force row level security`;
  expect(await startUp()).toBe('exit 0');
});

test('refuses a superuser before it creates a table', async () => {
  await superuser`create database untouched`;
  const url = database.superuserUrl.replace(/platform$/, 'untouched');
  expect(await startUp(url)).toMatch(
    /^exit 1: The database user postgres is a superuser.*CREATE ROLE platform LOGIN CREATEROLE .*$/,
  );
  const untouched = postgres(url, { max: 1 });
  expect(await untouched`select from pg_tables where schemaname = 'public'`).toHaveLength(0);
  await untouched.end();
});

test('a statement without a role sees no row of any tenant', async () => {
  const login = postgres(database.url, { max: 1 });
  const tables = await login<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relrowsecurity order by 1`;
  expect(tables.length).toBeGreaterThan(10);
  for (const { name } of tables) expect([name, await login`select from ${login(name)}`]).toEqual([name, []]);
  const [all] = await superuser`select count(*)::int as credentials from credentials`;
  expect(all?.credentials).toBeGreaterThan(0);
  await login.end();
});

test.each([
  ['MOVING', 'TENANT_MOVING'],
  ['MOVED', 'TENANT_MOVING'],
  ['ACTIVE', null],
  ['DISABLED', null],
])('a handler may not write rows of a tenant that moves or has moved away: %s', async (status, refusal) => {
  await superuser`update tenants set status = ${status} where tenant_id = 'demo'`;
  const written = asTenant(openPool(database.url), 'demo', (tx) => tx.execute(`update credentials set name = 'x'`));
  const code = await written.then(
    () => null,
    (error: { code: string }) => error.code,
  );
  await superuser`update tenants set status = 'ACTIVE' where tenant_id = 'demo'`;
  expect(code).toBe(refusal);
});

test('the function that admits has the rights of top_ingest, and nobody but the login may execute it', async () => {
  const functions = await superuser`
    select pronamespace::regnamespace || '.' || proname as name, proowner::regrole::text as owner, prosecdef as is_definer,
      array_to_string(proconfig, ';') as settings, array_to_string(proacl, ' ') as rights
    from pg_proc
    where prosecdef or pronamespace = 'admission'::regnamespace`;
  expect(functions).toEqual([
    {
      name: ADMISSION,
      owner: 'top_ingest',
      is_definer: true,
      settings: 'plan_cache_mode=force_generic_plan;search_path=pg_catalog, pg_temp',
      rights: 'top_ingest=X/top_ingest platform=X/top_ingest',
    },
  ]);
  const login = postgres(database.url, { max: 1 });
  const call = (caller: postgres.Sql | postgres.TransactionSql) => caller.unsafe(`select * from ${ADMISSION}('[]')`);
  for (const role of ['top_app', 'top_system']) {
    const asRole = login.begin(async (tx) => {
      await tx`select set_config('role', ${role}, true), set_config('app.tenant_id', 'demo', true)`;
      await call(tx);
    });
    await expect(asRole).rejects.toMatchObject({ code: '42501' });
  }
  expect(await call(login)).toEqual([]);
  expect(await login`select current_user as name`).toEqual([{ name: 'platform' }]);
  const change = login.unsafe(`alter function ${ADMISSION} security invoker`);
  await expect(change).rejects.toMatchObject({ code: '42501' });
  await login.end();
});

test('the rule of access has the rights of its caller: of admission, or of a handler in its tenant', async () => {
  const [rule] = await superuser`
    select prosecdef, has_function_privilege('public', oid, 'execute') as everybody,
      has_function_privilege('top_system', oid, 'execute') as background
    from pg_proc where proname = 'grants_v1'`;
  expect(rule).toEqual({ prosecdef: false, everybody: false, background: false });
  const login = postgres(database.url, { max: 1 });
  const holders = (tenant: string) =>
    login.begin(async (tx) => {
      await tx`select set_config('role', 'top_app', true), set_config('app.tenant_id', ${tenant}, true)`;
      return tx`select client_id from grants_v1('demo', '', '', 'integration_operator')`;
    });
  expect(await holders('demo')).toEqual([{ client_id: 'demo' }]);
  expect(await holders('platform')).toEqual([]);
  expect(await login`select client_id from grants_v1('demo', '', '', 'integration_operator')`).toEqual([]);
  await login.end();
});

test('the search for used keys has the rights of its caller, which is admission alone', async () => {
  const [search] = await superuser`
    select prosecdef, has_function_privilege('public', oid, 'execute') as everybody,
      has_function_privilege('top_app', oid, 'execute') as handlers,
      has_function_privilege('top_system', oid, 'execute') as background,
      has_function_privilege('top_ingest', oid, 'execute') as admission
    from pg_proc where proname = 'used_keys_v1'`;
  expect(search).toEqual({ prosecdef: false, everybody: false, handlers: false, background: false, admission: true });
});

test('row-level security binds the function: without the policies of top_ingest it admits and stores nothing', async () => {
  const login = postgres(database.url, { max: 1 });
  const [request] = await superuser<{ row: string }[]>`
    select json_build_array(json_build_object(
      'position', 0, 'tenant_id', tenant_id, 'client_id', client_id, 'number', number, 'secret_version', 1,
      'signed_at', extract(epoch from now())::bigint, 'nonce_hash', md5(random()::text), 'object', 'o', 'action', 'a',
      'granting_roles', 'integration_operator', 'idempotency_key', 'k', 'vendor', 'vendor_a', 'device_id', 'd',
      'command_type', 'reboot', 'revision', 1, 'payload', '{}'::json, 'timeout_seconds', 30,
      'request_id', 'r', 'command_id_tail', '70008000000000000000'
    ))::text as row
    from credentials where tenant_id = 'demo'`;
  const row = request?.row as string;
  const withoutCommand = row.replace('idempotency_key', 'no_key');
  const live = async () =>
    (await login`select is_live from admission.admit_requests_v1(${withoutCommand})`)[0]?.is_live;
  expect(await live()).toBe(true);
  await superuser`alter policy top_ingest_select on credentials using (false)`;
  expect(await live()).toBe(false);
  await superuser`alter policy top_ingest_select on credentials using (true)`;
  await superuser`alter policy top_ingest_insert on commands with check (false)`;
  await expect(login`select * from admission.admit_requests_v1(${row}, true)`).rejects.toMatchObject({ code: '42501' });
  await superuser`alter policy top_ingest_insert on commands with check (true)`;
  expect(await login`select outcome from admission.admit_requests_v1(${row}, true)`).toEqual([{ outcome: 'ACCEPTED' }]);
  await login.end();
});

test('a statement of a tenant is prepared, and planned at each use', async () => {
  const pool = openPool(database.url, { max: 1 });
  // By itself, Postgres keeps a plan from the sixth use on.
  for (let use = 0; use < 8; use++) {
    await asTenant(pool, 'demo', (tx) =>
      tx.execute(sql`select client_id from credentials where tenant_id = ${'demo'}`),
    );
  }
  const plans = await pool.sql`
    select generic_plans::int, custom_plans::int from pg_prepared_statements where statement like 'select client_id%'`;
  expect(plans).toEqual([{ generic_plans: 0, custom_plans: 8 }]);
});
