-- Role support_reader is built in from here on. A tenant's own role of that name keeps its scopes and its credentials under
-- another name: they must not get the scopes of the built-in role. No node may create the name again, not even one of an
-- older version. This lock makes those wait that are creating, changing or binding a role; admission reads no roles.
ALTER TABLE "roles" ADD CONSTRAINT "roles_support_reader" CHECK (role <> 'support_reader') NOT VALID;
--> statement-breakpoint
-- The audit log of the tenant tells it as the four kinds of changes that have the same effect, in this order.
do $$
declare
  login constant text := current_setting('role');
  old_name constant text := 'support_reader';
  new_name text;
  tenants text[];
  tenant text;
  scopes jsonb;
begin
  perform set_config('role', 'top_system', true);
  tenants := array(select tenant_id from roles where role = old_name);
  perform set_config('role', 'top_app', true);
  foreach tenant in array tenants loop
    perform set_config('app.tenant_id', tenant, true);
    new_name := old_name || '_custom';
    for number in 2 .. 1000000 loop
      exit when not exists (select from roles where tenant_id = tenant and role = new_name);
      new_name := old_name || '_custom_' || number;
    end loop;

    insert into roles (tenant_id, role, created_at)
    select tenant_id, new_name, created_at from roles where tenant_id = tenant and role = old_name;
    with gone as (
      delete from policies where tenant_id = tenant and role = old_name returning *
    ), moved as (
      insert into policies (tenant_id, policy_id, role, object, action, created_at)
      select tenant_id, policy_id, new_name, object, action, created_at from gone
      returning object || ':' || action as scope
    )
    select coalesce(jsonb_agg(scope order by scope), '[]') into scopes from moved;
    with gone as (
      delete from role_bindings where tenant_id = tenant and role = old_name returning *
    ), moved as (
      insert into role_bindings (tenant_id, client_id, role, created_at)
      select tenant_id, client_id, new_name, created_at from gone
      returning client_id
    ), change (step, operation, path, changes, before, after) as (
      values
        (0, 'roles.put', 'roles/' || new_name, array['scopes'], null, jsonb_build_object('role', new_name, 'scopes', scopes)),
        (3, 'roles.delete', 'roles/' || old_name, array['role'], jsonb_build_object('role', old_name, 'scopes', scopes), null)
      union all
      select step, operation, 'role-bindings/' || client_id || '/' || role, array['client_id', 'role'],
        case when step = 2 then facts end, case when step = 1 then facts end
      from moved
      cross join (
        values (1, 'roleBindings.create', new_name), (2, 'roleBindings.delete', old_name)
      ) as change (step, operation, role)
      cross join lateral jsonb_build_object('client_id', client_id, 'role', role, 'scopes', scopes) as facts
    )
    insert into audit_events (
      tenant_id, audit_event_id, client_id, operation, target, changes, before, after, outcome, request_id
    )
    select tenant,
      (
        lpad(to_hex(round(extract(epoch from now()) * 1000)::bigint), 12, '0') || '700' || step || '8'
        || right(replace(gen_random_uuid()::text, '-', ''), 15)
      )::uuid,
      'platform', operation, 'platform/tenants/' || tenant || '/' || path, changes, before, after, 'DONE',
      gen_random_uuid()
    from change;
    delete from roles where tenant_id = tenant and role = old_name;
  end loop;
  perform set_config('role', login, true);
end
$$;
