-- The last number of the event log, also if its event is purged.
create function log_end_v1()
returns bigint
language sql
stable
as $$
  select greatest(
    (
      select max(last.seq) from generate_series(0, 15) as slot cross join lateral (
        select seq from public.slot_events_v1(slot, 0)
        order by public.tenant_slot_v1(tenant_id) desc, seq desc limit 1
      ) as last
    ), (select max(published_seq) from public.slots), 0
  )
$$;

revoke execute on function log_end_v1() from public;
grant execute on function log_end_v1() to top_system;
