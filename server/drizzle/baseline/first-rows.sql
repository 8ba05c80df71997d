-- The first rows of a new database. Administrators change them afterwards; no later start writes them again.
insert into tenants (tenant_id, name) values ('platform', 'Platform administration');

-- Nobody owns them yet.
insert into slots (slot, owner, epoch, owned_until, swept_until)
select slot, '', 0, now() - interval '1 second', now() from generate_series(0, 15) as slot;

insert into command_figures_start (counted_since) values (now());

-- The history of the database before any restore: see look_at_generation_v1.
insert into database_generations (id, began_at, cause) values (gen_random_uuid(), to_timestamp(0), 'FIRST');
