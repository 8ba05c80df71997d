--
-- PostgreSQL database dump
--

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: admission; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA admission;

--
-- Name: public; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA public;

--
-- Name: SCHEMA public; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON SCHEMA public IS 'standard public schema';

--
-- Name: adapter_status; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.adapter_status AS ENUM (
    'PENDING',
    'SENT',
    'DELIVERED',
    'REJECTED',
    'UNSUPPORTED',
    'UNREACHABLE',
    'FAILED',
    'TIMED_OUT'
);

--
-- Name: command_status; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.command_status AS ENUM (
    'ACCEPTED',
    'DISPATCHED',
    'SUCCEEDED',
    'FAILED',
    'REJECTED',
    'UNSUPPORTED',
    'TIMED_OUT',
    'EXPIRED',
    'CANCELED'
);

--
-- Name: device_execution_status; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.device_execution_status AS ENUM (
    'NOT_STARTED',
    'IN_PROGRESS',
    'SUCCEEDED',
    'FAILED',
    'REJECTED',
    'TIMED_OUT',
    'UNKNOWN'
);

--
-- Name: event_type; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.event_type AS ENUM (
    'command.accepted',
    'command.completed'
);

--
-- Name: outbox_kind; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.outbox_kind AS ENUM (
    'COMMAND_ACCEPTED',
    'DEVICE_REQUEST_REPLIED'
);

--
-- Name: admit_requests_v1(text, boolean); Type: FUNCTION; Schema: admission; Owner: -
--

CREATE FUNCTION admission.admit_requests_v1(requests text, are_admitted boolean DEFAULT false) RETURNS TABLE("position" integer, is_live boolean, is_in_clock_window boolean, is_fresh boolean, is_granted boolean, away text, path_tenant_exists boolean, path_tenant_away text, allowed_clock_skew_seconds integer, now_ms double precision, requests_per_minute integer, requests_per_minute_of_tenant integer, outcome text, command_id uuid, accepted_ms double precision)
    LANGUAGE plpgsql SECURITY DEFINER
    SET plan_cache_mode TO 'force_generic_plan'
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

--
-- Name: begin_generation_v1(text, uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.begin_generation_v1(cause text, known uuid) RETURNS void
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_variable
declare
  before public.database_generations;
begin
  perform pg_advisory_xact_lock(5120998349);
  select * into before from public.database_generations where shared_until is null;
  if known <> before.id then
    return;
  end if;
  update public.commands set is_copied = true
  where completed_at is null and is_copied is null
    and deadline_at >= (select min(swept_until) from public.slots)
    and (cause = 'IDENTITY' or status <> 'ACCEPTED' or age(xmin) > age(before.xid_at_start));
  update public.database_generations set shared_until = least(shared_until, before.log_end_at_start);
  insert into public.database_generations (
    id, began_at, cause, identity, timeline, started_at, log_end_at_start, xid_at_start
  )
  values (
    gen_random_uuid(), date_trunc('second', clock_timestamp()) + interval '1 second', cause,
    before.identity, before.timeline, before.started_at, public.log_end_v1(), pg_current_xact_id()::xid
  );
  update public.slots set owner = '', epoch = epoch + 1, owned_until = now() - interval '1 second';
  -- Running processes look again: see postgres-signals.ts.
  perform pg_notify('top_signals', '{"from":"","topics":["generation"]}');
end
$$;

--
-- Name: count_ended_v1(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.count_ended_v1(ended text) RETURNS void
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
declare
  now_ms double precision := extract(epoch from statement_timestamp()) * 1000;
  this_hour timestamptz := date_trunc('hour', statement_timestamp(), 'UTC');
  this_minute int := extract(minute from statement_timestamp() at time zone 'UTC');
  others text[];
begin
  if strpos(ended, '"reason":') > 0 then
    others := (
      with recursive given as materialized (
        select tenant_id, reason, sum(cardinality(accepted_ms)) as number
        from json_to_recordset(ended::json) as given (tenant_id text, reason text, accepted_ms bigint[])
        where reason is not null
        group by tenant_id, reason
      ), counted (tenant_id, reason, place) as (
        select distinct tenant_id, '', 0 from given
        union all
        select tenant_id, (
          select reason from public.command_figures as known
          where known.tenant_id = counted.tenant_id and known.hour = this_hour and known.reason > counted.reason
          order by known.reason limit 1
        ), place + 1
        from counted where reason is not null and place < 20
      ), uncounted as (
        select tenant_id, reason, row_number() over (partition by tenant_id order by number desc, reason) as place
        from given
        where not exists (
          select from counted where counted.tenant_id = given.tenant_id and counted.reason = given.reason
        )
      )
      select array_agg(tenant_id || ' ' || reason) from uncounted
      where place > 20 - (
        select count(*) from counted where counted.tenant_id = uncounted.tenant_id and counted.reason <> ''
      )
    );
  end if;
  with given as materialized (
    select tenant_id, coalesce(reason, '') as reason, vendor, status, accepted_ms,
      coalesce(tenant_id || ' ' || reason = any (others), false) as is_other
    from json_to_recordset(ended::json) as given (
      tenant_id text, vendor text, status text, reason text, accepted_ms bigint[]
    )
  ), part (tenant_id, reason, is_other, vendor, status, class, number, total) as (
    select tenant_id, case when is_other then '' else reason end, is_other, vendor, status, null::int, null::int,
      cardinality(accepted_ms)
    from given
    union all
    select tenant_id, '', false, vendor, status, class, count(*)::int, 0
    from (
      select tenant_id, vendor, status, public.duration_class_v1(now_ms - unnest(accepted_ms)) as class from given
    ) as command
    group by tenant_id, vendor, status, class
  )
  insert into public.command_figures as known (
    tenant_id, hour, reason, is_other, vendor, status, minute, total, classes, numbers
  )
  select tenant_id, this_hour, reason, is_other, vendor, status, this_minute, sum(total)::int,
    coalesce(array_agg(class) filter (where class is not null), '{}'),
    coalesce(array_agg(number) filter (where class is not null), '{}')
  from part
  group by tenant_id, reason, is_other, vendor, status
  on conflict (tenant_id, hour, reason, is_other, vendor, status, minute) do update
  set total = known.total + excluded.total, (classes, numbers) = (
    select coalesce(array_agg(class), '{}'), coalesce(array_agg(number), '{}')
    from (
      select class, sum(number)::int as number
      from unnest(known.classes || excluded.classes, known.numbers || excluded.numbers) as added (class, number)
      group by class order by class
    ) as summed
  );
end
$$;

--
-- Name: duration_class_v1(double precision); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.duration_class_v1(milliseconds double precision) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select ceil(ln(greatest(milliseconds, 1)) / ln(1.1))::int
$$;

--
-- Name: grants_v1(text, text, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.grants_v1(tenant text, object text, action text, granting_roles text) RETURNS TABLE(client_id text, role text, policy_id uuid, scope text, created_at timestamp with time zone)
    LANGUAGE sql STABLE
    AS $_$
  select binding.client_id, binding.role, null::uuid, null, binding.created_at
  from public.role_bindings as binding
  where binding.tenant_id = $1
    and (
      binding.role = any (string_to_array($4, ','))
      or exists (
        select from public.policies as policy
        where policy.tenant_id = binding.tenant_id and policy.role = binding.role
          and policy.object = $2 and policy.action = $3
        offset 0
      )
    )
  union all
  select policy.client_id, null, policy.policy_id, policy.object || ':' || policy.action, policy.created_at
  from public.policies as policy
  where policy.tenant_id = $1 and policy.client_id is not null and policy.object = $2 and policy.action = $3
$_$;

--
-- Name: log_end_v1(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.log_end_v1() RETURNS bigint
    LANGUAGE sql STABLE
    AS $$
  select greatest(
    (
      select max(last.seq) from generate_series(0, 15) as slot cross join lateral (
        select seq from public.slot_events_v1(slot, 0)
        order by public.tenant_slot_v1(tenant_id) desc, seq desc limit 1
      ) as last
    ), (select max(published_seq) from public.slots), 0
  )
$$;

--
-- Name: log_events_v1(text, integer[], text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.log_events_v1(new_events text, slots integer[], ended text) RETURNS void
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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

--
-- Name: logged_events_v1(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.logged_events_v1(new_events text) RETURNS integer[]
    LANGUAGE sql
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
  select array_agg(given.position)
  from json_to_recordset(new_events::json) as given (position int, tenant_id text, command_id uuid, event_type public.event_type)
  where exists (
    select from public.events
    where events.tenant_id = given.tenant_id and events.command_id = given.command_id
      and events.event_type = given.event_type
    offset 0
  )
$$;

--
-- Name: look_at_generation_v1(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.look_at_generation_v1() RETURNS TABLE(id uuid, began_at timestamp with time zone)
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_column
declare
  known public.database_generations;
  shown_identity text;
  shown_timeline text;
  started constant timestamptz := pg_postmaster_start_time();
  is_other boolean;
begin
  select * into known from public.database_generations where shared_until is null;
  if not pg_is_in_recovery() then
    begin
      shown_identity := (select system_identifier from pg_control_system())
        || '/' || (select oid from pg_database where datname = current_database())
        || '/' || 'public.database_generations'::regclass::oid;
      shown_timeline := left(pg_walfile_name(pg_current_wal_insert_lsn()), 8);
    exception when insufficient_privilege or undefined_function or feature_not_supported then
      null;
    end;
    if known.started_at is distinct from started or known.identity <> shown_identity or known.timeline <> shown_timeline then
      perform pg_advisory_xact_lock(5120998349);
      select * into known from public.database_generations where shared_until is null;
      is_other := coalesce(known.identity <> shown_identity or known.timeline <> shown_timeline, false);
      if is_other or known.started_at is distinct from started then
        update public.database_generations set
          identity = coalesce(shown_identity, identity), timeline = coalesce(shown_timeline, timeline),
          started_at = started, log_end_at_start = public.log_end_v1(), xid_at_start = pg_current_xact_id()::xid,
          is_compared = false
        where shared_until is null;
        if is_other then
          perform public.begin_generation_v1('IDENTITY', known.id);
        else
          update public.slots set owner = '', epoch = epoch + 1, owned_until = now() - interval '1 second';
        end if;
        select * into known from public.database_generations where shared_until is null;
      end if;
    end if;
  end if;
  return query select known.id, known.began_at;
end
$$;

--
-- Name: slot_events_v1(integer, bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.slot_events_v1(of_slot integer, after bigint) RETURNS TABLE(tenant_id text, seq bigint, logged_at timestamp with time zone)
    LANGUAGE sql STABLE
    AS $$
  select tenant_id, seq, logged_at from public.events
  where (public.tenant_slot_v1(tenant_id), seq) > (of_slot, greatest(after, 0))
    and (public.tenant_slot_v1(tenant_id), seq) <= (of_slot, 9223372036854775807)
$$;

--
-- Name: tenant_away_v1(text, jsonb); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.tenant_away_v1(status text, move jsonb) RETURNS text
    LANGUAGE sql STABLE
    AS $$
  select case
    when status = 'MOVING' then ''
    when status = 'MOVED' then case
      when now() < (move ->> 'moved_at')::timestamptz + interval '60 seconds' then ''
      else move ->> 'to'
    end
  end
$$;

--
-- Name: tenant_slot_v1(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.tenant_slot_v1(tenant_id text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select get_byte(sha256(tenant_id::bytea), 0) & 15
$$;

--
-- Name: used_keys_v1(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.used_keys_v1(requests text) RETURNS integer[]
    LANGUAGE sql STABLE
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
  select array_agg(position)
  from json_to_recordset(requests::json) as refused (position int, tenant_id text, idempotency_key text, is_refused boolean)
  where is_refused and exists (
    select from public.commands
    where commands.tenant_id = refused.tenant_id and commands.idempotency_key = refused.idempotency_key
    offset 0
  )
$$;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: audit_bytes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit_bytes (
    tenant_id text NOT NULL,
    outcome text NOT NULL,
    day date NOT NULL,
    bytes bigint NOT NULL
);

ALTER TABLE ONLY public.audit_bytes FORCE ROW LEVEL SECURITY;

--
-- Name: audit_events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit_events (
    tenant_id text NOT NULL,
    audit_event_id uuid NOT NULL,
    occurred_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    client_id text NOT NULL,
    operation text NOT NULL,
    target text NOT NULL,
    changes text[] NOT NULL,
    before jsonb,
    after jsonb,
    outcome text NOT NULL,
    request_id text NOT NULL,
    source_address text
);

ALTER TABLE ONLY public.audit_events FORCE ROW LEVEL SECURITY;

--
-- Name: bus_principals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.bus_principals (
    tenant_id text NOT NULL,
    principal_id uuid NOT NULL,
    bus_user text NOT NULL,
    bus_account_public_key text NOT NULL,
    bus_user_public_key text NOT NULL,
    principal_type text NOT NULL,
    client_id text,
    service_name text,
    vendors text[],
    status text NOT NULL,
    expires_at timestamp(3) with time zone,
    problem text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.bus_principals FORCE ROW LEVEL SECURITY;

--
-- Name: callback_endpoints; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.callback_endpoints (
    tenant_id text NOT NULL,
    endpoint_id uuid NOT NULL,
    name text NOT NULL,
    url text NOT NULL,
    status text NOT NULL,
    timeout_seconds integer NOT NULL,
    max_attempts integer NOT NULL,
    secret_version integer NOT NULL,
    secret_sealed bytea NOT NULL,
    previous_secret_sealed bytea,
    previous_secret_expires_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.callback_endpoints FORCE ROW LEVEL SECURITY;

--
-- Name: callback_subscriptions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.callback_subscriptions (
    tenant_id text NOT NULL,
    endpoint_id uuid NOT NULL,
    subscription_id uuid NOT NULL,
    event_type text NOT NULL,
    status text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.callback_subscriptions FORCE ROW LEVEL SECURITY;

--
-- Name: command_figures; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.command_figures (
    tenant_id text NOT NULL,
    hour timestamp(3) with time zone NOT NULL,
    reason text NOT NULL,
    is_other boolean NOT NULL,
    vendor text NOT NULL,
    status text NOT NULL,
    minute integer NOT NULL,
    total integer NOT NULL,
    classes integer[] NOT NULL,
    numbers integer[] NOT NULL
)
WITH (fillfactor='50');

ALTER TABLE ONLY public.command_figures FORCE ROW LEVEL SECURITY;

--
-- Name: command_figures_start; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.command_figures_start (
    counted_since timestamp(3) with time zone NOT NULL
);

--
-- Name: command_types; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.command_types (
    vendor text NOT NULL,
    command_type text NOT NULL,
    enabled boolean NOT NULL,
    description text NOT NULL,
    payload_schema json NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

--
-- Name: commands; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.commands (
    tenant_id text NOT NULL,
    command_id uuid NOT NULL,
    idempotency_key text NOT NULL,
    vendor text NOT NULL,
    device_id text NOT NULL,
    command_type text NOT NULL,
    payload json NOT NULL,
    timeout_seconds integer NOT NULL,
    status public.command_status NOT NULL,
    adapter_status public.adapter_status NOT NULL,
    device_execution_status public.device_execution_status NOT NULL,
    status_reason json,
    progress json,
    result json,
    late_result json,
    history text DEFAULT ''::text NOT NULL,
    accepted_at timestamp(3) with time zone NOT NULL,
    dispatched_at timestamp(3) with time zone,
    deadline_at timestamp(3) with time zone NOT NULL,
    completed_at timestamp(3) with time zone,
    updated_at timestamp(3) with time zone NOT NULL,
    created_by_client_id text NOT NULL,
    request_id text NOT NULL,
    traceparent text,
    batch_id uuid,
    is_copied boolean
)
WITH (fillfactor='40');

ALTER TABLE ONLY public.commands FORCE ROW LEVEL SECURITY;

--
-- Name: credentials; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.credentials (
    tenant_id text NOT NULL,
    client_id text NOT NULL,
    number bigint NOT NULL,
    name text NOT NULL,
    status text NOT NULL,
    allowed_clock_skew_seconds integer NOT NULL,
    replay_window_seconds integer NOT NULL,
    requests_per_minute integer,
    secret_version integer NOT NULL,
    secret_sealed bytea NOT NULL,
    previous_secret_sealed bytea,
    previous_secret_expires_at timestamp(3) with time zone,
    expires_at timestamp(3) with time zone,
    last_used_at timestamp(3) with time zone,
    secret_last_used_at timestamp(3) with time zone,
    previous_secret_last_used_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
)
WITH (fillfactor='70');

ALTER TABLE ONLY public.credentials FORCE ROW LEVEL SECURITY;

--
-- Name: credentials_number_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.credentials ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.credentials_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: database_generations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.database_generations (
    id uuid NOT NULL,
    began_at timestamp(3) with time zone NOT NULL,
    cause text NOT NULL,
    shared_until bigint,
    number bigint DEFAULT 0 NOT NULL,
    is_compared boolean DEFAULT false NOT NULL,
    identity text,
    timeline text,
    started_at timestamp with time zone,
    log_end_at_start bigint DEFAULT 0 NOT NULL,
    xid_at_start xid
);

--
-- Name: device_requests; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.device_requests (
    tenant_id text NOT NULL,
    device_request_id uuid NOT NULL,
    vendor text NOT NULL,
    device_id text NOT NULL,
    request_type text NOT NULL,
    payload json NOT NULL,
    dedupe_id text NOT NULL,
    status text NOT NULL,
    received_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    reply_outcome text,
    reply_payload json,
    reply_error json,
    reply_sha256 bytea,
    replied_at timestamp(3) with time zone,
    replied_by_client_id text
);

ALTER TABLE ONLY public.device_requests FORCE ROW LEVEL SECURITY;

--
-- Name: event_log_origins; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.event_log_origins (
    tenant_id text NOT NULL,
    "position" integer NOT NULL,
    cursor_key_sealed bytea NOT NULL,
    generations jsonb NOT NULL,
    from_seq bigint NOT NULL,
    to_seq bigint NOT NULL,
    shift bigint NOT NULL
);

ALTER TABLE ONLY public.event_log_origins FORCE ROW LEVEL SECURITY;

--
-- Name: events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.events (
    tenant_id text NOT NULL,
    command_id uuid NOT NULL,
    event_type public.event_type NOT NULL,
    event_id uuid NOT NULL,
    seq bigint NOT NULL,
    logged_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY public.events FORCE ROW LEVEL SECURITY;

--
-- Name: events_seq_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.events ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.events_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: idempotent_answers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.idempotent_answers (
    tenant_id text NOT NULL,
    answer_id uuid NOT NULL,
    client_id text NOT NULL,
    operation text NOT NULL,
    idempotency_key text NOT NULL,
    answer_sealed bytea
);

ALTER TABLE ONLY public.idempotent_answers FORCE ROW LEVEL SECURITY;

--
-- Name: keyring_canaries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.keyring_canaries (
    key_id text NOT NULL,
    sealed bytea NOT NULL
);

--
-- Name: nonces; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.nonces (
    credential_number bigint NOT NULL,
    nonce_hash bytea NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);

--
-- Name: object_credentials; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.object_credentials (
    tenant_id text NOT NULL,
    credential_id uuid NOT NULL,
    name text NOT NULL,
    provider text,
    endpoint text NOT NULL,
    region text NOT NULL,
    force_path_style boolean NOT NULL,
    access_key_id text NOT NULL,
    secret_version integer NOT NULL,
    secret_access_key_sealed bytea NOT NULL,
    session_token_sealed bytea,
    status text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.object_credentials FORCE ROW LEVEL SECURITY;

--
-- Name: object_grants; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.object_grants (
    tenant_id text NOT NULL,
    presign_id uuid NOT NULL,
    resource_id uuid NOT NULL,
    operation text NOT NULL,
    key text NOT NULL,
    content_type text,
    content_length bigint,
    client_id text NOT NULL,
    request_id text NOT NULL,
    granted_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);

ALTER TABLE ONLY public.object_grants FORCE ROW LEVEL SECURITY;

--
-- Name: object_resources; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.object_resources (
    tenant_id text NOT NULL,
    resource_id uuid NOT NULL,
    name text NOT NULL,
    credential_id uuid NOT NULL,
    bucket text NOT NULL,
    allowed_operations text[] NOT NULL,
    key_prefix text NOT NULL,
    allowed_content_types text[],
    max_object_bytes bigint NOT NULL,
    max_expires_in_seconds integer NOT NULL,
    status text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.object_resources FORCE ROW LEVEL SECURITY;

--
-- Name: outbox; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.outbox (
    tenant_id text NOT NULL,
    is_logged boolean DEFAULT false NOT NULL,
    "position" bigint NOT NULL,
    kind public.outbox_kind NOT NULL,
    fact_id uuid NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='10000');

ALTER TABLE ONLY public.outbox FORCE ROW LEVEL SECURITY;

--
-- Name: outbox_position_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.outbox ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.outbox_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: parked_messages; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.parked_messages (
    tenant_id text DEFAULT 'platform'::text NOT NULL,
    parked_message_id uuid NOT NULL,
    parked_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    subject text NOT NULL,
    reason text NOT NULL,
    details jsonb DEFAULT '[]'::jsonb NOT NULL,
    body bytea NOT NULL,
    is_whole boolean DEFAULT false NOT NULL
);

ALTER TABLE ONLY public.parked_messages FORCE ROW LEVEL SECURITY;

--
-- Name: policies; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.policies (
    tenant_id text NOT NULL,
    policy_id uuid NOT NULL,
    client_id text,
    role text,
    object text NOT NULL,
    action text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT policies_subject CHECK (((client_id IS NULL) <> (role IS NULL)))
);

ALTER TABLE ONLY public.policies FORCE ROW LEVEL SECURITY;

--
-- Name: role_bindings; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.role_bindings (
    tenant_id text NOT NULL,
    client_id text NOT NULL,
    role text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.role_bindings FORCE ROW LEVEL SECURITY;

--
-- Name: roles; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.roles (
    tenant_id text NOT NULL,
    role text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.roles FORCE ROW LEVEL SECURITY;

--
-- Name: slots; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.slots (
    slot integer NOT NULL,
    owner text NOT NULL,
    epoch bigint NOT NULL,
    owned_until timestamp(3) with time zone NOT NULL,
    can_publish boolean DEFAULT true NOT NULL,
    claimant text,
    claimed_until timestamp(3) with time zone,
    published_seq bigint DEFAULT 0 NOT NULL,
    swept_until timestamp(3) with time zone NOT NULL
);

--
-- Name: taken_names; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.taken_names (
    kind text NOT NULL,
    name text NOT NULL,
    tenant_id text NOT NULL
);

--
-- Name: tenants; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.tenants (
    tenant_id text NOT NULL,
    name text NOT NULL,
    status text DEFAULT 'ACTIVE'::text NOT NULL,
    vendors text[],
    requests_per_minute integer,
    adapter_reads jsonb,
    deletion jsonb,
    move jsonb,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

--
-- Name: vendors; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.vendors (
    vendor text NOT NULL,
    enabled boolean NOT NULL,
    last_read_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

--
-- Name: write_probe; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.write_probe (
    page text
);
ALTER TABLE ONLY public.write_probe ALTER COLUMN page SET STORAGE PLAIN;

--
-- Name: audit_bytes audit_bytes_tenant_id_outcome_pk; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit_bytes
    ADD CONSTRAINT audit_bytes_tenant_id_outcome_pk PRIMARY KEY (tenant_id, outcome);

--
-- Name: audit_events audit_events_tenant_id_audit_event_id_pk; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit_events
    ADD CONSTRAINT audit_events_tenant_id_audit_event_id_pk PRIMARY KEY (tenant_id, audit_event_id);

--
-- Name: bus_principals bus_principals_tenant_id_principal_id_pk; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.bus_principals
    ADD CONSTRAINT bus_principals_tenant_id_principal_id_pk PRIMARY KEY (tenant_id, principal_id);

--
-- Name: callback_endpoints callback_endpoints_tenant_id_endpoint_id_pk; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.callback_endpoints
    ADD CONSTRAINT callback_endpoints_tenant_id_endpoint_id_pk PRIMARY KEY (tenant_id, endpoint_id);

--
-- Name: callback_subscriptions callback_subscriptions_event_type; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.callback_subscriptions
    ADD CONSTRAINT callback_subscriptions_event_type UNIQUE (tenant_id, endpoint_id, event_type);

--
-- Name: callback_subscriptions callback_subscriptions_tenant_id_endpoint_id_subscription_id_pk; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.callback_subscriptions
    ADD CONSTRAINT callback_subscriptions_tenant_id_endpoint_id_subscription_id_pk PRIMARY KEY (tenant_id, endpoint_id, subscription_id);

--
-- Name: command_figures command_figures_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.command_figures
    ADD CONSTRAINT command_figures_key PRIMARY KEY (tenant_id, hour, reason, is_other, vendor, status, minute);

--
-- Name: command_figures_start command_figures_start_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.command_figures_start
    ADD CONSTRAINT command_figures_start_pkey PRIMARY KEY (counted_since);

--
-- Name: command_types command_types_vendor_command_type_pk; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.command_types
    ADD CONSTRAINT command_types_vendor_command_type_pk PRIMARY KEY (vendor, command_type);

--
-- Name: commands commands_idempotency_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.commands
    ADD CONSTRAINT commands_idempotency_key UNIQUE (tenant_id, idempotency_key);

--
-- Name: commands commands_tenant_id_command_id_pk; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.commands
    ADD CONSTRAINT commands_tenant_id_command_id_pk PRIMARY KEY (tenant_id, command_id);

--
-- Name: credentials credentials_tenant_id_client_id_pk; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credentials
    ADD CONSTRAINT credentials_tenant_id_client_id_pk PRIMARY KEY (tenant_id, client_id);

--
-- Name: database_generations database_generations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.database_generations
    ADD CONSTRAINT database_generations_pkey PRIMARY KEY (id);

--
-- Name: device_requests device_requests_dedupe_id; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.device_requests
    ADD CONSTRAINT device_requests_dedupe_id UNIQUE (tenant_id, vendor, dedupe_id, device_id);

--
-- Name: device_requests device_requests_tenant_id_device_request_id_pk; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.device_requests
    ADD CONSTRAINT device_requests_tenant_id_device_request_id_pk PRIMARY KEY (tenant_id, device_request_id);

--
-- Name: event_log_origins event_log_origins_tenant_id_position_pk; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.event_log_origins
    ADD CONSTRAINT event_log_origins_tenant_id_position_pk PRIMARY KEY (tenant_id, "position");

--
-- Name: events events_tenant_id_command_id_event_type_pk; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_tenant_id_command_id_event_type_pk PRIMARY KEY (tenant_id, command_id, event_type);

--
-- Name: idempotent_answers idempotent_answers_tenant_id_answer_id_pk; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotent_answers
    ADD CONSTRAINT idempotent_answers_tenant_id_answer_id_pk PRIMARY KEY (tenant_id, answer_id);

--
-- Name: keyring_canaries keyring_canaries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.keyring_canaries
    ADD CONSTRAINT keyring_canaries_pkey PRIMARY KEY (key_id);

--
-- Name: nonces nonces_credential_number_nonce_hash_pk; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.nonces
    ADD CONSTRAINT nonces_credential_number_nonce_hash_pk PRIMARY KEY (credential_number, nonce_hash);

--
-- Name: object_credentials object_credentials_tenant_id_credential_id_pk; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.object_credentials
    ADD CONSTRAINT object_credentials_tenant_id_credential_id_pk PRIMARY KEY (tenant_id, credential_id);

--
-- Name: object_grants object_grants_tenant_id_presign_id_pk; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.object_grants
    ADD CONSTRAINT object_grants_tenant_id_presign_id_pk PRIMARY KEY (tenant_id, presign_id);

--
-- Name: object_resources object_resources_tenant_id_resource_id_pk; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.object_resources
    ADD CONSTRAINT object_resources_tenant_id_resource_id_pk PRIMARY KEY (tenant_id, resource_id);

--
-- Name: outbox outbox_tenant_id_is_logged_position_pk; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_tenant_id_is_logged_position_pk PRIMARY KEY (tenant_id, is_logged, "position");

--
-- Name: parked_messages parked_messages_tenant_id_parked_message_id_pk; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.parked_messages
    ADD CONSTRAINT parked_messages_tenant_id_parked_message_id_pk PRIMARY KEY (tenant_id, parked_message_id);

--
-- Name: policies policies_tenant_id_policy_id_pk; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.policies
    ADD CONSTRAINT policies_tenant_id_policy_id_pk PRIMARY KEY (tenant_id, policy_id);

--
-- Name: role_bindings role_bindings_tenant_id_client_id_role_pk; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.role_bindings
    ADD CONSTRAINT role_bindings_tenant_id_client_id_role_pk PRIMARY KEY (tenant_id, client_id, role);

--
-- Name: roles roles_tenant_id_role_pk; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.roles
    ADD CONSTRAINT roles_tenant_id_role_pk PRIMARY KEY (tenant_id, role);

--
-- Name: slots slots_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.slots
    ADD CONSTRAINT slots_pkey PRIMARY KEY (slot);

--
-- Name: taken_names taken_names_kind_name_pk; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.taken_names
    ADD CONSTRAINT taken_names_kind_name_pk PRIMARY KEY (kind, name);

--
-- Name: tenants tenants_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tenants
    ADD CONSTRAINT tenants_pkey PRIMARY KEY (tenant_id);

--
-- Name: vendors vendors_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.vendors
    ADD CONSTRAINT vendors_pkey PRIMARY KEY (vendor);

--
-- Name: audit_events_of_address; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_events_of_address ON public.audit_events USING btree (tenant_id, source_address, audit_event_id);

--
-- Name: audit_events_of_client; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_events_of_client ON public.audit_events USING btree (tenant_id, client_id, audit_event_id);

--
-- Name: audit_events_of_target; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_events_of_target ON public.audit_events USING btree (tenant_id, target, audit_event_id);

--
-- Name: bus_principals_reading_events; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX bus_principals_reading_events ON public.bus_principals USING btree (tenant_id) WHERE ((principal_type = 'CLIENT'::text) AND (status <> 'DELETED'::text));

--
-- Name: command_types_in_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX command_types_in_order ON public.command_types USING btree (vendor, created_at, command_type);

--
-- Name: commands_by_deadline; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX commands_by_deadline ON public.commands USING btree (deadline_at);

--
-- Name: commands_of_batch; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX commands_of_batch ON public.commands USING btree (tenant_id, batch_id, command_id) WHERE (batch_id IS NOT NULL);

--
-- Name: commands_of_device; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX commands_of_device ON public.commands USING btree (tenant_id, device_id, command_id);

--
-- Name: credentials_in_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credentials_in_order ON public.credentials USING btree (tenant_id, created_at, client_id);

--
-- Name: database_generations_current; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX database_generations_current ON public.database_generations USING btree (((shared_until IS NULL))) WHERE (shared_until IS NULL);

--
-- Name: device_requests_of_device; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX device_requests_of_device ON public.device_requests USING btree (tenant_id, device_id, device_request_id);

--
-- Name: device_requests_pending; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX device_requests_pending ON public.device_requests USING btree (expires_at) WHERE (status = 'PENDING'::text);

--
-- Name: device_requests_to_answer; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX device_requests_to_answer ON public.device_requests USING btree (tenant_id, device_request_id) WHERE (status = 'PENDING'::text);

--
-- Name: events_of_slot; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX events_of_slot ON public.events USING btree (public.tenant_slot_v1(tenant_id), seq);

--
-- Name: events_of_tenant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX events_of_tenant ON public.events USING btree (tenant_id, seq);

--
-- Name: idempotent_answers_by_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idempotent_answers_by_key ON public.idempotent_answers USING btree (tenant_id, client_id, operation, idempotency_key);

--
-- Name: nonces_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX nonces_by_expiry ON public.nonces USING btree (expires_at);

--
-- Name: object_resources_of_credential; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX object_resources_of_credential ON public.object_resources USING btree (tenant_id, credential_id, resource_id);

--
-- Name: parked_messages_parked_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX parked_messages_parked_at ON public.parked_messages USING btree (parked_at);

--
-- Name: policies_in_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX policies_in_order ON public.policies USING btree (tenant_id, policy_id) WHERE (client_id IS NOT NULL);

--
-- Name: policies_of_client; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX policies_of_client ON public.policies USING btree (tenant_id, client_id, object, action) WHERE (client_id IS NOT NULL);

--
-- Name: policies_of_role; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX policies_of_role ON public.policies USING btree (tenant_id, role, object, action) WHERE (role IS NOT NULL);

--
-- Name: role_bindings_in_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX role_bindings_in_order ON public.role_bindings USING btree (tenant_id, created_at, client_id, role);

--
-- Name: taken_names_ignoring_case; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX taken_names_ignoring_case ON public.taken_names USING btree (kind, lower((name COLLATE "C")));

--
-- Name: tenants_deleting; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tenants_deleting ON public.tenants USING btree (tenant_id) WHERE (status = 'DELETING'::text);

--
-- Name: tenants_in_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tenants_in_order ON public.tenants USING btree (created_at, tenant_id);

--
-- Name: tenants_moving; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tenants_moving ON public.tenants USING btree (tenant_id) WHERE (status = 'MOVING'::text);

--
-- Name: tenants_to_empty; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tenants_to_empty ON public.tenants USING btree (tenant_id) WHERE ((deletion -> 'work'::text) IS NOT NULL);

--
-- Name: vendors_in_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX vendors_in_order ON public.vendors USING btree (created_at, vendor);

--
-- Name: bus_principals bus_principals_credential; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.bus_principals
    ADD CONSTRAINT bus_principals_credential FOREIGN KEY (tenant_id, client_id) REFERENCES public.credentials(tenant_id, client_id);

--
-- Name: bus_principals bus_principals_tenant; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.bus_principals
    ADD CONSTRAINT bus_principals_tenant FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);

--
-- Name: callback_endpoints callback_endpoints_tenant; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.callback_endpoints
    ADD CONSTRAINT callback_endpoints_tenant FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);

--
-- Name: callback_subscriptions callback_subscriptions_endpoint; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.callback_subscriptions
    ADD CONSTRAINT callback_subscriptions_endpoint FOREIGN KEY (tenant_id, endpoint_id) REFERENCES public.callback_endpoints(tenant_id, endpoint_id);

--
-- Name: command_types command_types_vendor_vendors_vendor_fk; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.command_types
    ADD CONSTRAINT command_types_vendor_vendors_vendor_fk FOREIGN KEY (vendor) REFERENCES public.vendors(vendor);

--
-- Name: commands commands_created_by; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.commands
    ADD CONSTRAINT commands_created_by FOREIGN KEY (tenant_id, created_by_client_id) REFERENCES public.credentials(tenant_id, client_id);

--
-- Name: credentials credentials_tenant; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credentials
    ADD CONSTRAINT credentials_tenant FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);

--
-- Name: device_requests device_requests_tenant; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.device_requests
    ADD CONSTRAINT device_requests_tenant FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);

--
-- Name: object_credentials object_credentials_tenant; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.object_credentials
    ADD CONSTRAINT object_credentials_tenant FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);

--
-- Name: object_resources object_resources_credential; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.object_resources
    ADD CONSTRAINT object_resources_credential FOREIGN KEY (tenant_id, credential_id) REFERENCES public.object_credentials(tenant_id, credential_id);

--
-- Name: policies policies_credential; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.policies
    ADD CONSTRAINT policies_credential FOREIGN KEY (tenant_id, client_id) REFERENCES public.credentials(tenant_id, client_id);

--
-- Name: policies policies_role; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.policies
    ADD CONSTRAINT policies_role FOREIGN KEY (tenant_id, role) REFERENCES public.roles(tenant_id, role) ON DELETE CASCADE;

--
-- Name: role_bindings role_bindings_credential; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.role_bindings
    ADD CONSTRAINT role_bindings_credential FOREIGN KEY (tenant_id, client_id) REFERENCES public.credentials(tenant_id, client_id);

--
-- Name: roles roles_tenant; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.roles
    ADD CONSTRAINT roles_tenant FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);

--
-- Name: audit_bytes; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.audit_bytes ENABLE ROW LEVEL SECURITY;

--
-- Name: audit_events; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.audit_events ENABLE ROW LEVEL SECURITY;

--
-- Name: bus_principals; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.bus_principals ENABLE ROW LEVEL SECURITY;

--
-- Name: callback_endpoints; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.callback_endpoints ENABLE ROW LEVEL SECURITY;

--
-- Name: callback_subscriptions; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.callback_subscriptions ENABLE ROW LEVEL SECURITY;

--
-- Name: command_figures; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.command_figures ENABLE ROW LEVEL SECURITY;

--
-- Name: commands; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.commands ENABLE ROW LEVEL SECURITY;

--
-- Name: credentials; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.credentials ENABLE ROW LEVEL SECURITY;

--
-- Name: device_requests; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.device_requests ENABLE ROW LEVEL SECURITY;

--
-- Name: event_log_origins; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.event_log_origins ENABLE ROW LEVEL SECURITY;

--
-- Name: events; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.events ENABLE ROW LEVEL SECURITY;

--
-- Name: idempotent_answers; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.idempotent_answers ENABLE ROW LEVEL SECURITY;

--
-- Name: object_credentials; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.object_credentials ENABLE ROW LEVEL SECURITY;

--
-- Name: object_grants; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.object_grants ENABLE ROW LEVEL SECURITY;

--
-- Name: object_resources; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.object_resources ENABLE ROW LEVEL SECURITY;

--
-- Name: outbox; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.outbox ENABLE ROW LEVEL SECURITY;

--
-- Name: parked_messages; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.parked_messages ENABLE ROW LEVEL SECURITY;

--
-- Name: policies; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.policies ENABLE ROW LEVEL SECURITY;

--
-- Name: role_bindings; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.role_bindings ENABLE ROW LEVEL SECURITY;

--
-- Name: roles; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.roles ENABLE ROW LEVEL SECURITY;

--
-- Name: audit_bytes top_app; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_app ON public.audit_bytes TO top_app USING ((tenant_id = current_setting('app.tenant_id'::text)));

--
-- Name: audit_events top_app; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_app ON public.audit_events TO top_app USING ((tenant_id = current_setting('app.tenant_id'::text)));

--
-- Name: bus_principals top_app; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_app ON public.bus_principals TO top_app USING ((tenant_id = current_setting('app.tenant_id'::text)));

--
-- Name: callback_endpoints top_app; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_app ON public.callback_endpoints TO top_app USING ((tenant_id = current_setting('app.tenant_id'::text)));

--
-- Name: callback_subscriptions top_app; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_app ON public.callback_subscriptions TO top_app USING ((tenant_id = current_setting('app.tenant_id'::text)));

--
-- Name: command_figures top_app; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_app ON public.command_figures TO top_app USING ((tenant_id = current_setting('app.tenant_id'::text)));

--
-- Name: commands top_app; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_app ON public.commands TO top_app USING ((tenant_id = current_setting('app.tenant_id'::text)));

--
-- Name: credentials top_app; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_app ON public.credentials TO top_app USING ((tenant_id = current_setting('app.tenant_id'::text)));

--
-- Name: device_requests top_app; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_app ON public.device_requests TO top_app USING ((tenant_id = current_setting('app.tenant_id'::text)));

--
-- Name: event_log_origins top_app; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_app ON public.event_log_origins TO top_app USING ((tenant_id = current_setting('app.tenant_id'::text)));

--
-- Name: events top_app; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_app ON public.events TO top_app USING ((tenant_id = current_setting('app.tenant_id'::text)));

--
-- Name: idempotent_answers top_app; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_app ON public.idempotent_answers TO top_app USING ((tenant_id = current_setting('app.tenant_id'::text)));

--
-- Name: object_credentials top_app; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_app ON public.object_credentials TO top_app USING ((tenant_id = current_setting('app.tenant_id'::text)));

--
-- Name: object_grants top_app; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_app ON public.object_grants TO top_app USING ((tenant_id = current_setting('app.tenant_id'::text)));

--
-- Name: object_resources top_app; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_app ON public.object_resources TO top_app USING ((tenant_id = current_setting('app.tenant_id'::text)));

--
-- Name: outbox top_app; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_app ON public.outbox TO top_app USING ((tenant_id = current_setting('app.tenant_id'::text)));

--
-- Name: parked_messages top_app; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_app ON public.parked_messages TO top_app USING ((tenant_id = current_setting('app.tenant_id'::text)));

--
-- Name: policies top_app; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_app ON public.policies TO top_app USING ((tenant_id = current_setting('app.tenant_id'::text)));

--
-- Name: role_bindings top_app; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_app ON public.role_bindings TO top_app USING ((tenant_id = current_setting('app.tenant_id'::text)));

--
-- Name: roles top_app; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_app ON public.roles TO top_app USING ((tenant_id = current_setting('app.tenant_id'::text)));

--
-- Name: commands top_ingest_insert; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_ingest_insert ON public.commands FOR INSERT TO top_ingest WITH CHECK (true);

--
-- Name: outbox top_ingest_insert; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_ingest_insert ON public.outbox FOR INSERT TO top_ingest WITH CHECK (true);

--
-- Name: commands top_ingest_select; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_ingest_select ON public.commands FOR SELECT TO top_ingest USING (true);

--
-- Name: credentials top_ingest_select; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_ingest_select ON public.credentials FOR SELECT TO top_ingest USING (true);

--
-- Name: policies top_ingest_select; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_ingest_select ON public.policies FOR SELECT TO top_ingest USING (true);

--
-- Name: role_bindings top_ingest_select; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_ingest_select ON public.role_bindings FOR SELECT TO top_ingest USING (true);

--
-- Name: audit_bytes top_system; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system ON public.audit_bytes TO top_system USING (true) WITH CHECK (true);

--
-- Name: bus_principals top_system; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system ON public.bus_principals TO top_system USING (true) WITH CHECK (true);

--
-- Name: callback_endpoints top_system; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system ON public.callback_endpoints TO top_system USING (true) WITH CHECK (true);

--
-- Name: callback_subscriptions top_system; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system ON public.callback_subscriptions TO top_system USING (true) WITH CHECK (true);

--
-- Name: command_figures top_system; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system ON public.command_figures TO top_system USING (true) WITH CHECK (true);

--
-- Name: commands top_system; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system ON public.commands TO top_system USING (true) WITH CHECK (true);

--
-- Name: credentials top_system; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system ON public.credentials TO top_system USING (true) WITH CHECK (true);

--
-- Name: device_requests top_system; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system ON public.device_requests TO top_system USING (true) WITH CHECK (true);

--
-- Name: event_log_origins top_system; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system ON public.event_log_origins TO top_system USING (true) WITH CHECK (true);

--
-- Name: events top_system; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system ON public.events TO top_system USING (true) WITH CHECK (true);

--
-- Name: idempotent_answers top_system; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system ON public.idempotent_answers TO top_system USING (true) WITH CHECK (true);

--
-- Name: object_credentials top_system; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system ON public.object_credentials TO top_system USING (true) WITH CHECK (true);

--
-- Name: object_grants top_system; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system ON public.object_grants TO top_system USING (true) WITH CHECK (true);

--
-- Name: object_resources top_system; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system ON public.object_resources TO top_system USING (true) WITH CHECK (true);

--
-- Name: outbox top_system; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system ON public.outbox TO top_system USING (true) WITH CHECK (true);

--
-- Name: parked_messages top_system; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system ON public.parked_messages TO top_system USING (true) WITH CHECK (true);

--
-- Name: policies top_system; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system ON public.policies TO top_system USING (true) WITH CHECK (true);

--
-- Name: role_bindings top_system; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system ON public.role_bindings TO top_system USING (true) WITH CHECK (true);

--
-- Name: roles top_system; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system ON public.roles TO top_system USING (true) WITH CHECK (true);

--
-- Name: audit_events top_system_delete; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system_delete ON public.audit_events FOR DELETE TO top_system USING ((occurred_at < (now() - '90 days'::interval)));

--
-- Name: bus_principals top_system_delete; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system_delete ON public.bus_principals AS RESTRICTIVE FOR DELETE TO top_system USING ((tenant_id IN ( SELECT tenants.tenant_id
   FROM public.tenants
  WHERE (tenants.status = ANY (ARRAY['DELETING'::text, 'MOVED'::text])))));

--
-- Name: callback_endpoints top_system_delete; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system_delete ON public.callback_endpoints AS RESTRICTIVE FOR DELETE TO top_system USING ((tenant_id IN ( SELECT tenants.tenant_id
   FROM public.tenants
  WHERE (tenants.status = ANY (ARRAY['DELETING'::text, 'MOVED'::text])))));

--
-- Name: callback_subscriptions top_system_delete; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system_delete ON public.callback_subscriptions AS RESTRICTIVE FOR DELETE TO top_system USING ((tenant_id IN ( SELECT tenants.tenant_id
   FROM public.tenants
  WHERE (tenants.status = ANY (ARRAY['DELETING'::text, 'MOVED'::text])))));

--
-- Name: credentials top_system_delete; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system_delete ON public.credentials AS RESTRICTIVE FOR DELETE TO top_system USING ((tenant_id IN ( SELECT tenants.tenant_id
   FROM public.tenants
  WHERE (tenants.status = ANY (ARRAY['DELETING'::text, 'MOVED'::text])))));

--
-- Name: event_log_origins top_system_delete; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system_delete ON public.event_log_origins AS RESTRICTIVE FOR DELETE TO top_system USING ((tenant_id IN ( SELECT tenants.tenant_id
   FROM public.tenants
  WHERE (tenants.status = ANY (ARRAY['DELETING'::text, 'MOVED'::text])))));

--
-- Name: object_credentials top_system_delete; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system_delete ON public.object_credentials AS RESTRICTIVE FOR DELETE TO top_system USING ((tenant_id IN ( SELECT tenants.tenant_id
   FROM public.tenants
  WHERE (tenants.status = ANY (ARRAY['DELETING'::text, 'MOVED'::text])))));

--
-- Name: object_resources top_system_delete; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system_delete ON public.object_resources AS RESTRICTIVE FOR DELETE TO top_system USING ((tenant_id IN ( SELECT tenants.tenant_id
   FROM public.tenants
  WHERE (tenants.status = ANY (ARRAY['DELETING'::text, 'MOVED'::text])))));

--
-- Name: policies top_system_delete; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system_delete ON public.policies AS RESTRICTIVE FOR DELETE TO top_system USING ((tenant_id IN ( SELECT tenants.tenant_id
   FROM public.tenants
  WHERE (tenants.status = ANY (ARRAY['DELETING'::text, 'MOVED'::text])))));

--
-- Name: role_bindings top_system_delete; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system_delete ON public.role_bindings AS RESTRICTIVE FOR DELETE TO top_system USING ((tenant_id IN ( SELECT tenants.tenant_id
   FROM public.tenants
  WHERE (tenants.status = ANY (ARRAY['DELETING'::text, 'MOVED'::text])))));

--
-- Name: roles top_system_delete; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system_delete ON public.roles AS RESTRICTIVE FOR DELETE TO top_system USING ((tenant_id IN ( SELECT tenants.tenant_id
   FROM public.tenants
  WHERE (tenants.status = ANY (ARRAY['DELETING'::text, 'MOVED'::text])))));

--
-- Name: audit_events top_system_delete_of_tenant; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system_delete_of_tenant ON public.audit_events FOR DELETE TO top_system USING (((tenant_id IN ( SELECT tenants.tenant_id
   FROM public.tenants
  WHERE (tenants.status = ANY (ARRAY['DELETING'::text, 'MOVED'::text])))) OR ((tenant_id = 'platform'::text) AND (operation = 'tenants.create'::text) AND (target IN ( SELECT ('platform/tenants/'::text || tenants.tenant_id)
   FROM public.tenants
  WHERE (tenants.status = ANY (ARRAY['DELETING'::text, 'MOVED'::text])))))));

--
-- Name: audit_events top_system_select; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY top_system_select ON public.audit_events FOR SELECT TO top_system USING (true);

--
-- Name: SCHEMA admission; Type: ACL; Schema: -; Owner: -
--

GRANT USAGE ON SCHEMA admission TO platform;

--
-- Name: SCHEMA public; Type: ACL; Schema: -; Owner: -
--

GRANT USAGE ON SCHEMA public TO top_app;
GRANT USAGE ON SCHEMA public TO top_system;
GRANT USAGE ON SCHEMA public TO top_ingest;

--
-- Name: FUNCTION admit_requests_v1(requests text, are_admitted boolean); Type: ACL; Schema: admission; Owner: -
--

REVOKE ALL ON FUNCTION admission.admit_requests_v1(requests text, are_admitted boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION admission.admit_requests_v1(requests text, are_admitted boolean) TO platform;

--
-- Name: FUNCTION begin_generation_v1(cause text, known uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.begin_generation_v1(cause text, known uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.begin_generation_v1(cause text, known uuid) TO top_system;

--
-- Name: FUNCTION count_ended_v1(ended text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.count_ended_v1(ended text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.count_ended_v1(ended text) TO top_app;
GRANT ALL ON FUNCTION public.count_ended_v1(ended text) TO top_system;

--
-- Name: FUNCTION grants_v1(tenant text, object text, action text, granting_roles text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.grants_v1(tenant text, object text, action text, granting_roles text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.grants_v1(tenant text, object text, action text, granting_roles text) TO top_app;
GRANT ALL ON FUNCTION public.grants_v1(tenant text, object text, action text, granting_roles text) TO top_ingest;

--
-- Name: FUNCTION log_end_v1(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.log_end_v1() FROM PUBLIC;
GRANT ALL ON FUNCTION public.log_end_v1() TO top_system;

--
-- Name: FUNCTION log_events_v1(new_events text, slots integer[], ended text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.log_events_v1(new_events text, slots integer[], ended text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.log_events_v1(new_events text, slots integer[], ended text) TO top_app;
GRANT ALL ON FUNCTION public.log_events_v1(new_events text, slots integer[], ended text) TO top_system;

--
-- Name: FUNCTION logged_events_v1(new_events text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.logged_events_v1(new_events text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.logged_events_v1(new_events text) TO top_app;
GRANT ALL ON FUNCTION public.logged_events_v1(new_events text) TO top_system;

--
-- Name: FUNCTION look_at_generation_v1(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.look_at_generation_v1() FROM PUBLIC;
GRANT ALL ON FUNCTION public.look_at_generation_v1() TO top_system;

--
-- Name: FUNCTION slot_events_v1(of_slot integer, after bigint); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.slot_events_v1(of_slot integer, after bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.slot_events_v1(of_slot integer, after bigint) TO top_app;
GRANT ALL ON FUNCTION public.slot_events_v1(of_slot integer, after bigint) TO top_system;

--
-- Name: FUNCTION tenant_away_v1(status text, move jsonb); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.tenant_away_v1(status text, move jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.tenant_away_v1(status text, move jsonb) TO top_app;
GRANT ALL ON FUNCTION public.tenant_away_v1(status text, move jsonb) TO top_system;
GRANT ALL ON FUNCTION public.tenant_away_v1(status text, move jsonb) TO top_ingest;

--
-- Name: FUNCTION used_keys_v1(requests text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.used_keys_v1(requests text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.used_keys_v1(requests text) TO top_ingest;

--
-- Name: TABLE audit_bytes; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.audit_bytes TO top_app;
GRANT DELETE ON TABLE public.audit_bytes TO top_system;

--
-- Name: COLUMN audit_bytes.tenant_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(tenant_id) ON TABLE public.audit_bytes TO top_system;

--
-- Name: COLUMN audit_bytes.outcome; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(outcome) ON TABLE public.audit_bytes TO top_system;

--
-- Name: TABLE audit_events; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE public.audit_events TO top_app;
GRANT DELETE ON TABLE public.audit_events TO top_system;

--
-- Name: COLUMN audit_events.tenant_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(tenant_id) ON TABLE public.audit_events TO top_system;

--
-- Name: COLUMN audit_events.audit_event_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(audit_event_id) ON TABLE public.audit_events TO top_system;

--
-- Name: COLUMN audit_events.occurred_at; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(occurred_at) ON TABLE public.audit_events TO top_system;

--
-- Name: COLUMN audit_events.operation; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(operation) ON TABLE public.audit_events TO top_system;

--
-- Name: COLUMN audit_events.target; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(target) ON TABLE public.audit_events TO top_system;

--
-- Name: TABLE bus_principals; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.bus_principals TO top_app;
GRANT SELECT,DELETE ON TABLE public.bus_principals TO top_system;

--
-- Name: COLUMN bus_principals.problem; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(problem) ON TABLE public.bus_principals TO top_system;

--
-- Name: TABLE callback_endpoints; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.callback_endpoints TO top_app;
GRANT DELETE ON TABLE public.callback_endpoints TO top_system;

--
-- Name: COLUMN callback_endpoints.tenant_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(tenant_id) ON TABLE public.callback_endpoints TO top_system;

--
-- Name: COLUMN callback_endpoints.endpoint_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(endpoint_id) ON TABLE public.callback_endpoints TO top_system;

--
-- Name: TABLE callback_subscriptions; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.callback_subscriptions TO top_app;
GRANT DELETE ON TABLE public.callback_subscriptions TO top_system;

--
-- Name: COLUMN callback_subscriptions.tenant_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(tenant_id) ON TABLE public.callback_subscriptions TO top_system;

--
-- Name: COLUMN callback_subscriptions.endpoint_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(endpoint_id) ON TABLE public.callback_subscriptions TO top_system;

--
-- Name: COLUMN callback_subscriptions.subscription_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(subscription_id) ON TABLE public.callback_subscriptions TO top_system;

--
-- Name: TABLE command_figures; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.command_figures TO top_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.command_figures TO top_system;

--
-- Name: TABLE command_figures_start; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.command_figures_start TO top_app;

--
-- Name: TABLE command_types; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.command_types TO top_app;
GRANT SELECT ON TABLE public.command_types TO top_system;
GRANT SELECT ON TABLE public.command_types TO top_ingest;

--
-- Name: TABLE commands; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.commands TO top_app;
GRANT SELECT,DELETE ON TABLE public.commands TO top_system;
GRANT INSERT ON TABLE public.commands TO top_ingest;

--
-- Name: COLUMN commands.tenant_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(tenant_id) ON TABLE public.commands TO top_ingest;

--
-- Name: COLUMN commands.command_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(command_id) ON TABLE public.commands TO top_ingest;

--
-- Name: COLUMN commands.idempotency_key; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(idempotency_key) ON TABLE public.commands TO top_ingest;

--
-- Name: COLUMN commands.status; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(status) ON TABLE public.commands TO top_app;
GRANT UPDATE(status) ON TABLE public.commands TO top_system;

--
-- Name: COLUMN commands.adapter_status; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(adapter_status) ON TABLE public.commands TO top_app;
GRANT UPDATE(adapter_status) ON TABLE public.commands TO top_system;

--
-- Name: COLUMN commands.device_execution_status; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(device_execution_status) ON TABLE public.commands TO top_app;
GRANT UPDATE(device_execution_status) ON TABLE public.commands TO top_system;

--
-- Name: COLUMN commands.status_reason; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(status_reason) ON TABLE public.commands TO top_app;
GRANT UPDATE(status_reason) ON TABLE public.commands TO top_system;

--
-- Name: COLUMN commands.progress; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(progress) ON TABLE public.commands TO top_app;
GRANT UPDATE(progress) ON TABLE public.commands TO top_system;

--
-- Name: COLUMN commands.result; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(result) ON TABLE public.commands TO top_app;
GRANT UPDATE(result) ON TABLE public.commands TO top_system;

--
-- Name: COLUMN commands.late_result; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(late_result) ON TABLE public.commands TO top_app;
GRANT UPDATE(late_result) ON TABLE public.commands TO top_system;

--
-- Name: COLUMN commands.history; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(history) ON TABLE public.commands TO top_app;
GRANT UPDATE(history) ON TABLE public.commands TO top_system;

--
-- Name: COLUMN commands.dispatched_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(dispatched_at) ON TABLE public.commands TO top_app;
GRANT UPDATE(dispatched_at) ON TABLE public.commands TO top_system;

--
-- Name: COLUMN commands.completed_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(completed_at) ON TABLE public.commands TO top_app;
GRANT UPDATE(completed_at) ON TABLE public.commands TO top_system;

--
-- Name: COLUMN commands.updated_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(updated_at) ON TABLE public.commands TO top_app;
GRANT UPDATE(updated_at) ON TABLE public.commands TO top_system;

--
-- Name: COLUMN commands.is_copied; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(is_copied) ON TABLE public.commands TO top_system;

--
-- Name: TABLE credentials; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.credentials TO top_app;
GRANT SELECT,DELETE ON TABLE public.credentials TO top_system;

--
-- Name: COLUMN credentials.tenant_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(tenant_id) ON TABLE public.credentials TO top_ingest;

--
-- Name: COLUMN credentials.client_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(client_id) ON TABLE public.credentials TO top_ingest;

--
-- Name: COLUMN credentials.status; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(status) ON TABLE public.credentials TO top_ingest;

--
-- Name: COLUMN credentials.allowed_clock_skew_seconds; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(allowed_clock_skew_seconds) ON TABLE public.credentials TO top_ingest;

--
-- Name: COLUMN credentials.replay_window_seconds; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(replay_window_seconds) ON TABLE public.credentials TO top_ingest;

--
-- Name: COLUMN credentials.requests_per_minute; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(requests_per_minute) ON TABLE public.credentials TO top_ingest;

--
-- Name: COLUMN credentials.secret_version; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(secret_version) ON TABLE public.credentials TO top_ingest;

--
-- Name: COLUMN credentials.previous_secret_expires_at; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(previous_secret_expires_at) ON TABLE public.credentials TO top_ingest;

--
-- Name: COLUMN credentials.expires_at; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(expires_at) ON TABLE public.credentials TO top_ingest;

--
-- Name: COLUMN credentials.last_used_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(last_used_at) ON TABLE public.credentials TO top_system;

--
-- Name: COLUMN credentials.secret_last_used_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(secret_last_used_at) ON TABLE public.credentials TO top_system;

--
-- Name: COLUMN credentials.previous_secret_last_used_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(previous_secret_last_used_at) ON TABLE public.credentials TO top_system;

--
-- Name: TABLE database_generations; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.database_generations TO top_app;
GRANT SELECT,INSERT,UPDATE ON TABLE public.database_generations TO top_system;
GRANT SELECT ON TABLE public.database_generations TO top_ingest;

--
-- Name: TABLE device_requests; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,UPDATE ON TABLE public.device_requests TO top_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.device_requests TO top_system;

--
-- Name: TABLE event_log_origins; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.event_log_origins TO top_app;
GRANT SELECT,DELETE ON TABLE public.event_log_origins TO top_system;

--
-- Name: TABLE events; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE public.events TO top_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.events TO top_system;

--
-- Name: TABLE idempotent_answers; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE public.idempotent_answers TO top_app;
GRANT DELETE ON TABLE public.idempotent_answers TO top_system;

--
-- Name: COLUMN idempotent_answers.tenant_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(tenant_id) ON TABLE public.idempotent_answers TO top_system;

--
-- Name: COLUMN idempotent_answers.answer_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(answer_id) ON TABLE public.idempotent_answers TO top_system;

--
-- Name: COLUMN idempotent_answers.answer_sealed; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(answer_sealed) ON TABLE public.idempotent_answers TO top_app;

--
-- Name: COLUMN keyring_canaries.key_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(key_id) ON TABLE public.keyring_canaries TO top_system;

--
-- Name: TABLE nonces; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,DELETE,UPDATE ON TABLE public.nonces TO top_system;
GRANT INSERT ON TABLE public.nonces TO top_ingest;

--
-- Name: COLUMN nonces.credential_number; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(credential_number) ON TABLE public.nonces TO top_ingest;

--
-- Name: COLUMN nonces.nonce_hash; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(nonce_hash) ON TABLE public.nonces TO top_ingest;

--
-- Name: TABLE object_credentials; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.object_credentials TO top_app;
GRANT DELETE ON TABLE public.object_credentials TO top_system;

--
-- Name: COLUMN object_credentials.tenant_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(tenant_id) ON TABLE public.object_credentials TO top_system;

--
-- Name: COLUMN object_credentials.credential_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(credential_id) ON TABLE public.object_credentials TO top_system;

--
-- Name: TABLE object_grants; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE public.object_grants TO top_app;
GRANT DELETE ON TABLE public.object_grants TO top_system;

--
-- Name: COLUMN object_grants.tenant_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(tenant_id) ON TABLE public.object_grants TO top_system;

--
-- Name: COLUMN object_grants.presign_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(presign_id) ON TABLE public.object_grants TO top_system;

--
-- Name: COLUMN object_grants.granted_at; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(granted_at) ON TABLE public.object_grants TO top_system;

--
-- Name: TABLE object_resources; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.object_resources TO top_app;
GRANT DELETE ON TABLE public.object_resources TO top_system;

--
-- Name: COLUMN object_resources.tenant_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(tenant_id) ON TABLE public.object_resources TO top_system;

--
-- Name: COLUMN object_resources.resource_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(resource_id) ON TABLE public.object_resources TO top_system;

--
-- Name: TABLE outbox; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT ON TABLE public.outbox TO top_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.outbox TO top_system;
GRANT INSERT ON TABLE public.outbox TO top_ingest;

--
-- Name: TABLE parked_messages; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,DELETE ON TABLE public.parked_messages TO top_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.parked_messages TO top_system;

--
-- Name: TABLE policies; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE ON TABLE public.policies TO top_app;
GRANT DELETE ON TABLE public.policies TO top_system;
GRANT SELECT ON TABLE public.policies TO top_ingest;

--
-- Name: COLUMN policies.tenant_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(tenant_id) ON TABLE public.policies TO top_system;

--
-- Name: COLUMN policies.policy_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(policy_id) ON TABLE public.policies TO top_system;

--
-- Name: TABLE role_bindings; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE ON TABLE public.role_bindings TO top_app;
GRANT DELETE ON TABLE public.role_bindings TO top_system;
GRANT SELECT ON TABLE public.role_bindings TO top_ingest;

--
-- Name: COLUMN role_bindings.tenant_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(tenant_id) ON TABLE public.role_bindings TO top_system;

--
-- Name: COLUMN role_bindings.client_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(client_id) ON TABLE public.role_bindings TO top_system;

--
-- Name: COLUMN role_bindings.role; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(role) ON TABLE public.role_bindings TO top_system;

--
-- Name: TABLE roles; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.roles TO top_app;
GRANT DELETE ON TABLE public.roles TO top_system;

--
-- Name: COLUMN roles.tenant_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(tenant_id) ON TABLE public.roles TO top_system;

--
-- Name: COLUMN roles.role; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(role) ON TABLE public.roles TO top_system;

--
-- Name: TABLE slots; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,UPDATE ON TABLE public.slots TO top_system;

--
-- Name: TABLE taken_names; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE public.taken_names TO top_app;
GRANT SELECT,DELETE ON TABLE public.taken_names TO top_system;

--
-- Name: TABLE tenants; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.tenants TO top_app;
GRANT SELECT ON TABLE public.tenants TO top_ingest;

--
-- Name: COLUMN tenants.tenant_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(tenant_id) ON TABLE public.tenants TO top_system;

--
-- Name: COLUMN tenants.name; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(name) ON TABLE public.tenants TO top_system;

--
-- Name: COLUMN tenants.status; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(status),UPDATE(status) ON TABLE public.tenants TO top_system;

--
-- Name: COLUMN tenants.vendors; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(vendors),UPDATE(vendors) ON TABLE public.tenants TO top_system;

--
-- Name: COLUMN tenants.adapter_reads; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(adapter_reads),UPDATE(adapter_reads) ON TABLE public.tenants TO top_system;

--
-- Name: COLUMN tenants.deletion; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(deletion),UPDATE(deletion) ON TABLE public.tenants TO top_system;

--
-- Name: COLUMN tenants.move; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(move) ON TABLE public.tenants TO top_system;

--
-- Name: COLUMN tenants.created_at; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(created_at) ON TABLE public.tenants TO top_system;

--
-- Name: COLUMN tenants.updated_at; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(updated_at),UPDATE(updated_at) ON TABLE public.tenants TO top_system;

--
-- Name: TABLE vendors; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.vendors TO top_app;
GRANT SELECT ON TABLE public.vendors TO top_system;
GRANT SELECT ON TABLE public.vendors TO top_ingest;

--
-- Name: COLUMN vendors.last_read_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(last_read_at) ON TABLE public.vendors TO top_system;

--
-- PostgreSQL database dump complete
--
