-- Appends events to the log (see event-log.ts), and counts the commands that have ended with them: `ended` is for
-- count_ended_v1. One call takes the locks, appends and counts, with a plan that each connection keeps: planning took as
-- long as the work, most of it under a lock. The plan may be made while the log is nearly empty, so it has a lookup that
-- only one index can serve.
--
-- `new_events` is a JSON array, `slots` are theirs, sorted. The locks are taken in this order, so that two transactions never
-- deadlock. In a slot the times never decrease with the numbers, whatever the clock does: the search by time relies on it.
--
-- Whoever ends a command holds its row, so only command.accepted may be in the log already.
create function log_events_v1(new_events text, slots int[], ended text)
returns void
language plpgsql
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  one int;
  logged int[];
begin
  foreach one in array slots loop
    perform pg_advisory_xact_lock(512099, one);
  end loop;
  if strpos(new_events, 'command.accepted') > 0 then
    logged := public.logged_events_v1(new_events);
  end if;
  with last as materialized (
    select slot, (
      select logged_at from public.slot_events_v1(slot, 0)
      order by public.tenant_slot_v1(tenant_id) desc, seq desc limit 1
    ) as logged_at
    from unnest(slots) as slot
  )
  insert into public.events (tenant_id, command_id, event_type, event_id, logged_at)
  select tenant_id, command_id, event_type, event_id, greatest(clock_timestamp(), last.logged_at)
  from json_to_recordset(new_events::json) as given (
    position int, slot int, tenant_id text, command_id uuid, event_type public.event_type, event_id uuid
  )
  join last using (slot)
  where position = any (logged) is not true
  order by position;
  if ended <> '[]' then
    perform public.count_ended_v1(ended);
  end if;
end
$$;

revoke execute on function log_events_v1(text, int[], text) from public;
grant execute on function log_events_v1(text, int[], text) to top_app, top_system;
