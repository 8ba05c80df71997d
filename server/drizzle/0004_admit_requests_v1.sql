-- Admission: checks every request of a JSON array on the current state of the database: status, expiry, secret version,
-- clock window, nonce and permission.
--
-- In: for each request `position`, `tenant_id`, `client_id`, `number` of the credential, `secret_version`, `signed_at` in
-- Unix seconds, `nonce_hash` in hex, `object` and `action` of the scope, `granting_roles` joined by commas, and
-- `path_tenant_id`. Other keys are ignored.
--
-- It consumes the nonce of every live request within its clock window, and no other. A nonce is kept for as long as the
-- widest clock window (900 seconds) would take its timestamp: a credential whose window is raised takes no old request again.
--
-- `offset 0` keeps Postgres from joining whole tables: each request looks its rows up by an index. The plan is made when
-- the tables may be empty, and kept while they grow.
--
-- `set role`: the function has the rights of top_ingest and no others, and only a member of top_ingest can call it.
create function admit_requests_v1(requests text)
returns table (
  "position" int, is_live boolean, is_in_clock_window boolean, is_fresh boolean, is_granted boolean,
  path_tenant_exists boolean, allowed_clock_skew_seconds int, now_ms double precision
)
language plpgsql
set role = top_ingest
set plan_cache_mode = force_generic_plan
set search_path = public, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  with asked as (
    select *, to_timestamp(signed_at) as dated, decode(nonce_hash, 'hex') as nonce
    from json_to_recordset(requests::json) as asked (
      position int, tenant_id text, client_id text, number bigint, secret_version int, signed_at bigint,
      nonce_hash text, object text, action text, granting_roles text, path_tenant_id text
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
  )
  select counted.position, is_live, is_in_clock_window,
    occurrence = 1 and consumed.nonce_hash is not null,
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
    ),
    exists (select from tenants where tenants.tenant_id = counted.path_tenant_id offset 0),
    allowed_clock_skew_seconds,
    floor(extract(epoch from now()) * 1000)::double precision
  from counted
  left join consumed on consumed.credential_number = counted.number and consumed.nonce_hash = counted.nonce
  order by position;
end
$$;
--> statement-breakpoint
revoke execute on function admit_requests_v1(text) from public;
