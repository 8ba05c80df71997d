import type postgres from 'postgres';
import { StartupError } from '../startup-error.js';

/** Superusers and BYPASSRLS pass row-level security. Checked before the migrations: the login will own the tables. */
export async function checkLogin(sql: postgres.Sql): Promise<void> {
  const [login] = await sql<{ name: string }[]>`
    select rolname as name from pg_roles where rolname = current_user and (rolsuper or rolbypassrls)`;
  if (!login) return;
  throw new StartupError(
    `The database user ${login.name} is a superuser or has BYPASSRLS: row-level security would not apply. Connect as an ordinary user that owns the database: CREATE ROLE platform LOGIN CREATEROLE PASSWORD '…'; CREATE DATABASE platform OWNER platform;`,
  );
}

/** Only the owner of the tables can run migrations. Before the first migration there are none. */
export async function checkLoginMayMigrate(sql: postgres.Sql): Promise<void> {
  const [other] = await sql<{ login: string; owner: string }[]>`
    select quote_ident(current_user) as login, quote_ident(pg_get_userbyid(relowner)) as owner
    from pg_class where oid = to_regclass('public.tenants') and not pg_has_role(relowner, 'member')`;
  if (!other) return;
  throw new StartupError(
    `Migrations are missing, and the database user ${other.login} does not own the tables. Run tenant-open-platform migrate --grant-to ${other.login} with the DATABASE_URL of ${other.owner}, then start again.`,
  );
}

type Login = { name: string; inherits: boolean; has_other_roles: boolean; inherits_per_grant: boolean };

async function readLogin(sql: postgres.Sql): Promise<Login> {
  const [login] = await sql<Login[]>`
    select quote_ident(rolname) as name,
      not rolsuper and exists (
        select from pg_roles as role
        where role.rolname in ('top_app', 'top_system', 'top_ingest') and pg_has_role(role.oid, 'usage')
      ) as inherits,
      exists (
        select from pg_auth_members
        where member = pg_roles.oid and roleid::regrole::text not in ('top_app', 'top_system', 'top_ingest')
      ) as has_other_roles,
      current_setting('server_version_num')::int >= 160000 as inherits_per_grant
    from pg_roles where rolname = current_user`;
  return login as Login;
}

/** Whether a statement without `set role` has the rights of the platform's roles. */
export const inheritsRoles = async (sql: postgres.Sql) => (await readLogin(sql)).inherits;

/** Before Postgres 16 inheritance is an attribute of the login; since 16 it is an option of each grant. */
const stopInheritingStatement = ({ name, inherits_per_grant }: Login) =>
  inherits_per_grant
    ? `GRANT top_app, top_system, top_ingest TO ${name} WITH INHERIT FALSE`
    : `ALTER ROLE ${name} NOINHERIT`;

/**
 * A login that inherits the platform's roles sees the rows of all tenants in a statement without `set role`. Stop the
 * inheritance if that changes nothing else: NOINHERIT would also take away the login's other roles.
 */
export async function stopInheriting(sql: postgres.Sql): Promise<void> {
  const login = await readLogin(sql);
  if (!login.inherits || (login.has_other_roles && !login.inherits_per_grant)) return;
  // If it lacks the right, checkLoginSeesNoTenant tells the administrator which statement to run.
  await sql.unsafe(stopInheritingStatement(login)).catch(() => {});
  await keepSchemaPublic(sql);
}

/**
 * Before Postgres 16 the owner of a database may create objects in schema public only because it inherits
 * pg_database_owner. A NOINHERIT login sets that role and grants itself the right.
 */
export async function keepSchemaPublic(sql: postgres.Sql): Promise<void> {
  const [login] = await sql<{ name: string; may_create: boolean }[]>`
    select quote_ident(current_user) as name, has_schema_privilege('public', 'create') as may_create`;
  if (!login || login.may_create) return;
  const grant = `begin; set local role pg_database_owner; grant usage, create on schema public to ${login.name}; commit`;
  // If it lacks the right, the migrations fail with the reason.
  await sql.unsafe(grant).catch(() => sql.unsafe('rollback'));
}

/** A statement without `set role` must not see a row of any tenant, in any table. */
export async function checkLoginSeesNoTenant(sql: postgres.Sql): Promise<void> {
  const tables = await sql<{ name: string }[]>`
    select relname as name
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'tenant_id' and not attisdropped)
      -- The platform's own: the list of tenants, and which tenant has taken a name.
      and relname not in ('tenants', 'taken_names')
      and (not row_security_active(pg_class.oid) or exists (
        select from pg_policy, unnest(polroles) as role
        where polrelid = pg_class.oid and (role = 0 or pg_has_role(role, 'usage'))
      ))
    order by relname`;
  if (tables.length === 0) return;
  const login = await readLogin(sql);
  const fix = login.inherits
    ? `Run as an administrator of the database: ${stopInheritingStatement(login)};`
    : 'Restore the row-level security that the migrations gave these tables.';
  throw new StartupError(
    `A statement without SET ROLE sees rows of every tenant, because the database user ${login.name} inherits the platform's roles or bypasses row-level security (${tables.map(({ name }) => name).join(', ')}). ${fix}`,
  );
}

/** Row-level security does not apply to superusers, to owners without FORCE, and to BYPASSRLS: refuse such roles. */
export async function checkRoles(sql: postgres.Sql): Promise<void> {
  for (const role of ['top_app', 'top_system', 'top_ingest']) {
    const [is] = await sql.begin(async (tx) => {
      await tx`select set_config('role', ${role}, true)`;
      return tx<{ name: string; exempt: boolean }[]>`
        select current_user as name, rolsuper or rolbypassrls or exists (
          select from pg_class where relrowsecurity and relowner = pg_roles.oid
        ) as exempt
        from pg_roles where rolname = current_user`;
    });
    if (is?.name !== role || is.exempt) {
      throw new StartupError(
        `The database role ${role} is a superuser, owns the tables or has BYPASSRLS: row-level security would not apply. Make it an ordinary role.`,
      );
    }
  }
}

/** A function has the rights of its owner. A dump that was restored without owners has another one. */
export async function checkFunctionOwners(sql: postgres.Sql): Promise<void> {
  const [wrong] = await sql<{ name: string; login: string }[]>`
    select oid::regprocedure as name, quote_ident(current_user) as login
    from pg_proc
    where pronamespace = 'admission'::regnamespace
      and (
        proowner <> 'top_ingest'::regrole or not has_function_privilege(oid, 'execute')
        or not has_schema_privilege(pronamespace, 'usage')
      )`;
  if (!wrong) return;
  const { name, login } = wrong;
  throw new StartupError(
    `The function ${name} must belong to top_ingest, and ${login} must have the right to execute it. Run as superuser: ALTER SCHEMA admission OWNER TO top_ingest; ALTER FUNCTION ${name} OWNER TO top_ingest; GRANT USAGE ON SCHEMA admission TO ${login}; GRANT EXECUTE ON FUNCTION ${name} TO ${login};`,
  );
}
