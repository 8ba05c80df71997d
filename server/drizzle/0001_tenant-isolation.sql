-- Row-level security as the backstop behind every query's own tenant_id.
-- top_app     handlers: the rows of the tenant in app.tenant_id, nothing else
-- top_system  admission and background work: rows of every tenant, by explicit policy rather than BYPASSRLS
-- top_ingest  the accept batcher, whose batches mix tenants: inserts only
-- Roles belong to the whole cluster, so another database may have made them already.
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
--> statement-breakpoint
do $$
declare
  table_name text;
begin
  foreach table_name in array array['credentials', 'role_bindings', 'commands', 'events', 'outbox'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format(
      'create policy top_app on %I to top_app using (tenant_id = current_setting(''app.tenant_id''))',
      table_name
    );
    execute format('create policy top_system on %I to top_system using (true) with check (true)', table_name);
  end loop;
  foreach table_name in array array['commands', 'events', 'outbox'] loop
    execute format('create policy top_ingest_insert on %I for insert to top_ingest with check (true)', table_name);
    execute format('create policy top_ingest_select on %I for select to top_ingest using (true)', table_name);
  end loop;
end
$$;
--> statement-breakpoint
grant select, insert, update on tenants to top_app;
grant select, insert on taken_names to top_app;
grant select on vendors, command_types to top_app;
grant select, insert, update on credentials to top_app;
grant select, insert, delete on role_bindings to top_app;
grant select on commands, events to top_app;
--> statement-breakpoint
grant select on tenants, taken_names, credentials, role_bindings, vendors, command_types to top_system;
-- update stands for the right to lock rows: the purge skips what another node is deleting.
grant select, insert, update, delete on nonces to top_system;
--> statement-breakpoint
grant select on vendors, command_types to top_ingest;
grant insert on commands, events, outbox to top_ingest;
grant select (tenant_id, command_id, idempotency_key) on commands to top_ingest;
