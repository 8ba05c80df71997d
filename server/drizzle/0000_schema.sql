-- Written by `pnpm --filter @tenant-open-platform/server golden:schema` from the files of functions and baseline and from
-- tables.ts of each wing. Bodies are checked when they run: a function may name tables that come after it.
set local check_function_bodies = off;
--> statement-breakpoint
-- The database roles. Roles belong to the whole cluster, so another database may have created them.
-- top_app     handlers: the rows of the tenant in app.tenant_id, nothing else
-- top_system  background work: the rows of all tenants, by policy instead of BYPASSRLS
-- top_ingest  admission, whose batches mix tenants and store commands: it reads no secret
do $$
declare
  role_name text;
begin
  foreach role_name in array array['top_app', 'top_system', 'top_ingest'] loop
    begin
      execute format('create role %I nologin', role_name);
    exception when duplicate_object or unique_violation then
      null;
    end;
    execute format('grant %I to current_user', role_name);
    execute format('grant usage on schema public to %I', role_name);
  end loop;
end
$$;

-- The schema of admit_requests_v1. An owner needs the right to create in the schema of its function: top_ingest has it
-- here and nowhere else.
create schema admission authorization top_ingest;

set local role top_ingest;
grant usage on schema admission to session_user;
reset role;
--> statement-breakpoint
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
--> statement-breakpoint
-- A generation begins, unless another one has begun since `known`: of all who notice a restore at the same time, one
-- begins it. See docs/internals/generations.md.
--
-- The histories part where the log ended at the last start of Postgres: a plain copy is put back while Postgres is stopped.
-- The open commands of the copy are marked, so no clock is compared. Those that were accepted since that start are none: no
-- later transaction has written them, and nothing is dispatched before the comparison with the bus.
--
-- The slots lose their owners: the numbers that these remember are of another history.
create function begin_generation_v1(cause text, known uuid)
returns void
language plpgsql
as $$
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

revoke execute on function begin_generation_v1(text, uuid) from public;
grant execute on function begin_generation_v1(text, uuid) to top_system;
--> statement-breakpoint
-- Counts commands that have ended: see figures.ts. `ended` is a JSON array with an element for each tenant, vendor, status
-- and reason, and when the commands were accepted, in Unix milliseconds. The slots of their events are locked, so no other
-- transaction counts commands of these tenants, and each row is written once for a whole batch. 20 reasons of a tenant and
-- hour are counted by name, all others together: adapters choose them.
create function count_ended_v1(ended text)
returns void
language plpgsql
set plan_cache_mode = force_generic_plan
as $$
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

revoke execute on function count_ended_v1(text) from public;
grant execute on function count_ended_v1(text) to top_app, top_system;
--> statement-breakpoint
-- The class of a duration. A class ends 10 % above its beginning, so its middle is at most 5 % away from each duration in it.
create function duration_class_v1(milliseconds double precision)
returns int
language sql
immutable parallel safe
as $$
  select ceil(ln(greatest(milliseconds, 1)) / ln(1.1))::int
$$;

-- Everyone may call it: it reads no table.
--> statement-breakpoint
-- The rule of access: the role bindings and policies of a tenant that grant a scope. `granting_roles` are the built-in
-- roles with the scope, joined by commas. Postgres inlines the function: its caller's condition on client_id uses an index.
create function grants_v1(tenant text, object text, action text, granting_roles text)
returns table (client_id text, role text, policy_id uuid, scope text, created_at timestamptz)
language sql stable
as $$
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
$$;

revoke execute on function grants_v1(text, text, text, text) from public;
grant execute on function grants_v1(text, text, text, text) to top_app, top_ingest;
--> statement-breakpoint
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
--> statement-breakpoint
-- Appends events to the log (see event-log.ts), and counts the commands that have ended with them: `ended` is for
-- count_ended_v1. One call takes the locks, appends and counts, with a plan that each connection keeps: planning took as
-- long as the work, most of it under a lock. The plan may be made while the log is nearly empty, so it has a lookup that
-- only one index can serve.
--
-- `new_events` is a JSON array, `slots` are theirs, sorted. The locks are taken in this order, so that two transactions never
-- deadlock. In a slot the times never decrease with the numbers, whatever the clock does: the search by time relies on it.
--
-- Whoever ends a command holds its row, so only command.accepted may be in the log already.
create function log_events_v1(new_events text, slots int[], ended text)
returns void
language plpgsql
set plan_cache_mode = force_generic_plan
as $$
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

revoke execute on function log_events_v1(text, int[], text) from public;
grant execute on function log_events_v1(text, int[], text) to top_app, top_system;
--> statement-breakpoint
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
--> statement-breakpoint
-- A database can go back in time: a backup is restored, or a standby is promoted that lagged. Each such history is a
-- generation: see docs/internals/generations.md.
--
-- Each new connection calls it once, as top_system, before anything else. It begins a generation if Postgres shows that it
-- is another one: by the number of its cluster (another installation), of the database or of this table (a dump that was
-- restored), or by its timeline (a promoted standby, recovery to a point in time; the name of the current WAL file shows a
-- promotion at once, the control file only after a checkpoint). A restart, a crash or a minor upgrade changes none of these.
--
-- After a start of Postgres the slots have no owners: whoever takes one compares with the bus before any background work.
create function look_at_generation_v1()
returns table (id uuid, began_at timestamptz)
language plpgsql
as $$
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

revoke execute on function look_at_generation_v1() from public;
grant execute on function look_at_generation_v1() to top_system;
--> statement-breakpoint
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

revoke execute on function tenant_away_v1(text, jsonb) from public;
grant execute on function tenant_away_v1(text, jsonb) to top_app, top_system, top_ingest;
--> statement-breakpoint
-- The slot of a tenant: one of 16, see docs/internals/outbox.md. Tenant ids have no backslash, so the cast is safe.
create function tenant_slot_v1(tenant_id text)
returns int
language sql
immutable parallel safe
as $$
  select get_byte(sha256(tenant_id::bytea), 0) & 15
$$;

-- Everyone may call it: an index of the event log is built with it.
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TYPE "public"."adapter_status" AS ENUM('PENDING', 'SENT', 'DELIVERED', 'REJECTED', 'UNSUPPORTED', 'UNREACHABLE', 'FAILED', 'TIMED_OUT');--> statement-breakpoint
CREATE TYPE "public"."command_status" AS ENUM('ACCEPTED', 'DISPATCHED', 'SUCCEEDED', 'FAILED', 'REJECTED', 'UNSUPPORTED', 'TIMED_OUT', 'EXPIRED', 'CANCELED');--> statement-breakpoint
CREATE TYPE "public"."device_execution_status" AS ENUM('NOT_STARTED', 'IN_PROGRESS', 'SUCCEEDED', 'FAILED', 'REJECTED', 'TIMED_OUT', 'UNKNOWN');--> statement-breakpoint
CREATE TYPE "public"."event_type" AS ENUM('command.accepted', 'command.completed');--> statement-breakpoint
CREATE TYPE "public"."outbox_kind" AS ENUM('COMMAND_ACCEPTED', 'DEVICE_REQUEST_REPLIED');--> statement-breakpoint
CREATE TABLE "bus_principals" (
	"tenant_id" text NOT NULL,
	"principal_id" uuid NOT NULL,
	"bus_user" text NOT NULL,
	"bus_account_public_key" text NOT NULL,
	"bus_user_public_key" text NOT NULL,
	"principal_type" text NOT NULL,
	"client_id" text,
	"service_name" text,
	"vendors" text[],
	"status" text NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"problem" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "bus_principals_tenant_id_principal_id_pk" PRIMARY KEY("tenant_id","principal_id")
);
--> statement-breakpoint
CREATE TABLE "credentials" (
	"tenant_id" text NOT NULL,
	"client_id" text NOT NULL,
	"number" bigint GENERATED ALWAYS AS IDENTITY (sequence name "credentials_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"status" text NOT NULL,
	"allowed_clock_skew_seconds" integer NOT NULL,
	"replay_window_seconds" integer NOT NULL,
	"requests_per_minute" integer,
	"secret_version" integer NOT NULL,
	"secret_sealed" "bytea" NOT NULL,
	"previous_secret_sealed" "bytea",
	"previous_secret_expires_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	"secret_last_used_at" timestamp (3) with time zone,
	"previous_secret_last_used_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "credentials_tenant_id_client_id_pk" PRIMARY KEY("tenant_id","client_id")
);
--> statement-breakpoint
CREATE TABLE "database_generations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"began_at" timestamp (3) with time zone NOT NULL,
	"cause" text NOT NULL,
	"shared_until" bigint,
	"number" bigint DEFAULT 0 NOT NULL,
	"is_compared" boolean DEFAULT false NOT NULL,
	"identity" text,
	"timeline" text,
	"started_at" timestamp with time zone,
	"log_end_at_start" bigint DEFAULT 0 NOT NULL,
	"xid_at_start" "xid"
);
--> statement-breakpoint
CREATE TABLE "keyring_canaries" (
	"key_id" text PRIMARY KEY NOT NULL,
	"sealed" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "nonces" (
	"credential_number" bigint NOT NULL,
	"nonce_hash" "bytea" NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "nonces_credential_number_nonce_hash_pk" PRIMARY KEY("credential_number","nonce_hash")
);
--> statement-breakpoint
CREATE TABLE "policies" (
	"tenant_id" text NOT NULL,
	"policy_id" uuid NOT NULL,
	"client_id" text,
	"role" text,
	"object" text NOT NULL,
	"action" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "policies_tenant_id_policy_id_pk" PRIMARY KEY("tenant_id","policy_id"),
	CONSTRAINT "policies_subject" CHECK ((client_id is null) <> (role is null))
);
--> statement-breakpoint
CREATE TABLE "role_bindings" (
	"tenant_id" text NOT NULL,
	"client_id" text NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "role_bindings_tenant_id_client_id_role_pk" PRIMARY KEY("tenant_id","client_id","role")
);
--> statement-breakpoint
CREATE TABLE "roles" (
	"tenant_id" text NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "roles_tenant_id_role_pk" PRIMARY KEY("tenant_id","role")
);
--> statement-breakpoint
CREATE TABLE "taken_names" (
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"tenant_id" text NOT NULL,
	CONSTRAINT "taken_names_kind_name_pk" PRIMARY KEY("kind","name")
);
--> statement-breakpoint
CREATE TABLE "tenants" (
	"tenant_id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"status" text DEFAULT 'ACTIVE' NOT NULL,
	"vendors" text[],
	"requests_per_minute" integer,
	"adapter_reads" jsonb,
	"deletion" jsonb,
	"move" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "write_probe" (
	"page" text
);
--> statement-breakpoint
CREATE TABLE "audit_bytes" (
	"tenant_id" text NOT NULL,
	"outcome" text NOT NULL,
	"day" date NOT NULL,
	"bytes" bigint NOT NULL,
	CONSTRAINT "audit_bytes_tenant_id_outcome_pk" PRIMARY KEY("tenant_id","outcome")
);
--> statement-breakpoint
CREATE TABLE "audit_events" (
	"tenant_id" text NOT NULL,
	"audit_event_id" uuid NOT NULL,
	"occurred_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"client_id" text NOT NULL,
	"operation" text NOT NULL,
	"target" text NOT NULL,
	"changes" text[] NOT NULL,
	"before" jsonb,
	"after" jsonb,
	"outcome" text NOT NULL,
	"request_id" text NOT NULL,
	"source_address" text,
	CONSTRAINT "audit_events_tenant_id_audit_event_id_pk" PRIMARY KEY("tenant_id","audit_event_id")
);
--> statement-breakpoint
CREATE TABLE "idempotent_answers" (
	"tenant_id" text NOT NULL,
	"answer_id" uuid NOT NULL,
	"client_id" text NOT NULL,
	"operation" text NOT NULL,
	"idempotency_key" text NOT NULL,
	"answer_sealed" "bytea",
	CONSTRAINT "idempotent_answers_tenant_id_answer_id_pk" PRIMARY KEY("tenant_id","answer_id")
);
--> statement-breakpoint
CREATE TABLE "command_figures" (
	"tenant_id" text NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"reason" text NOT NULL,
	"is_other" boolean NOT NULL,
	"vendor" text NOT NULL,
	"status" text NOT NULL,
	"minute" integer NOT NULL,
	"total" integer NOT NULL,
	"classes" integer[] NOT NULL,
	"numbers" integer[] NOT NULL,
	CONSTRAINT "command_figures_key" PRIMARY KEY("tenant_id","hour","reason","is_other","vendor","status","minute")
);
--> statement-breakpoint
CREATE TABLE "command_figures_start" (
	"counted_since" timestamp (3) with time zone PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "command_types" (
	"vendor" text NOT NULL,
	"command_type" text NOT NULL,
	"enabled" boolean NOT NULL,
	"description" text NOT NULL,
	"payload_schema" json NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "command_types_vendor_command_type_pk" PRIMARY KEY("vendor","command_type")
);
--> statement-breakpoint
CREATE TABLE "commands" (
	"tenant_id" text NOT NULL,
	"command_id" uuid NOT NULL,
	"idempotency_key" text NOT NULL,
	"vendor" text NOT NULL,
	"device_id" text NOT NULL,
	"command_type" text NOT NULL,
	"payload" json NOT NULL,
	"timeout_seconds" integer NOT NULL,
	"status" "command_status" NOT NULL,
	"adapter_status" "adapter_status" NOT NULL,
	"device_execution_status" "device_execution_status" NOT NULL,
	"status_reason" json,
	"progress" json,
	"result" json,
	"late_result" json,
	"history" text DEFAULT '' NOT NULL,
	"accepted_at" timestamp (3) with time zone NOT NULL,
	"dispatched_at" timestamp (3) with time zone,
	"deadline_at" timestamp (3) with time zone NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"created_by_client_id" text NOT NULL,
	"request_id" text NOT NULL,
	"traceparent" text,
	"batch_id" uuid,
	"is_copied" boolean,
	CONSTRAINT "commands_tenant_id_command_id_pk" PRIMARY KEY("tenant_id","command_id"),
	CONSTRAINT "commands_idempotency_key" UNIQUE("tenant_id","idempotency_key")
);
--> statement-breakpoint
CREATE TABLE "device_requests" (
	"tenant_id" text NOT NULL,
	"device_request_id" uuid NOT NULL,
	"vendor" text NOT NULL,
	"device_id" text NOT NULL,
	"request_type" text NOT NULL,
	"payload" json NOT NULL,
	"dedupe_id" text NOT NULL,
	"status" text NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"reply_outcome" text,
	"reply_payload" json,
	"reply_error" json,
	"reply_sha256" "bytea",
	"replied_at" timestamp (3) with time zone,
	"replied_by_client_id" text,
	CONSTRAINT "device_requests_tenant_id_device_request_id_pk" PRIMARY KEY("tenant_id","device_request_id"),
	CONSTRAINT "device_requests_dedupe_id" UNIQUE("tenant_id","vendor","dedupe_id","device_id")
);
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
CREATE TABLE "events" (
	"tenant_id" text NOT NULL,
	"command_id" uuid NOT NULL,
	"event_type" "event_type" NOT NULL,
	"event_id" uuid NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "events_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"logged_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "events_tenant_id_command_id_event_type_pk" PRIMARY KEY("tenant_id","command_id","event_type")
);
--> statement-breakpoint
CREATE TABLE "outbox" (
	"tenant_id" text NOT NULL,
	"is_logged" boolean DEFAULT false NOT NULL,
	"position" bigint GENERATED ALWAYS AS IDENTITY (sequence name "outbox_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" "outbox_kind" NOT NULL,
	"fact_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "outbox_tenant_id_is_logged_position_pk" PRIMARY KEY("tenant_id","is_logged","position")
);
--> statement-breakpoint
CREATE TABLE "parked_messages" (
	"tenant_id" text DEFAULT 'platform' NOT NULL,
	"parked_message_id" uuid NOT NULL,
	"parked_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"subject" text NOT NULL,
	"reason" text NOT NULL,
	"details" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"body" "bytea" NOT NULL,
	"is_whole" boolean DEFAULT false NOT NULL,
	CONSTRAINT "parked_messages_tenant_id_parked_message_id_pk" PRIMARY KEY("tenant_id","parked_message_id")
);
--> statement-breakpoint
CREATE TABLE "slots" (
	"slot" integer PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"epoch" bigint NOT NULL,
	"owned_until" timestamp (3) with time zone NOT NULL,
	"can_publish" boolean DEFAULT true NOT NULL,
	"claimant" text,
	"claimed_until" timestamp (3) with time zone,
	"published_seq" bigint DEFAULT 0 NOT NULL,
	"swept_until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "vendors" (
	"vendor" text PRIMARY KEY NOT NULL,
	"enabled" boolean NOT NULL,
	"last_read_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "callback_endpoints" (
	"tenant_id" text NOT NULL,
	"endpoint_id" uuid NOT NULL,
	"name" text NOT NULL,
	"url" text NOT NULL,
	"status" text NOT NULL,
	"timeout_seconds" integer NOT NULL,
	"max_attempts" integer NOT NULL,
	"secret_version" integer NOT NULL,
	"secret_sealed" "bytea" NOT NULL,
	"previous_secret_sealed" "bytea",
	"previous_secret_expires_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "callback_endpoints_tenant_id_endpoint_id_pk" PRIMARY KEY("tenant_id","endpoint_id")
);
--> statement-breakpoint
CREATE TABLE "callback_subscriptions" (
	"tenant_id" text NOT NULL,
	"endpoint_id" uuid NOT NULL,
	"subscription_id" uuid NOT NULL,
	"event_type" text NOT NULL,
	"status" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "callback_subscriptions_tenant_id_endpoint_id_subscription_id_pk" PRIMARY KEY("tenant_id","endpoint_id","subscription_id"),
	CONSTRAINT "callback_subscriptions_event_type" UNIQUE("tenant_id","endpoint_id","event_type")
);
--> statement-breakpoint
CREATE TABLE "object_credentials" (
	"tenant_id" text NOT NULL,
	"credential_id" uuid NOT NULL,
	"name" text NOT NULL,
	"provider" text,
	"endpoint" text NOT NULL,
	"region" text NOT NULL,
	"force_path_style" boolean NOT NULL,
	"access_key_id" text NOT NULL,
	"secret_version" integer NOT NULL,
	"secret_access_key_sealed" "bytea" NOT NULL,
	"session_token_sealed" "bytea",
	"status" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "object_credentials_tenant_id_credential_id_pk" PRIMARY KEY("tenant_id","credential_id")
);
--> statement-breakpoint
CREATE TABLE "object_grants" (
	"tenant_id" text NOT NULL,
	"presign_id" uuid NOT NULL,
	"resource_id" uuid NOT NULL,
	"operation" text NOT NULL,
	"key" text NOT NULL,
	"content_type" text,
	"content_length" bigint,
	"client_id" text NOT NULL,
	"request_id" text NOT NULL,
	"granted_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "object_grants_tenant_id_presign_id_pk" PRIMARY KEY("tenant_id","presign_id")
);
--> statement-breakpoint
CREATE TABLE "object_resources" (
	"tenant_id" text NOT NULL,
	"resource_id" uuid NOT NULL,
	"name" text NOT NULL,
	"credential_id" uuid NOT NULL,
	"bucket" text NOT NULL,
	"allowed_operations" text[] NOT NULL,
	"key_prefix" text NOT NULL,
	"allowed_content_types" text[],
	"max_object_bytes" bigint NOT NULL,
	"max_expires_in_seconds" integer NOT NULL,
	"status" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "object_resources_tenant_id_resource_id_pk" PRIMARY KEY("tenant_id","resource_id")
);
--> statement-breakpoint
ALTER TABLE "bus_principals" ADD CONSTRAINT "bus_principals_tenant" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bus_principals" ADD CONSTRAINT "bus_principals_credential" FOREIGN KEY ("tenant_id","client_id") REFERENCES "public"."credentials"("tenant_id","client_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_tenant" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "policies" ADD CONSTRAINT "policies_credential" FOREIGN KEY ("tenant_id","client_id") REFERENCES "public"."credentials"("tenant_id","client_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "policies" ADD CONSTRAINT "policies_role" FOREIGN KEY ("tenant_id","role") REFERENCES "public"."roles"("tenant_id","role") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "role_bindings" ADD CONSTRAINT "role_bindings_credential" FOREIGN KEY ("tenant_id","client_id") REFERENCES "public"."credentials"("tenant_id","client_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "roles" ADD CONSTRAINT "roles_tenant" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "command_types" ADD CONSTRAINT "command_types_vendor_vendors_vendor_fk" FOREIGN KEY ("vendor") REFERENCES "public"."vendors"("vendor") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "commands" ADD CONSTRAINT "commands_created_by" FOREIGN KEY ("tenant_id","created_by_client_id") REFERENCES "public"."credentials"("tenant_id","client_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "device_requests" ADD CONSTRAINT "device_requests_tenant" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "callback_endpoints" ADD CONSTRAINT "callback_endpoints_tenant" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "callback_subscriptions" ADD CONSTRAINT "callback_subscriptions_endpoint" FOREIGN KEY ("tenant_id","endpoint_id") REFERENCES "public"."callback_endpoints"("tenant_id","endpoint_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "object_credentials" ADD CONSTRAINT "object_credentials_tenant" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "object_resources" ADD CONSTRAINT "object_resources_credential" FOREIGN KEY ("tenant_id","credential_id") REFERENCES "public"."object_credentials"("tenant_id","credential_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "bus_principals_reading_events" ON "bus_principals" USING btree ("tenant_id") WHERE principal_type = 'CLIENT' and status <> 'DELETED';--> statement-breakpoint
CREATE INDEX "credentials_in_order" ON "credentials" USING btree ("tenant_id","created_at","client_id");--> statement-breakpoint
CREATE UNIQUE INDEX "database_generations_current" ON "database_generations" USING btree (("shared_until" is null)) WHERE "database_generations"."shared_until" is null;--> statement-breakpoint
CREATE INDEX "nonces_by_expiry" ON "nonces" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "policies_of_client" ON "policies" USING btree ("tenant_id","client_id","object","action") WHERE client_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "policies_of_role" ON "policies" USING btree ("tenant_id","role","object","action") WHERE role is not null;--> statement-breakpoint
CREATE INDEX "policies_in_order" ON "policies" USING btree ("tenant_id","policy_id") WHERE client_id is not null;--> statement-breakpoint
CREATE INDEX "role_bindings_in_order" ON "role_bindings" USING btree ("tenant_id","created_at","client_id","role");--> statement-breakpoint
CREATE UNIQUE INDEX "taken_names_ignoring_case" ON "taken_names" USING btree ("kind",lower("name" collate "C"));--> statement-breakpoint
CREATE INDEX "tenants_in_order" ON "tenants" USING btree ("created_at","tenant_id");--> statement-breakpoint
CREATE INDEX "tenants_deleting" ON "tenants" USING btree ("tenant_id") WHERE status = 'DELETING';--> statement-breakpoint
CREATE INDEX "tenants_moving" ON "tenants" USING btree ("tenant_id") WHERE status = 'MOVING';--> statement-breakpoint
CREATE INDEX "tenants_to_empty" ON "tenants" USING btree ("tenant_id") WHERE deletion -> 'work' is not null;--> statement-breakpoint
CREATE INDEX "audit_events_of_client" ON "audit_events" USING btree ("tenant_id","client_id","audit_event_id");--> statement-breakpoint
CREATE INDEX "audit_events_of_target" ON "audit_events" USING btree ("tenant_id","target","audit_event_id");--> statement-breakpoint
CREATE INDEX "audit_events_of_address" ON "audit_events" USING btree ("tenant_id","source_address","audit_event_id");--> statement-breakpoint
CREATE UNIQUE INDEX "idempotent_answers_by_key" ON "idempotent_answers" USING btree ("tenant_id","client_id","operation","idempotency_key");--> statement-breakpoint
CREATE INDEX "command_types_in_order" ON "command_types" USING btree ("vendor","created_at","command_type");--> statement-breakpoint
CREATE INDEX "commands_of_device" ON "commands" USING btree ("tenant_id","device_id","command_id");--> statement-breakpoint
CREATE INDEX "commands_of_batch" ON "commands" USING btree ("tenant_id","batch_id","command_id") WHERE batch_id is not null;--> statement-breakpoint
CREATE INDEX "commands_by_deadline" ON "commands" USING btree ("deadline_at");--> statement-breakpoint
CREATE INDEX "device_requests_pending" ON "device_requests" USING btree ("expires_at") WHERE status = 'PENDING';--> statement-breakpoint
CREATE INDEX "device_requests_to_answer" ON "device_requests" USING btree ("tenant_id","device_request_id") WHERE status = 'PENDING';--> statement-breakpoint
CREATE INDEX "device_requests_of_device" ON "device_requests" USING btree ("tenant_id","device_id","device_request_id");--> statement-breakpoint
CREATE INDEX "events_of_tenant" ON "events" USING btree ("tenant_id","seq");--> statement-breakpoint
CREATE INDEX "events_of_slot" ON "events" USING btree (tenant_slot_v1(tenant_id),"seq");--> statement-breakpoint
CREATE INDEX "parked_messages_parked_at" ON "parked_messages" USING btree ("parked_at");--> statement-breakpoint
CREATE INDEX "vendors_in_order" ON "vendors" USING btree ("created_at","vendor");--> statement-breakpoint
CREATE INDEX "object_resources_of_credential" ON "object_resources" USING btree ("tenant_id","credential_id","resource_id");
--> statement-breakpoint
-- Leaves space on each page, so that the updates of a command stay on its page. All commands of a page are dispatched together.
alter table commands set (fillfactor = 40);
-- Storing the last use stays on its page and writes no index entries.
alter table credentials set (fillfactor = 70);
-- Each batch of ended commands updates the rows of its minute: its rows stay on their page and write no index entries.
alter table command_figures set (fillfactor = 50);
-- A row lives for milliseconds. With the default scale factor, vacuum would wait until a share of the few live rows is dead.
alter table outbox set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
-- A row fills a page of the table itself. Otherwise Postgres would compress it.
alter table write_probe alter column page set storage plain;
--> statement-breakpoint
-- Which verbs each role has on each table, and which rows.
do $$
declare
  privileges constant text[] := array[
    -- table                     top_app                           top_system                            top_ingest
    ['tenants',                  'select, insert, update',         'select (tenant_id, status, vendors, adapter_reads, created_at, updated_at, deletion, move), update (status, name, vendors, adapter_reads, deletion, updated_at)', 'select'],
    ['taken_names',              'select, insert',                 'select, delete',                     ''],
    ['credentials',              'select, insert, update',         'select, delete, update (last_used_at, secret_last_used_at, previous_secret_last_used_at)', 'select (tenant_id, client_id, status, expires_at, secret_version, previous_secret_expires_at, allowed_clock_skew_seconds, replay_window_seconds, requests_per_minute)'],
    ['role_bindings',            'select, insert, delete',         'delete, select (tenant_id, client_id, role)', 'select'],
    ['roles',                    'select, insert, update, delete', 'delete, select (tenant_id, role)',   ''],
    ['policies',                 'select, insert, delete',         'delete, select (tenant_id, policy_id)', 'select'],
    -- update is the right to lock rows: the purge skips locked rows.
    ['nonces',                   '',                               'select, update, delete',             'insert, select (credential_number, nonce_hash)'],
    ['vendors',                  'select, insert, update',         'select, update (last_read_at)',      'select'],
    ['command_types',            'select, insert, update',         'select',                             'select'],
    ['commands',                 'select',                         'select, delete',                     'insert, select (tenant_id, command_id, idempotency_key)'],
    ['events',                   'select, insert',                 'select, insert, delete',             ''],
    ['outbox',                   'insert',                         'select, insert, delete',             'insert'],
    ['slots',                    '',                               'select, update',                     ''],
    ['parked_messages',          'select, delete',                 'select, insert, delete',             ''],
    ['device_requests',          'select, update',                 'select, insert, update, delete',     ''],
    ['bus_principals',           'select, insert, update',         'select, delete, update (problem)',   ''],
    ['object_credentials',       'select, insert, update, delete', 'delete, select (tenant_id, credential_id)', ''],
    ['object_resources',         'select, insert, update, delete', 'delete, select (tenant_id, resource_id)', ''],
    ['object_grants',            'select, insert',                 'delete, select (tenant_id, presign_id, granted_at)', ''],
    ['callback_endpoints',       'select, insert, update, delete', 'delete, select (tenant_id, endpoint_id)', ''],
    ['callback_subscriptions',   'select, insert, update, delete', 'delete, select (tenant_id, endpoint_id, subscription_id)', ''],
    ['idempotent_answers',       'select, insert, update (answer_sealed)', 'delete, select (tenant_id, answer_id)', ''],
    ['audit_bytes',              'select, insert, update',         'delete, select (tenant_id, outcome)', ''],
    ['command_figures',          'select, insert, update',         'select, insert, update, delete',     ''],
    ['command_figures_start',    'select',                         '',                                   ''],
    ['event_log_origins',        'select, insert, update',         'select, delete',                     ''],
    ['database_generations',     'select',                         'select, insert, update',             'select'],
    -- No role updates what was written.
    ['audit_events',             'select, insert',                 'delete, select (tenant_id, audit_event_id, occurred_at, operation, target)', ''],
    -- A node whose keyring lacks a known key calls no signature wrong.
    ['keyring_canaries',         '',                               'select (key_id)',                    '']
  ];
  roles constant text[] := array['top_app', 'top_system', 'top_ingest'];
  verbs text;
begin
  for line in 1 .. array_length(privileges, 1) loop
    for number in 1 .. 3 loop
      verbs := privileges[line][number + 1];
      if verbs <> '' then
        execute format('grant %s on %I to %I', verbs, privileges[line][1], roles[number]);
      end if;
    end loop;
  end loop;
end
$$;

-- The columns that change while a command is carried out: by a cancellation in its own tenant, and by background work.
grant update (
  status, adapter_status, device_execution_status, status_reason, result, late_result, history, progress,
  dispatched_at, completed_at, updated_at
) on commands to top_app, top_system;
grant update (is_copied) on commands to top_system;

-- Row-level security: the second barrier behind the tenant_id in every query.
do $$
declare
  table_name text;
begin
  foreach table_name in array array[
    'credentials', 'role_bindings', 'roles', 'policies', 'commands', 'events', 'outbox', 'device_requests',
    'bus_principals', 'object_credentials', 'object_resources', 'object_grants', 'callback_endpoints',
    'callback_subscriptions', 'audit_events', 'audit_bytes', 'parked_messages', 'idempotent_answers', 'command_figures',
    'event_log_origins'
  ] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format(
      'create policy top_app on %I to top_app using (tenant_id = current_setting(''app.tenant_id''))',
      table_name
    );
    if table_name <> 'audit_events' then
      execute format('create policy top_system on %I to top_system using (true) with check (true)', table_name);
    end if;
  end loop;
  foreach table_name in array array['credentials', 'role_bindings', 'policies', 'commands'] loop
    execute format('create policy top_ingest_select on %I for select to top_ingest using (true)', table_name);
  end loop;
  foreach table_name in array array['commands', 'outbox'] loop
    execute format('create policy top_ingest_insert on %I for insert to top_ingest with check (true)', table_name);
  end loop;
end
$$;

-- Background work deletes these rows of a tenant that is being deleted or has moved away, and no others.
do $$
declare
  table_name text;
begin
  foreach table_name in array array[
    'object_credentials', 'object_resources', 'callback_endpoints', 'callback_subscriptions', 'bus_principals',
    'policies', 'role_bindings', 'roles', 'credentials', 'event_log_origins'
  ] loop
    execute format(
      'create policy top_system_delete on %I as restrictive for delete to top_system
      using (tenant_id in (select tenant_id from tenants where status in (''DELETING'', ''MOVED'')))',
      table_name
    );
  end loop;
end
$$;

create policy top_system_select on audit_events for select to top_system using (true);

-- An entry of the audit log that is younger than 90 days cannot be deleted, except those of a tenant that is being
-- deleted or has moved away, and the entry of its creation in the log of tenant platform.
create policy top_system_delete on audit_events for delete to top_system using (occurred_at < now() - interval '90 days');

create policy top_system_delete_of_tenant on audit_events for delete to top_system using (
  tenant_id in (select tenant_id from tenants where status in ('DELETING', 'MOVED'))
  or (
    tenant_id = 'platform' and operation = 'tenants.create'
    and target in (select 'platform/tenants/' || tenant_id from tenants where status in ('DELETING', 'MOVED'))
  )
);
--> statement-breakpoint
-- The first rows of a new database. Administrators change them afterwards; no later start writes them again.
insert into tenants (tenant_id, name) values ('platform', 'Platform administration');

-- Nobody owns them yet.
insert into slots (slot, owner, epoch, owned_until, swept_until)
select slot, '', 0, now() - interval '1 second', now() from generate_series(0, 15) as slot;

insert into command_figures_start (counted_since) values (now());

-- The history of the database before any restore: see look_at_generation_v1.
insert into database_generations (id, began_at, cause) values (gen_random_uuid(), to_timestamp(0), 'FIRST');
