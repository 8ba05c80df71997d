-- The events of a slot after a number, without those that moved here with their tenants: these have numbers below 0, so in
-- the order of (slot, seq) they lie behind the events of the slot before. Sort by (tenant_slot_v1(tenant_id), seq).
--
-- Postgres puts its text into the statement that calls it, so it has the plan of the index.
create function slot_events_v1(of_slot int, after bigint)
returns table (tenant_id text, seq bigint, logged_at timestamptz)
language sql
stable
as $$
  select tenant_id, seq, logged_at from public.events
  where (public.tenant_slot_v1(tenant_id), seq) > (of_slot, greatest(after, 0))
    and (public.tenant_slot_v1(tenant_id), seq) <= (of_slot, 9223372036854775807)
$$;

revoke execute on function slot_events_v1(int, bigint) from public;
grant execute on function slot_events_v1(int, bigint) to top_app, top_system;
