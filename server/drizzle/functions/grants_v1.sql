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
