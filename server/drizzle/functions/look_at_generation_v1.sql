-- A database can go back in time: a backup is restored, or a standby is promoted that lagged. Each such history is a
-- generation: see docs/internals/generations.md.
--
-- Each new connection calls it once, as top_system, before anything else. It begins a generation if Postgres shows that it
-- is another one: by the number of its cluster (another installation), of the database or of this table (a dump that was
-- restored), or by its timeline (a promoted standby, recovery to a point in time; the name of the current WAL file shows a
-- promotion at once, the control file only after a checkpoint). A restart, a crash or a minor upgrade changes none of these.
--
-- After a start of Postgres the slots have no owners: whoever takes one compares with the bus before any background work.
create function look_at_generation_v1()
returns table (id uuid, began_at timestamptz)
language plpgsql
as $$
#variable_conflict use_column
declare
  known public.database_generations;
  shown_identity text;
  shown_timeline text;
  started constant timestamptz := pg_postmaster_start_time();
  is_other boolean;
begin
  select * into known from public.database_generations where shared_until is null;
  if not pg_is_in_recovery() then
    begin
      shown_identity := (select system_identifier from pg_control_system())
        || '/' || (select oid from pg_database where datname = current_database())
        || '/' || 'public.database_generations'::regclass::oid;
      shown_timeline := left(pg_walfile_name(pg_current_wal_insert_lsn()), 8);
    exception when insufficient_privilege or undefined_function or feature_not_supported then
      null;
    end;
    if known.started_at is distinct from started or known.identity <> shown_identity or known.timeline <> shown_timeline then
      perform pg_advisory_xact_lock(5120998349);
      select * into known from public.database_generations where shared_until is null;
      is_other := coalesce(known.identity <> shown_identity or known.timeline <> shown_timeline, false);
      if is_other or known.started_at is distinct from started then
        update public.database_generations set
          identity = coalesce(shown_identity, identity), timeline = coalesce(shown_timeline, timeline),
          started_at = started, log_end_at_start = public.log_end_v1(), xid_at_start = pg_current_xact_id()::xid,
          is_compared = false
        where shared_until is null;
        if is_other then
          perform public.begin_generation_v1('IDENTITY', known.id);
        else
          update public.slots set owner = '', epoch = epoch + 1, owned_until = now() - interval '1 second';
        end if;
        select * into known from public.database_generations where shared_until is null;
      end if;
    end if;
  end if;
  return query select known.id, known.began_at;
end
$$;

revoke execute on function look_at_generation_v1() from public;
grant execute on function look_at_generation_v1() to top_system;
