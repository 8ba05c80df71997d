import { openSession } from './open-pool.js';

/**
 * Replaces the clock of a private Postgres. Call it before the connections open that are to read the moved clock: a
 * connection keeps the function that its prepared statements began with.
 */
export async function movableClock(superuserUrl: string): Promise<{
  setAhead: (seconds: number) => Promise<void>;
  /** From now on it stands still. */
  stop: () => Promise<void>;
}> {
  const superuser = openSession(superuserUrl, { fetch_types: false });
  await superuser.unsafe(`
    set allow_system_table_mods = on;
    alter function pg_catalog.now() rename to true_now;
    alter function pg_catalog.clock_timestamp() rename to true_clock;
    create schema moved;
    grant usage on schema moved to public;
    create table moved.clock as select interval '0' as ahead, null::timestamptz as stopped_at;
    grant select on moved.clock to public;
    create function pg_catalog.now() returns timestamptz stable language sql
      as 'select coalesce(stopped_at, true_now()) + ahead from moved.clock';
    create function pg_catalog.clock_timestamp() returns timestamptz volatile language sql
      as 'select coalesce(stopped_at, true_clock()) + ahead from moved.clock';`);
  return {
    async setAhead(seconds) {
      await superuser`update moved.clock set ahead = make_interval(secs => ${seconds})`;
    },
    async stop() {
      await superuser`update moved.clock set stopped_at = true_now()`;
    },
  };
}
