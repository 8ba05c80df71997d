-- A database can go back in time: a backup is restored, or a standby is promoted that lagged. Each such history is a
-- generation. This file adds them, and the admission of requests knows them.
CREATE TABLE "database_generations" (
	"generation" bigint PRIMARY KEY NOT NULL,
	"began_at" timestamp (3) with time zone NOT NULL,
	"cause" text NOT NULL,
	"parted_at" bigint NOT NULL,
	"copied_until" timestamp (3) with time zone,
	"identity" text,
	"timeline" text,
	"started_at" timestamp with time zone,
	"log_end_at_start" bigint NOT NULL
);
--> statement-breakpoint
insert into database_generations (generation, began_at, cause, parted_at, log_end_at_start)
values (0, to_timestamp(0), 'FIRST', 0, 0);
--> statement-breakpoint
grant select, insert, update on database_generations to top_system;
--> statement-breakpoint
grant select on database_generations to top_app, top_ingest;
--> statement-breakpoint
-- Each new connection calls it once, as top_system, before anything else. It begins a generation if Postgres shows that it
-- is another one: by the number of its cluster (another installation), of the database or of this table (a dump that was
-- restored), or by its timeline (a promoted standby, recovery to a point in time; the name of the current WAL file shows a
-- promotion at once, the control file only after a checkpoint). It begins one too if the caller says so in `declared`.
-- A restart, a crash or a minor upgrade changes none of these.
--
-- The commands that are open in the copy get the boundary `copied_until` from the copy itself, so no clock is compared.
-- Whoever led the relay has lost the lease: the numbers that it remembers are of another history.
create function look_at_generation_v1(declared text default null)
returns table (generation bigint, began_at timestamptz)
language plpgsql
as $$
#variable_conflict use_column
declare
  known public.database_generations;
  shown_identity text;
  shown_timeline text;
  started timestamptz := pg_postmaster_start_time();
  log_end bigint;
  cause text;
begin
  select * into known from public.database_generations order by generation desc limit 1;
  if not pg_is_in_recovery() then
    begin
      shown_identity := (select system_identifier from pg_control_system())
        || '/' || (select oid from pg_database where datname = current_database())
        || '/' || 'public.database_generations'::regclass::oid;
      shown_timeline := left(pg_walfile_name(pg_current_wal_insert_lsn()), 8);
    exception when insufficient_privilege or undefined_function or feature_not_supported then
      null;
    end;
    if declared is not null or known.started_at is distinct from started
      or known.identity <> shown_identity or known.timeline <> shown_timeline
    then
      perform pg_advisory_xact_lock(5120998349);
      select * into known from public.database_generations order by generation desc limit 1;
      log_end := greatest(
        (select max(seq) from public.events), (select published_seq from public.relay_lease where name = 'outbox'), 0
      );
      cause := case
        when known.identity <> shown_identity or known.timeline <> shown_timeline then 'IDENTITY'
        else declared
      end;
      if known.started_at is distinct from started then
        known.log_end_at_start := log_end;
      end if;
      if cause is null then
        update public.database_generations
        set identity = coalesce(shown_identity, identity), timeline = coalesce(shown_timeline, timeline),
          started_at = started, log_end_at_start = known.log_end_at_start
        where generation = known.generation;
      else
        insert into public.database_generations (
          generation, began_at, cause, parted_at, copied_until, identity, timeline, started_at, log_end_at_start
        )
        values (
          greatest(known.generation + 1, ceil(extract(epoch from clock_timestamp()))::bigint),
          date_trunc('second', clock_timestamp()) + interval '1 second', cause,
          case when cause = 'IDENTITY' then log_end else least(log_end, known.log_end_at_start) end,
          (
            select max(accepted_at) from public.commands
            where completed_at is null
              and deadline_at >= (select swept_until from public.sweep_marks where name = 'commands')
              and (cause = 'IDENTITY' or accepted_at <= started)
          ),
          coalesce(shown_identity, known.identity), coalesce(shown_timeline, known.timeline), started, log_end
        );
        update public.relay_lease set holder = '', epoch = epoch + 1, expires_at = now() - interval '1 second';
        -- Running processes look again: see postgres-signals.ts.
        perform pg_notify('top_signals', '{"from":"","topics":["generation"]}');
        select * into known from public.database_generations order by generation desc limit 1;
      end if;
    end if;
  end if;
  return query select known.generation, known.began_at;
end
$$;
--> statement-breakpoint
revoke execute on function look_at_generation_v1(text) from public;
--> statement-breakpoint
grant execute on function look_at_generation_v1(text) to top_system;
--> statement-breakpoint
set local role top_ingest;
--> statement-breakpoint
-- As in 0004, and: a request that was signed before the generation began is outside the clock window. The commands of a
-- batch reach the outbox in the order of their ids, which is the order of the request; if one of them was checked against
-- another revision of its schema, none is stored, so that all are checked and stored together.
create or replace function admission.admit_requests_v1(requests text, are_admitted boolean default false)
returns table (
  "position" int, is_live boolean, is_in_clock_window boolean, is_fresh boolean, is_granted boolean,
  path_tenant_exists boolean, allowed_clock_skew_seconds int, now_ms double precision,
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
      coalesce(
        credential.status = 'ACTIVE' and tenant.status = 'ACTIVE'
        and (credential.expires_at is null or credential.expires_at > now())
        and (credential.secret_version = asked.secret_version
          or credential.secret_version = asked.secret_version + 1
            and credential.previous_secret_expires_at > now()),
        false
      ) as is_live,
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
      select status, requests_per_minute from public.tenants where tenants.tenant_id = asked.tenant_id offset 0
    ) as tenant on not are_admitted
  ), counted as (
    select *, row_number() over (
      partition by number, nonce, is_live and is_in_clock_window order by position
    ) as occurrence
    from checked
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
      is_refused is not true and exists (
        select from public.tenants
        where tenants.tenant_id = verdict.tenant_id
          and (tenants.vendors is null or verdict.vendor = any (tenants.vendors))
        offset 0
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
        when not may_use_vendor then 'VENDOR_NOT_ENABLED'
        else 'CATALOG_CHANGED'
      end as outcome
    from given
    left join inserted on inserted.tenant_id = given.tenant_id and inserted.command_id = given.command_id
  )
  select verdict.position, is_live, is_in_clock_window, is_fresh, is_granted,
    exists (select from public.tenants where tenants.tenant_id = verdict.path_tenant_id offset 0),
    allowed_clock_skew_seconds, floor(extract(epoch from now()) * 1000)::double precision,
    requests_per_minute, requests_per_minute_of_tenant,
    stored.outcome, stored.command_id, (extract(epoch from stored.accepted_at) * 1000)::double precision
  from verdict left join stored on stored.position = verdict.position
  order by position;
end
$$;
--> statement-breakpoint
reset role;
