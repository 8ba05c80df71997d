ALTER TABLE "tenants" ADD COLUMN "deletion" jsonb;--> statement-breakpoint
grant select (created_at, deletion), update (status, name, vendors, deletion, updated_at) on tenants to top_system;--> statement-breakpoint
grant delete on taken_names to top_system;--> statement-breakpoint
-- Background work deletes these rows of a tenant that is being deleted, and no others.
do $$
declare
  granted constant text[] := array[
    ['object_credentials',     'tenant_id, credential_id'],
    ['object_resources',       'tenant_id, resource_id'],
    ['callback_endpoints',     'tenant_id, endpoint_id'],
    ['callback_subscriptions', 'tenant_id, endpoint_id, subscription_id'],
    ['bus_principals',         'tenant_id, principal_id'],
    ['policies',               'tenant_id, policy_id'],
    ['role_bindings',          'tenant_id, client_id, role'],
    ['roles',                  'tenant_id, role'],
    ['credentials',            'tenant_id, client_id']
  ];
begin
  for line in 1 .. array_length(granted, 1) loop
    execute format('grant delete, select (%s) on %I to top_system', granted[line][2], granted[line][1]);
    execute format(
      'create policy top_system_delete on %I as restrictive for delete to top_system
      using (tenant_id in (select tenant_id from tenants where status = ''DELETING''))',
      granted[line][1]
    );
  end loop;
end
$$;--> statement-breakpoint
-- Of the audit log, also its young entries, and the entry of the tenant's creation in the log of tenant platform.
grant select (operation, target) on audit_events to top_system;--> statement-breakpoint
create policy top_system_delete_of_tenant on audit_events for delete to top_system using (
  tenant_id in (select tenant_id from tenants where status = 'DELETING')
  or (
    tenant_id = 'platform' and operation = 'tenants.create'
    and target in (select 'platform/tenants/' || tenant_id from tenants where status = 'DELETING')
  )
);
