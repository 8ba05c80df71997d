-- A database can go back in time: a backup is restored, or a standby is promoted that lagged. Each such history is a
-- generation: see docs/internals/generations.md.
--
-- Each new connection calls it once, as top_system, before anything else. It begins a generation if Postgres shows that it
-- is another one: by the number of its cluster (another installation), of the database or of this table (a dump that was
-- restored), or by its timeline (a promoted standby, recovery to a point in time; the name of the current WAL file shows a
-- promotion at once, the control file only after a checkpoint). It begins one too if the caller says so in `declared`.
-- A restart, a crash or a minor upgrade changes none of these.
--
-- The commands that are open in the copy get the boundary `copied_until` from the copy itself, so no clock is compared.
-- The slots lose their owners: the numbers that these remember are of another history.
create function look_at_generation_v1(declared text default null)
returns table (generation bigint, began_at timestamptz)
language plpgsql
as $$
#variable_conflict use_column
declare
  known public.database_generations;
  shown_identity text;
  shown_timeline text;
  started timestamptz := pg_postmaster_start_time();
  log_end bigint;
  cause text;
begin
  select * into known from public.database_generations order by generation desc limit 1;
  if not pg_is_in_recovery() then
    begin
      shown_identity := (select system_identifier from pg_control_system())
        || '/' || (select oid from pg_database where datname = current_database())
        || '/' || 'public.database_generations'::regclass::oid;
      shown_timeline := left(pg_walfile_name(pg_current_wal_insert_lsn()), 8);
    exception when insufficient_privilege or undefined_function or feature_not_supported then
      null;
    end;
    if declared is not null or known.started_at is distinct from started
      or known.identity <> shown_identity or known.timeline <> shown_timeline
    then
      perform pg_advisory_xact_lock(5120998349);
      select * into known from public.database_generations order by generation desc limit 1;
      log_end := public.log_end_v1();
      cause := case
        when known.identity <> shown_identity or known.timeline <> shown_timeline then 'IDENTITY'
        else declared
      end;
      if known.started_at is distinct from started then
        known.log_end_at_start := log_end;
      end if;
      if cause is null then
        update public.database_generations
        set identity = coalesce(shown_identity, identity), timeline = coalesce(shown_timeline, timeline),
          started_at = started, log_end_at_start = known.log_end_at_start
        where generation = known.generation;
      else
        insert into public.database_generations (
          generation, began_at, cause, parted_at, copied_until, identity, timeline, started_at, log_end_at_start
        )
        values (
          greatest(known.generation + 1, ceil(extract(epoch from clock_timestamp()))::bigint),
          date_trunc('second', clock_timestamp()) + interval '1 second', cause,
          case when cause = 'IDENTITY' then log_end else least(log_end, known.log_end_at_start) end,
          (
            select max(accepted_at) from public.commands
            where completed_at is null
              and deadline_at >= (select min(swept_until) from public.slots)
              and (cause = 'IDENTITY' or accepted_at <= started)
          ),
          coalesce(shown_identity, known.identity), coalesce(shown_timeline, known.timeline), started, log_end
        );
        update public.slots set owner = '', epoch = epoch + 1, owned_until = now() - interval '1 second';
        -- Running processes look again: see postgres-signals.ts.
        perform pg_notify('top_signals', '{"from":"","topics":["generation"]}');
        select * into known from public.database_generations order by generation desc limit 1;
      end if;
    end if;
  end if;
  return query select known.generation, known.began_at;
end
$$;

revoke execute on function look_at_generation_v1(text) from public;
grant execute on function look_at_generation_v1(text) to top_system;
