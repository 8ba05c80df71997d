-- Appends events to the log: see event-log.ts. One call takes the locks and appends, with a plan that each connection keeps:
-- planning took as long as the work, most of it under a lock. The plan may be made while the log is nearly empty, so it has
-- a lookup that only one index can serve. The other lookup, of events that may be in the log already, is planned at each
-- call, as in used_keys_v1: with old statistics Postgres reads all events of a tenant for it.
--
-- The positions of the events that are in the log. Under the lock a read is enough, and costs less than ON CONFLICT.
create function logged_events_v1(new_events text)
returns int[]
language sql
set plan_cache_mode = force_custom_plan
as $$
  select array_agg(given.position)
  from json_to_recordset(new_events::json) as given (position int, tenant_id text, command_id uuid, event_type text)
  where exists (
    select from public.events
    where events.tenant_id = given.tenant_id and events.command_id = given.command_id
      and events.event_type = given.event_type
    offset 0
  )
$$;
--> statement-breakpoint
revoke execute on function logged_events_v1(text) from public;
--> statement-breakpoint
grant execute on function logged_events_v1(text) to top_app, top_system;
--> statement-breakpoint
-- `new_events` is a JSON array, `slots` are theirs, sorted. The locks are taken in this order, so that two transactions never
-- deadlock. Nodes of versions before slots exclude all others. While one of them relays, its position counts for all slots,
-- so transactions must commit in the order of all numbers. In a slot the times never decrease with the numbers, whatever the
-- clock does: the search by time relies on it.
--
-- Whoever ends a command holds its row, so only command.accepted may be in the log already.
create function log_events_v1(new_events text, slots int[])
returns void
language plpgsql
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  one int;
  logged int[];
begin
  if (select holder = 'slots' from public.relay_lease where name = 'outbox') then
    perform pg_advisory_xact_lock_shared(5120998347);
  else
    perform pg_advisory_xact_lock(5120998347);
  end if;
  foreach one in array slots loop
    perform pg_advisory_xact_lock(512099, one);
  end loop;
  if strpos(new_events, 'command.accepted') > 0 then
    logged := public.logged_events_v1(new_events);
  end if;
  with last as materialized (
    select slot, (
      select logged_at from public.events
      where (public.tenant_slot_v1(tenant_id), seq) > (slot, 0)
        and (public.tenant_slot_v1(tenant_id), seq) < (slot + 1, 0)
      order by public.tenant_slot_v1(tenant_id) desc, seq desc limit 1
    ) as logged_at
    from unnest(slots) as slot
  )
  insert into public.events (tenant_id, command_id, event_type, event_id, logged_at)
  select tenant_id, command_id, event_type, event_id, greatest(clock_timestamp(), last.logged_at)
  from json_to_recordset(new_events::json) as given (
    position int, slot int, tenant_id text, command_id uuid, event_type text, event_id uuid
  )
  join last using (slot)
  where position = any (logged) is not true
  order by position;
end
$$;
--> statement-breakpoint
revoke execute on function log_events_v1(text, int[]) from public;
--> statement-breakpoint
grant execute on function log_events_v1(text, int[]) to top_app, top_system;
