-- Stores the commands of a JSON array, and an outbox row for each.
--
-- In: for each command `position`, `tenant_id`, `client_id`, `idempotency_key`, `vendor`, `device_id`, `command_type`,
-- `revision` of the payload schema that it was checked against, `payload`, `payload_sha256` in hex, `timeout_seconds`,
-- `request_id`, `command_id_tail`, the part of its UUID v7 after the time, `batch_id`, which may be absent, and `is_refused`:
-- the caller refuses the command and asks only for its key. Other keys are ignored. `positions` names the commands to store;
-- null means all.
--
-- Out: a row for each of these commands. Its `outcome` is
--   ACCEPTED            stored
--   KEY_USED            the tenant has a command with this key: that takes precedence over what follows. Of several
--                       commands of the array with the same key one is stored. The caller reads it in a later statement,
--                       whose snapshot shows it.
--   REFUSED             by the caller
--   VENDOR_NOT_ENABLED  the tenant may not use the vendor
--   CATALOG_CHANGED     vendor or command type are not enabled, or the schema has another revision
create function accept_commands_v1(commands_json text, positions int[] default null)
returns table ("position" int, outcome text, command_id uuid, accepted_ms double precision)
language plpgsql
set role = top_ingest
set plan_cache_mode = force_generic_plan
set search_path = public, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  with given as (
    select given.*, now()::timestamptz(3) as accepted_at,
      (lpad(to_hex(round(extract(epoch from now()) * 1000)::bigint), 12, '0') || command_id_tail)::uuid as command_id
    from json_to_recordset(commands_json::json) as given (
      position int, tenant_id text, client_id text, idempotency_key text, vendor text, device_id text,
      command_type text, revision int, payload json, payload_sha256 text, timeout_seconds int, request_id text,
      command_id_tail text, batch_id uuid, is_refused boolean
    )
    where positions is null or position = any (positions)
  ), checked as materialized (
    select given.*,
      exists (
        select from tenants
        where tenants.tenant_id = given.tenant_id and (tenants.vendors is null or given.vendor = any (tenants.vendors))
        offset 0
      ) as may_use_vendor,
      exists (select from vendors where vendors.vendor = given.vendor and vendors.enabled offset 0)
      and exists (
        select from command_types
        where command_types.vendor = given.vendor and command_types.command_type = given.command_type
          and command_types.enabled and command_types.revision = given.revision
        offset 0
      ) as is_current
    from given
  ), inserted as (
    insert into commands (
      tenant_id, command_id, idempotency_key, vendor, device_id, command_type, payload, payload_sha256,
      timeout_seconds, status, adapter_status, device_execution_status, accepted_at, deadline_at, updated_at,
      created_by_client_id, request_id, batch_id
    )
    select tenant_id, command_id, idempotency_key, vendor, device_id, command_type, payload,
      decode(payload_sha256, 'hex'), timeout_seconds, 'ACCEPTED', 'PENDING', 'NOT_STARTED', accepted_at,
      accepted_at + make_interval(secs => timeout_seconds), accepted_at, client_id, request_id, batch_id
    from checked
    where is_refused is not true and may_use_vendor and is_current
    order by tenant_id, idempotency_key, position
    on conflict (tenant_id, idempotency_key) do nothing
    returning tenant_id, command_id
  ), queued as (
    insert into outbox (tenant_id, fact_id, kind)
    select tenant_id, command_id, 'COMMAND_ACCEPTED' from inserted
  )
  select checked.position,
    case
      when inserted.command_id is not null then 'ACCEPTED'
      when is_refused is not true and may_use_vendor and is_current or exists (
        select from commands
        where commands.tenant_id = checked.tenant_id and commands.idempotency_key = checked.idempotency_key
        offset 0
      ) then 'KEY_USED'
      when is_refused then 'REFUSED'
      when not may_use_vendor then 'VENDOR_NOT_ENABLED'
      else 'CATALOG_CHANGED'
    end,
    inserted.command_id, (extract(epoch from checked.accepted_at) * 1000)::double precision
  from checked
  left join inserted on inserted.tenant_id = checked.tenant_id and inserted.command_id = checked.command_id
  order by position;
end
$$;
--> statement-breakpoint
revoke execute on function accept_commands_v1(text, int[]) from public;
