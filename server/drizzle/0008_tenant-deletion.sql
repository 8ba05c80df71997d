ALTER TABLE "tenants" ADD COLUMN "deletion_requested_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "deleted_rows" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
-- What deletes the data of a tenant. Of tenants it changes nothing but these columns.
grant select (created_at, deletion_requested_at, deleted_rows) on tenants to top_system;
grant update (status, name, vendors, deleted_rows, updated_at) on tenants to top_system;
grant delete on
  taken_names, credentials, role_bindings, roles, policies, bus_principals, object_credentials, object_resources,
  callback_endpoints, callback_subscriptions
to top_system;
grant select (tenant_id, client_id, role) on role_bindings to top_system;
grant select (tenant_id, role) on roles to top_system;
grant select (tenant_id, policy_id) on policies to top_system;
grant select (tenant_id, credential_id) on object_credentials to top_system;
grant select (tenant_id, resource_id) on object_resources to top_system;
grant select (tenant_id, endpoint_id) on callback_endpoints to top_system;
grant select (tenant_id, endpoint_id, subscription_id) on callback_subscriptions to top_system;
grant select (operation, target) on audit_events to top_system;
--> statement-breakpoint
-- Of the audit log: the log of a tenant that is being deleted, and the entry of its creation.
create policy top_system_purge on audit_events for delete to top_system using (
  exists (
    select from tenants
    where tenants.status = 'DELETING' and (
      tenants.tenant_id = audit_events.tenant_id
      or audit_events.tenant_id = 'platform' and audit_events.operation = 'tenants.create'
        and audit_events.target = 'platform/tenants/' || tenants.tenant_id
    )
  )
);
