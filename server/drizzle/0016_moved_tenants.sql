-- A tenant can move to another platform: see docs/internals/cells.md.
ALTER TABLE "tenants" ADD COLUMN "move" jsonb;
--> statement-breakpoint
grant select (move, updated_at) on tenants to top_system;
--> statement-breakpoint
CREATE TABLE "event_log_origins" (
	"tenant_id" text NOT NULL,
	"position" integer NOT NULL,
	"cursor_key_sealed" "bytea" NOT NULL,
	"generations" jsonb NOT NULL,
	"from_seq" bigint NOT NULL,
	"to_seq" bigint NOT NULL,
	"shift" bigint NOT NULL,
	CONSTRAINT "event_log_origins_tenant_id_position_pk" PRIMARY KEY("tenant_id","position")
);
--> statement-breakpoint
grant select, insert, update on event_log_origins to top_app;
--> statement-breakpoint
grant select, delete on event_log_origins to top_system;
--> statement-breakpoint
alter table event_log_origins enable row level security;
--> statement-breakpoint
alter table event_log_origins force row level security;
--> statement-breakpoint
create policy top_app on event_log_origins to top_app using (tenant_id = current_setting('app.tenant_id'));
--> statement-breakpoint
create policy top_system on event_log_origins to top_system using (true) with check (true);
--> statement-breakpoint
create policy top_system_delete on event_log_origins as restrictive for delete to top_system
using (tenant_id in (select tenant_id from tenants where status in ('DELETING', 'MOVED')));
--> statement-breakpoint
-- As in 0002, and: what a tenant that has moved away has left is deleted as well.
do $$
declare
  table_name text;
begin
  foreach table_name in array array[
    'object_credentials', 'object_resources', 'callback_endpoints', 'callback_subscriptions', 'bus_principals',
    'policies', 'role_bindings', 'roles', 'credentials'
  ] loop
    execute format(
      'alter policy top_system_delete on %I
      using (tenant_id in (select tenant_id from tenants where status in (''DELETING'', ''MOVED'')))',
      table_name
    );
  end loop;
end
$$;
--> statement-breakpoint
alter policy top_system_delete_of_tenant on audit_events using (
  tenant_id in (select tenant_id from tenants where status in ('DELETING', 'MOVED'))
  or (
    tenant_id = 'platform' and operation = 'tenants.create'
    and target in (select 'platform/tenants/' || tenant_id from tenants where status in ('DELETING', 'MOVED'))
  )
);
--> statement-breakpoint
-- Null: requests of the tenant are served here. An empty text: the tenant moves, or moved within the last minute, so that
-- one address for several platforms can be led to the other one meanwhile. Else the address of the platform that has it.
create function tenant_away_v1(status text, move jsonb)
returns text
language sql
stable
as $$
  select case
    when status = 'MOVING' then ''
    when status = 'MOVED' then case
      when now() < (move ->> 'moved_at')::timestamptz + interval '60 seconds' then ''
      else move ->> 'to'
    end
  end
$$;
--> statement-breakpoint
revoke execute on function tenant_away_v1(text, jsonb) from public;
--> statement-breakpoint
grant execute on function tenant_away_v1(text, jsonb) to top_app, top_system, top_ingest;
--> statement-breakpoint
set local role top_ingest;
--> statement-breakpoint
-- As admit_requests_v1 in 0004 and 0006, and: `away` of a live credential whose tenant is not served here, and
-- `path_tenant_away` (see tenant_away_v1). Such a request consumes no nonce. No command of such a tenant is stored, also if
-- its request was admitted before: its `outcome` is TENANT_AWAY.
create function admission.admit_requests_v2(requests text, are_admitted boolean default false)
returns table (
  "position" int, is_live boolean, is_in_clock_window boolean, is_fresh boolean, is_granted boolean,
  away text, path_tenant_exists boolean, path_tenant_away text, allowed_clock_skew_seconds int, now_ms double precision,
  requests_per_minute int, requests_per_minute_of_tenant int,
  outcome text, command_id uuid, accepted_ms double precision
)
language plpgsql
security definer
set plan_cache_mode = force_generic_plan
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  used int[];
begin
  if strpos(requests, '"is_refused"') > 0 then
    used := public.used_keys_v1(requests);
  end if;
  return query
  with asked as (
    select *, to_timestamp(signed_at) as dated, decode(nonce_hash, 'hex') as nonce
    from json_to_recordset(requests::json) as asked (
      position int, tenant_id text, client_id text, number bigint, secret_version int, signed_at bigint,
      nonce_hash text, object text, action text, granting_roles text, path_tenant_id text,
      idempotency_key text, vendor text, device_id text, command_type text, revision int, payload json,
      payload_sha256 text, timeout_seconds int, request_id text, traceparent text, command_id_tail text,
      batch_id uuid, is_refused boolean
    )
  ), checked as (
    select asked.*, credential.allowed_clock_skew_seconds, credential.replay_window_seconds,
      credential.requests_per_minute, tenant.requests_per_minute as requests_per_minute_of_tenant,
      tenant.status = 'ACTIVE' as is_open, public.tenant_away_v1(tenant.status, tenant.move) as away,
      coalesce(
        credential.status = 'ACTIVE'
        and (credential.expires_at is null or credential.expires_at > now())
        and (credential.secret_version = asked.secret_version
          or credential.secret_version = asked.secret_version + 1
            and credential.previous_secret_expires_at > now()),
        false
      ) as has_live_credential,
      coalesce(
        asked.dated between now() - make_interval(secs => credential.allowed_clock_skew_seconds)
          and now() + make_interval(secs => credential.allowed_clock_skew_seconds)
        and asked.dated >= (select began_at from public.database_generations order by generation desc limit 1),
        false
      ) as is_in_clock_window
    from asked
    left join lateral (
      select status, expires_at, secret_version, previous_secret_expires_at, allowed_clock_skew_seconds,
        replay_window_seconds, requests_per_minute
      from public.credentials
      where credentials.tenant_id = asked.tenant_id and credentials.client_id = asked.client_id offset 0
    ) as credential on not are_admitted
    left join lateral (
      select status, move, requests_per_minute from public.tenants where tenants.tenant_id = asked.tenant_id offset 0
    ) as tenant on not are_admitted
  ), live as (
    select *, has_live_credential and coalesce(is_open, false) as is_live from checked
  ), counted as (
    select *, row_number() over (
      partition by number, nonce, is_live and is_in_clock_window order by position
    ) as occurrence
    from live
  ), consumed as (
    insert into public.nonces (credential_number, nonce_hash, expires_at)
    select number, nonce, greatest(
      dated + interval '900 seconds',
      now() + make_interval(secs => replay_window_seconds)
    ) + interval '60 seconds'
    from counted
    where is_live and is_in_clock_window and occurrence = 1
    order by number, nonce
    on conflict do nothing
    returning credential_number, nonce_hash
  ), verdict as materialized (
    select counted.*,
      occurrence = 1 and consumed.nonce_hash is not null as is_fresh,
      not are_admitted and exists (
        select from public.grants_v1(counted.tenant_id, counted.object, counted.action, counted.granting_roles) as held
        where held.client_id = counted.client_id
        offset 0
      ) as is_granted
    from counted
    left join consumed on consumed.credential_number = counted.number and consumed.nonce_hash = counted.nonce
  ), given as materialized (
    select verdict.*, now()::timestamptz(3) as accepted_at,
      (lpad(to_hex(round(extract(epoch from now()) * 1000)::bigint), 12, '0') || command_id_tail)::uuid as command_id,
      -- Null: the tenant moves, or has moved away.
      is_refused is not true and (
        select case
          when tenants.status in ('MOVING', 'MOVED') then null
          else tenants.vendors is null or coalesce(verdict.vendor = any (tenants.vendors), false)
        end
        from public.tenants where tenants.tenant_id = verdict.tenant_id offset 0
      ) as may_use_vendor,
      is_refused is not true and exists (
        select from public.vendors where vendors.vendor = verdict.vendor and vendors.enabled offset 0
      ) and exists (
        select from public.command_types
        where command_types.vendor = verdict.vendor and command_types.command_type = verdict.command_type
          and command_types.enabled and command_types.revision = verdict.revision
        offset 0
      ) as is_current
    from verdict
    where idempotency_key is not null
      and (are_admitted or is_live and is_in_clock_window and is_fresh and is_granted)
  ), waiting as (
    select exists (
      select from given
      where batch_id is not null and is_refused is not true and may_use_vendor and not is_current
    ) as is_asked
  ), inserted as (
    insert into public.commands (
      tenant_id, command_id, idempotency_key, vendor, device_id, command_type, payload, payload_sha256,
      timeout_seconds, status, adapter_status, device_execution_status, accepted_at, deadline_at, updated_at,
      created_by_client_id, request_id, traceparent, batch_id
    )
    select tenant_id, command_id, idempotency_key, vendor, device_id, command_type, payload,
      decode(payload_sha256, 'hex'), timeout_seconds, 'ACCEPTED', 'PENDING', 'NOT_STARTED', accepted_at,
      accepted_at + make_interval(secs => timeout_seconds), accepted_at, client_id, request_id, traceparent,
      batch_id
    from given
    where may_use_vendor and is_current and not (select is_asked from waiting)
    order by tenant_id, idempotency_key, position
    on conflict (tenant_id, idempotency_key) do nothing
    returning tenant_id, command_id
  ), queued as (
    insert into public.outbox (tenant_id, fact_id, kind)
    select tenant_id, command_id, 'COMMAND_ACCEPTED' from inserted order by command_id
  ), stored as (
    select given.position, given.accepted_at, inserted.command_id,
      case
        when inserted.command_id is not null then 'ACCEPTED'
        when given.position = any (used) then 'KEY_USED'
        when may_use_vendor and is_current and (select is_asked from waiting) then 'CATALOG_CHANGED'
        when may_use_vendor and is_current then 'KEY_USED'
        when is_refused then 'REFUSED'
        when may_use_vendor is null then 'TENANT_AWAY'
        when not may_use_vendor then 'VENDOR_NOT_ENABLED'
        else 'CATALOG_CHANGED'
      end as outcome
    from given
    left join inserted on inserted.tenant_id = given.tenant_id and inserted.command_id = given.command_id
  )
  select verdict.position, is_live, is_in_clock_window, is_fresh, is_granted,
    case when has_live_credential then away end, path_tenant.status is not null,
    public.tenant_away_v1(path_tenant.status, path_tenant.move),
    allowed_clock_skew_seconds, floor(extract(epoch from now()) * 1000)::double precision,
    requests_per_minute, requests_per_minute_of_tenant,
    stored.outcome, stored.command_id, (extract(epoch from stored.accepted_at) * 1000)::double precision
  from verdict
  left join lateral (
    select status, move from public.tenants where tenants.tenant_id = verdict.path_tenant_id offset 0
  ) as path_tenant on true
  left join stored on stored.position = verdict.position
  order by position;
end
$$;
--> statement-breakpoint
revoke execute on function admission.admit_requests_v2(text, boolean) from public;
--> statement-breakpoint
grant execute on function admission.admit_requests_v2(text, boolean) to session_user;
--> statement-breakpoint
reset role;
