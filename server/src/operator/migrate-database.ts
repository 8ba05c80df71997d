import type postgres from 'postgres';
import { platformVersion } from '../config.js';
import { onMigratingConnection } from '../foundation/database/database.js';
import { checkLogin } from '../foundation/database/login-role.js';
import { migrate, missingMigrations } from '../foundation/database/migrate.js';
import { waitForPostgres } from '../foundation/database/startup-problem.js';
import { StartupError } from '../foundation/startup-error.js';
import { readArguments } from './arguments.js';

const wrong = () => new StartupError('Usage: tenant-open-platform migrate [--plan | --grant-to <role>]');

function readCommand(args: string[]) {
  const options = { plan: { type: 'boolean' }, 'grant-to': { type: 'string' } } as const;
  const { plan, 'grant-to': grantTo } = readArguments({ args, options }, wrong).values;
  if (plan && grantTo !== undefined) throw wrong();
  return { isPlan: plan, grantTo };
}

/** Statements after which a node of an earlier version may fail. All others add something that it does not know. */
const BREAKING =
  /\b(drop (table|column|function|schema)|rename (to|column)|alter column \S+ (type|set data type|set not null))\b/i;

const breaksOldNodes = (statement: string) => BREAKING.test(statement);

/** `migrate`: applies the migrations that the next start would apply. `--plan` prints them and changes nothing. */
export async function migrateDatabase(url: string | undefined, args: string[]): Promise<void> {
  const { isPlan, grantTo } = readCommand(args);
  if (url === undefined)
    throw new StartupError('migrate needs DATABASE_URL: the embedded database migrates at its start.');
  await waitForPostgres(url, () =>
    onMigratingConnection(url, async (sql) => {
      await checkLogin(sql);
      const missing = await missingMigrations(sql);
      if (isPlan) return printPlan(missing);
      const serving = grantTo === undefined ? undefined : await readRole(sql, grantTo);
      if (missing.length > 0) await migrate(sql);
      if (serving) await grantServing(sql, serving);
      console.error(missing.length > 0 ? `Applied ${namesOf(missing)}.` : 'The database has all migrations.');
    }),
  );
}

type Missing = Awaited<ReturnType<typeof missingMigrations>>;

const namesOf = (missing: Missing) => missing.map(({ name }) => name).join(', ');

/** The statements on stdout, what they mean on stderr. */
function printPlan(missing: Missing): void {
  if (missing.length === 0) return console.error(`The database has all migrations of version ${platformVersion}.`);
  for (const { name, sql } of missing) console.log([`-- ${name}`, ...sql.map((one) => `${one.trim()}\n`)].join('\n'));
  const breaking = missing.filter(({ sql }) => sql.some(breaksOldNodes));
  console.error(
    `Version ${platformVersion} applies ${namesOf(missing)}. ${
      breaking.length > 0
        ? `Stop all older nodes first: they may fail after ${namesOf(breaking)}.`
        : 'Older nodes keep working meanwhile and afterwards.'
    }`,
  );
}

type Role = { name: string; database: string; option: string };

async function readRole(sql: postgres.Sql, role: string): Promise<Role> {
  const [found] = await sql<Role[]>`
    select quote_ident(rolname) as name, quote_ident(current_database()) as database,
      case when current_setting('server_version_num')::int >= 160000 then ' with inherit false' else '' end as option
    from pg_roles where rolname = ${role}`;
  if (found) return found;
  throw new StartupError(
    `The role ${role} does not exist. Create it first: CREATE ROLE ${role} LOGIN NOINHERIT PASSWORD '…';`,
  );
}

/** What a login that owns nothing needs to serve. Repeat it after each migration, which may have added functions. */
async function grantServing(sql: postgres.Sql, { name, database, option }: Role): Promise<void> {
  await sql.begin(async (tx) => {
    for (const statement of [
      `grant connect on database ${database} to ${name}`,
      `grant top_app, top_system, top_ingest to ${name}${option}`,
      // It owns the functions, whose rights they have.
      'set local role top_ingest',
      `grant usage on schema admission to ${name}`,
      `grant execute on all functions in schema admission to ${name}`,
      'reset role',
      `grant usage on schema drizzle to ${name}`,
      `grant select on drizzle.__drizzle_migrations to ${name}`,
      `grant insert on write_probe to ${name}`,
      `grant select, insert, delete on keyring_canaries to ${name}`,
    ]) {
      await tx.unsafe(statement);
    }
  });
}
