-- The positions of the events that are in the log. Under the lock of log_events_v1 a read is enough, and costs less than
-- ON CONFLICT. It is planned at each call, as used_keys_v1: with old statistics Postgres reads all events of a tenant for it.
create function logged_events_v1(new_events text)
returns int[]
language sql
set plan_cache_mode = force_custom_plan
as $$
  select array_agg(given.position)
  from json_to_recordset(new_events::json) as given (position int, tenant_id text, command_id uuid, event_type public.event_type)
  where exists (
    select from public.events
    where events.tenant_id = given.tenant_id and events.command_id = given.command_id
      and events.event_type = given.event_type
    offset 0
  )
$$;

revoke execute on function logged_events_v1(text) from public;
grant execute on function logged_events_v1(text) to top_app, top_system;
