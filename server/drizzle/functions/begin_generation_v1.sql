-- A generation begins, unless another one has begun since `known`: of all who notice a restore at the same time, one
-- begins it. See docs/internals/generations.md.
--
-- The histories part where the log ended at the last start of Postgres: a plain copy is put back while Postgres is stopped.
-- The open commands of the copy are marked, so no clock is compared. Those that were accepted since that start are none: no
-- later transaction has written them, and nothing is dispatched before the comparison with the bus.
--
-- The slots lose their owners: the numbers that these remember are of another history.
create function begin_generation_v1(cause text, known uuid)
returns void
language plpgsql
as $$
#variable_conflict use_variable
declare
  before public.database_generations;
begin
  perform pg_advisory_xact_lock(5120998349);
  select * into before from public.database_generations where shared_until is null;
  if known <> before.id then
    return;
  end if;
  update public.commands set is_copied = true
  where completed_at is null and is_copied is null
    and deadline_at >= (select min(swept_until) from public.slots)
    and (cause = 'IDENTITY' or status <> 'ACCEPTED' or age(xmin) > age(before.xid_at_start));
  update public.database_generations set shared_until = least(shared_until, before.log_end_at_start);
  insert into public.database_generations (
    id, began_at, cause, identity, timeline, started_at, log_end_at_start, xid_at_start
  )
  values (
    gen_random_uuid(), date_trunc('second', clock_timestamp()) + interval '1 second', cause,
    before.identity, before.timeline, before.started_at, public.log_end_v1(), pg_current_xact_id()::xid
  );
  update public.slots set owner = '', epoch = epoch + 1, owned_until = now() - interval '1 second';
  -- Running processes look again: see postgres-signals.ts.
  perform pg_notify('top_signals', '{"from":"","topics":["generation"]}');
end
$$;

revoke execute on function begin_generation_v1(text, uuid) from public;
grant execute on function begin_generation_v1(text, uuid) to top_system;
