import type postgres from 'postgres';
import { StartupError } from '../startup-error.js';

/** Row-level security never binds these. Asked before the migrations, whose tables the login would own. */
export async function refusePrivilegedLogin(sql: postgres.Sql): Promise<void> {
  const [login] = await sql<{ name: string }[]>`
    select rolname as name from pg_roles where rolname = current_user and (rolsuper or rolbypassrls)`;
  if (!login) return;
  throw new StartupError(
    `The database user ${login.name} is superuser or BYPASSRLS: row-level security would not hold. Connect as an ordinary user that owns the database: CREATE ROLE platform LOGIN CREATEROLE PASSWORD '…'; CREATE DATABASE platform OWNER platform;`,
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

/** Whether a statement that takes no role acts with the rights of the platform's roles. */
export const inheritsRoles = async (sql: postgres.Sql) => (await readLogin(sql)).inherits;

/** Before Postgres 16 inheriting is an attribute of the login, since then it is an option of each grant. */
const stopInheritingStatement = ({ name, inherits_per_grant }: Login) =>
  inherits_per_grant
    ? `GRANT top_app, top_system, top_ingest TO ${name} WITH INHERIT FALSE`
    : `ALTER ROLE ${name} NOINHERIT`;

/**
 * A login that inherits the platform's roles sees the rows of all tenants in a statement that takes no role. The
 * platform stops it where it may and nothing else changes: NOINHERIT would also withhold the login's other roles.
 */
export async function stopInheriting(sql: postgres.Sql): Promise<void> {
  const login = await readLogin(sql);
  if (!login.inherits || (login.has_other_roles && !login.inherits_per_grant)) return;
  // Where it may not, refuseLoginThatSeesTenants says what an administrator has to run.
  await sql.unsafe(stopInheritingStatement(login)).catch(() => {});
  await keepSchemaPublic(sql);
}

/**
 * Before Postgres 16 the owner of a database has the right to create in schema public by inheriting it from
 * pg_database_owner. A login that is NOINHERIT takes that role and grants itself the right.
 */
export async function keepSchemaPublic(sql: postgres.Sql): Promise<void> {
  const [login] = await sql<{ name: string; may_create: boolean }[]>`
    select quote_ident(current_user) as name, has_schema_privilege('public', 'create') as may_create`;
  if (!login || login.may_create) return;
  const grant = `begin; set local role pg_database_owner; grant usage, create on schema public to ${login.name}; commit`;
  // Where it may not, the migrations fail and say so.
  await sql.unsafe(grant).catch(() => sql.unsafe('rollback'));
}

/** A statement that takes no role must see no row of a tenant, in any table. */
export async function refuseLoginThatSeesTenants(sql: postgres.Sql): Promise<void> {
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
    `A statement that takes no role sees rows of every tenant, because the database user ${login.name} inherits the platform's roles or bypasses row-level security (${tables.map(({ name }) => name).join(', ')}). ${fix}`,
  );
}

/** Row-level security does not bind superusers, owners that are not FORCEd, and BYPASSRLS: none of them may serve. */
export async function refuseRolesThatBypassRowSecurity(sql: postgres.Sql): Promise<void> {
  for (const role of ['top_app', 'top_system', 'top_ingest']) {
    const [is] = await sql.begin(async (tx) => {
      await tx`select set_config('role', ${role}, true)`;
      return tx<{ name: string; exempt: boolean }[]>`
        select current_user as name, rolsuper or rolbypassrls or exists (
          select from pg_class where relname = 'commands' and relowner = pg_roles.oid
        ) as exempt
        from pg_roles where rolname = current_user`;
    });
    if (is?.name !== role || is.exempt) {
      throw new StartupError(
        `The database role ${role} is superuser, owner of the tables or BYPASSRLS: row-level security would not hold. Make it an ordinary role.`,
      );
    }
  }
}
