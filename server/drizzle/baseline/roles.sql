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
