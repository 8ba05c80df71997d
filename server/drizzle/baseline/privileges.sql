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
