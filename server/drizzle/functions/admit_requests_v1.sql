-- Admission: checks every request of a JSON array on the current state of the database: status, expiry, secret version,
-- clock window, nonce and permission. It also stores the commands that admitted requests bring, each with an outbox row.
--
-- In: for each request `position`, `tenant_id`, `client_id`, `number` of the credential, `secret_version`, `signed_at` in
-- Unix seconds, `nonce_hash` in hex, `object` and `action` of the scope, `granting_roles` joined by commas, and
-- `path_tenant_id`. With `are_admitted` only `tenant_id` and `client_id`: the requests have been admitted, and only their
-- commands are stored.
--
-- For a command `idempotency_key`, `vendor`, `device_id`, `command_type`, `revision` of the payload schema that it was
-- checked against, `payload`, `timeout_seconds`, `request_id`, and `command_id_tail`, the part of
-- its UUID v7 after the time; `batch_id` and `traceparent` may be absent. Of a command that the caller refuses only
-- `idempotency_key` and `is_refused` are needed.
--
-- Out: a row for each request. Its `outcome` is null if it is not admitted or brings no command, else
--   ACCEPTED            stored
--   KEY_USED            the tenant has a command with this key, or an earlier command of the array has it. The caller
--                       reads that command in a later statement, whose snapshot shows it.
--   REFUSED             by the caller, and the key is not used
--   TENANT_AWAY         the tenant is not served here any more; its request may have been admitted before
--   VENDOR_NOT_ENABLED  the tenant may not use the vendor; the key may be used
--   CATALOG_CHANGED     vendor or command type are not enabled, or the schema has another revision; the key may be used.
--                       If one command of a batch has another revision, none is stored: all are checked and stored together.
-- `away` belongs to a live credential whose tenant is not served here, `path_tenant_away` to the tenant of the path: see
-- tenant_away_v1. Bus principals can be read while a tenant moves: its adapters report open commands.
--
-- It consumes the nonce of every live request within its clock window, and no other. A nonce is kept for as long as the
-- widest clock window (900 seconds) would take its timestamp: a credential whose window is raised takes no old request again.
-- Nonces are written before commands, each in the order of its key, so that two calls never deadlock.
--
-- `offset 0` keeps Postgres from joining whole tables: each request looks its rows up by an index. The plan is made when
-- the tables may be empty, and kept while they grow.
--
-- `security definer`: the function belongs to top_ingest, so it has the rights of top_ingest and no others. Without
-- `set role`, the login may only execute it. The search path has no schema in which other users may create functions.
set local role top_ingest;

create function admission.admit_requests_v1(requests text, are_admitted boolean default false)
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
    -- The array, as rows.
    select *, to_timestamp(signed_at) as dated, decode(nonce_hash, 'hex') as nonce
    from json_to_recordset(requests::json) as asked (
      position int, tenant_id text, client_id text, number bigint, secret_version int, signed_at bigint,
      nonce_hash text, object text, action text, granting_roles text, path_tenant_id text,
      idempotency_key text, vendor text, device_id text, command_type text, revision int, payload json,
      timeout_seconds int, request_id text, traceparent text, command_id_tail text,
      batch_id uuid, is_refused boolean
    )
  ), checked as (
    -- The credential and its tenant. Without their rows nothing is live, and the clock window is closed.
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
        -- Signed before the generation began: its nonce may be known to another history.
        and asked.dated >= (select began_at from public.database_generations where shared_until is null),
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
    -- A live credential of a tenant that is away gets its own answer: it is not admitted, and consumes no nonce.
    select *, has_live_credential and coalesce(is_open, false) as is_live from checked
  ), counted as (
    -- Of requests of this array with one nonce, the first may be fresh.
    select *, row_number() over (
      partition by number, nonce, is_live and is_in_clock_window order by position
    ) as occurrence
    from live
  ), consumed as (
    -- The nonce decides: of all nodes that see it, one inserts it.
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
    -- All about admission is known.
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
    -- The commands of admitted requests, and what the catalog says about them now.
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
    -- Whether a command of the batch has to be checked again.
    select exists (
      select from given
      where batch_id is not null and is_refused is not true and may_use_vendor and not is_current
    ) as is_asked
  ), inserted as (
    -- A used key inserts nothing.
    insert into public.commands (
      tenant_id, command_id, idempotency_key, vendor, device_id, command_type, payload,
      timeout_seconds, status, adapter_status, device_execution_status, accepted_at, deadline_at, updated_at,
      created_by_client_id, request_id, traceparent, batch_id
    )
    select tenant_id, command_id, idempotency_key, vendor, device_id, command_type, payload,
      timeout_seconds, 'ACCEPTED', 'PENDING', 'NOT_STARTED', accepted_at,
      accepted_at + make_interval(secs => timeout_seconds), accepted_at, client_id, request_id, traceparent,
      batch_id
    from given
    where may_use_vendor and is_current and not (select is_asked from waiting)
    order by tenant_id, idempotency_key, position
    on conflict (tenant_id, idempotency_key) do nothing
    returning tenant_id, command_id
  ), queued as (
    -- In the order of the ids, which is the order of the batch.
    insert into public.outbox (tenant_id, fact_id, kind)
    select tenant_id, command_id, 'COMMAND_ACCEPTED' from inserted order by command_id
  ), stored as (
    -- What became of each command.
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
    case when (object = 'platform:bus-principal' and action = 'read' and path_tenant.status = 'MOVING'
      and path_tenant.move ->> 'status' = 'ACTIVE') is not true
      then public.tenant_away_v1(path_tenant.status, path_tenant.move) end,
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

revoke execute on function admission.admit_requests_v1(text, boolean) from public;
grant execute on function admission.admit_requests_v1(text, boolean) to session_user;

reset role;
