-- The positions of the refused commands whose keys are used. It is planned at each call. In a plan that is made for empty
-- tables and kept, Postgres may choose any index that begins with the tenant. Each refused command then read all commands
-- of its tenant: 5 s for a call with 169 of them.
create function used_keys_v1(requests text)
returns int[]
language sql stable
set plan_cache_mode = force_custom_plan
as $$
  select array_agg(position)
  from json_to_recordset(requests::json) as refused (position int, tenant_id text, idempotency_key text, is_refused boolean)
  where is_refused and exists (
    select from public.commands
    where commands.tenant_id = refused.tenant_id and commands.idempotency_key = refused.idempotency_key
    offset 0
  )
$$;

revoke execute on function used_keys_v1(text) from public;
grant execute on function used_keys_v1(text) to top_ingest;
