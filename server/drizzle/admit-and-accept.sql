-- The statement that admits requests and stores their commands, as the platform sends it.
-- Its parts and what goes in and out: server/src/platform/auth/admission.ts, server/src/features/commands/accept-commands.ts
-- To run it in psql: set role top_ingest; prepare admit (text) as <the statement>; execute admit ('[{"position": 0, …}]');

  with 
  asked as (
    select *, to_timestamp(signed_at) as dated, decode(nonce_hash, 'hex') as nonce
    from json_to_recordset($1::text::json) as asked (
      position int, tenant_id text, client_id text, number bigint, secret_version int, signed_at bigint,
      nonce_hash text, object text, action text, granting_roles text,
      path_tenant_id text, idempotency_key text, vendor text, device_id text, command_type text, revision int,
  payload json, payload_sha256 text, timeout_seconds int, request_id text, command_id_tail text
    )
  ), checked as (
    select asked.*, credential.allowed_clock_skew_seconds, credential.replay_window_seconds,
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
          and now() + make_interval(secs => credential.allowed_clock_skew_seconds),
        false
      ) as is_in_clock_window
    from asked
    left join lateral (
      select status, expires_at, secret_version, previous_secret_expires_at, allowed_clock_skew_seconds,
        replay_window_seconds
      from credentials
      where credentials.tenant_id = asked.tenant_id and credentials.client_id = asked.client_id offset 0
    ) as credential on true
    left join lateral (
      select status from tenants where tenants.tenant_id = asked.tenant_id offset 0
    ) as tenant on true
  ), counted as (
    select *, row_number() over (
      partition by number, nonce, is_live and is_in_clock_window order by position
    ) as occurrence
    from checked
  ), consumed as (
    insert into nonces (credential_number, nonce_hash, expires_at)
    select number, nonce, greatest(
      dated + interval '900 seconds',
      now() + make_interval(secs => replay_window_seconds)
    ) + interval '60 seconds'
    from counted
    where is_live and is_in_clock_window and occurrence = 1
    order by number, nonce
    on conflict do nothing
    returning credential_number, nonce_hash
  ), admitted as (
    select counted.*, occurrence = 1 and consumed.nonce_hash is not null as is_fresh,
      exists (
        select from role_bindings
        where role_bindings.tenant_id = counted.tenant_id and role_bindings.client_id = counted.client_id
          and (
            role_bindings.role = any (string_to_array(counted.granting_roles, ','))
            or exists (
              select from policies
              where policies.tenant_id = role_bindings.tenant_id and policies.role = role_bindings.role
                and policies.object = counted.object and policies.action = counted.action
              offset 0
            )
          )
        offset 0
      ) or exists (
        select from policies
        where policies.tenant_id = counted.tenant_id and policies.client_id = counted.client_id
          and policies.object = counted.object and policies.action = counted.action
        offset 0
      ) as is_granted
    from counted
    left join consumed on consumed.credential_number = counted.number and consumed.nonce_hash = counted.nonce
  ), given as (
    select * from admitted where is_live and is_in_clock_window and is_fresh and is_granted
  ), 
  timed as (
    select given.*, now()::timestamptz(3) as accepted_at,
      (stamp || command_id_tail)::uuid as command_id
    from given, lpad(to_hex(round(extract(epoch from now()) * 1000)::bigint), 12, '0') as stamp
  ), current as (
    select timed.* from timed
    join lateral (select from vendors where vendors.vendor = timed.vendor and vendors.enabled offset 0) as vendor on true
    join lateral (
      select from tenants
      where tenants.tenant_id = timed.tenant_id and (tenants.vendors is null or timed.vendor = any (tenants.vendors))
      offset 0
    ) as tenant on true
    join lateral (
      select from command_types
      where command_types.vendor = timed.vendor and command_types.command_type = timed.command_type
        and command_types.enabled and command_types.revision = timed.revision offset 0
    ) as command_type on true
  ), inserted as (
    insert into commands (
      tenant_id, command_id, idempotency_key, vendor, device_id, command_type, payload, payload_sha256,
      timeout_seconds, status, adapter_status, device_execution_status, accepted_at, deadline_at, updated_at,
      created_by_client_id, request_id
    )
    select tenant_id, command_id, idempotency_key, vendor, device_id, command_type, payload,
      decode(payload_sha256, 'hex'), timeout_seconds, 'ACCEPTED', 'PENDING', 'NOT_STARTED', accepted_at,
      accepted_at + make_interval(secs => timeout_seconds), accepted_at, client_id, request_id
    from current
    order by tenant_id, idempotency_key, position
    on conflict (tenant_id, idempotency_key) do nothing
    returning tenant_id, command_id
  ), queued as (
    insert into outbox (tenant_id, fact_id, kind)
    select tenant_id, command_id, 'COMMAND_ACCEPTED' from inserted
  ), accepted as (
    select current.position, inserted.command_id, floor(extract(epoch from current.accepted_at) * 1000)::text as accepted_ms
    from current left join inserted using (tenant_id, command_id)
  )
  select 
  admitted.is_live, admitted.is_in_clock_window, admitted.is_fresh, admitted.is_granted,
  exists (select from tenants where tenants.tenant_id = admitted.path_tenant_id offset 0) as path_tenant_exists,
  admitted.allowed_clock_skew_seconds, floor(extract(epoch from now()) * 1000)::text as now_ms, accepted.position is not null as is_current, accepted.command_id, accepted.accepted_ms from admitted left join accepted using (position) order by position
