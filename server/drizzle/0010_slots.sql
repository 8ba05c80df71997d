-- A tenant belongs to one of 16 slots. The event log is in order within a slot, and each slot has a lease of its own, so
-- several workers relay at the same time: see docs/internals/outbox.md. Tenant ids have no backslash, so the cast is safe.
create function tenant_slot_v1(tenant_id text)
returns int
language sql
immutable parallel safe
as 'select get_byte(sha256(tenant_id::bytea), 0) & 15';
--> statement-breakpoint
CREATE TABLE "relay_workers" (
	"holder" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"can_publish" boolean NOT NULL
);
--> statement-breakpoint
grant select, insert, update, delete on relay_workers to top_system;
--> statement-breakpoint
ALTER TABLE "relay_lease" ADD COLUMN "slot" integer;
--> statement-breakpoint
-- Whoever writes events asks whether a version before slots relays.
grant select (name, holder) on relay_lease to top_app;
--> statement-breakpoint
insert into relay_lease (name, slot, holder, epoch, expires_at) values
  ('slot 0', 0, 'migration', 0, now() - interval '1 second'),
  ('slot 1', 1, 'migration', 0, now() - interval '1 second'),
  ('slot 2', 2, 'migration', 0, now() - interval '1 second'),
  ('slot 3', 3, 'migration', 0, now() - interval '1 second'),
  ('slot 4', 4, 'migration', 0, now() - interval '1 second'),
  ('slot 5', 5, 'migration', 0, now() - interval '1 second'),
  ('slot 6', 6, 'migration', 0, now() - interval '1 second'),
  ('slot 7', 7, 'migration', 0, now() - interval '1 second'),
  ('slot 8', 8, 'migration', 0, now() - interval '1 second'),
  ('slot 9', 9, 'migration', 0, now() - interval '1 second'),
  ('slot 10', 10, 'migration', 0, now() - interval '1 second'),
  ('slot 11', 11, 'migration', 0, now() - interval '1 second'),
  ('slot 12', 12, 'migration', 0, now() - interval '1 second'),
  ('slot 13', 13, 'migration', 0, now() - interval '1 second'),
  ('slot 14', 14, 'migration', 0, now() - interval '1 second'),
  ('slot 15', 15, 'migration', 0, now() - interval '1 second');
--> statement-breakpoint
-- The last number of the event log, also if its event is purged.
create function log_end_v1()
returns bigint
language sql
stable
as $$
  select greatest(
    (
      select max(last.seq) from generate_series(0, 15) as slot cross join lateral (
        select seq from public.events
        where (public.tenant_slot_v1(tenant_id), seq) > (slot, 0)
          and (public.tenant_slot_v1(tenant_id), seq) < (slot + 1, 0)
        order by public.tenant_slot_v1(tenant_id) desc, seq desc limit 1
      ) as last
    ), (select max(published_seq) from public.relay_lease), 0
  )
$$;
--> statement-breakpoint
revoke execute on function log_end_v1() from public;
--> statement-breakpoint
grant execute on function log_end_v1() to top_system;
--> statement-breakpoint
-- As v1, but the end of the log is that of all slots.
create function look_at_generation_v2(declared text default null)
returns table (generation bigint, began_at timestamptz)
language plpgsql
as $$
#variable_conflict use_column
declare
  known public.database_generations;
  shown_identity text;
  shown_timeline text;
  started timestamptz := pg_postmaster_start_time();
  log_end bigint;
  cause text;
begin
  select * into known from public.database_generations order by generation desc limit 1;
  if not pg_is_in_recovery() then
    begin
      shown_identity := (select system_identifier from pg_control_system())
        || '/' || (select oid from pg_database where datname = current_database())
        || '/' || 'public.database_generations'::regclass::oid;
      shown_timeline := left(pg_walfile_name(pg_current_wal_insert_lsn()), 8);
    exception when insufficient_privilege or undefined_function or feature_not_supported then
      null;
    end;
    if declared is not null or known.started_at is distinct from started
      or known.identity <> shown_identity or known.timeline <> shown_timeline
    then
      perform pg_advisory_xact_lock(5120998349);
      select * into known from public.database_generations order by generation desc limit 1;
      log_end := public.log_end_v1();
      cause := case
        when known.identity <> shown_identity or known.timeline <> shown_timeline then 'IDENTITY'
        else declared
      end;
      if known.started_at is distinct from started then
        known.log_end_at_start := log_end;
      end if;
      if cause is null then
        update public.database_generations
        set identity = coalesce(shown_identity, identity), timeline = coalesce(shown_timeline, timeline),
          started_at = started, log_end_at_start = known.log_end_at_start
        where generation = known.generation;
      else
        insert into public.database_generations (
          generation, began_at, cause, parted_at, copied_until, identity, timeline, started_at, log_end_at_start
        )
        values (
          greatest(known.generation + 1, ceil(extract(epoch from clock_timestamp()))::bigint),
          date_trunc('second', clock_timestamp()) + interval '1 second', cause,
          case when cause = 'IDENTITY' then log_end else least(log_end, known.log_end_at_start) end,
          (
            select max(accepted_at) from public.commands
            where completed_at is null
              and deadline_at >= (select swept_until from public.sweep_marks where name = 'commands')
              and (cause = 'IDENTITY' or accepted_at <= started)
          ),
          coalesce(shown_identity, known.identity), coalesce(shown_timeline, known.timeline), started, log_end
        );
        update public.relay_lease set holder = '', epoch = epoch + 1, expires_at = now() - interval '1 second';
        -- Running processes look again: see postgres-signals.ts.
        perform pg_notify('top_signals', '{"from":"","topics":["generation"]}');
        select * into known from public.database_generations order by generation desc limit 1;
      end if;
    end if;
  end if;
  return query select known.generation, known.began_at;
end
$$;
--> statement-breakpoint
revoke execute on function look_at_generation_v2(text) from public;
--> statement-breakpoint
grant execute on function look_at_generation_v2(text) to top_system;
--> statement-breakpoint
create function declare_restored_v2(known bigint)
returns void
language plpgsql
as $$
begin
  perform pg_advisory_xact_lock(5120998349);
  perform public.look_at_generation_v2(
    case when (select max(generation) from public.database_generations) = known then 'WITNESS' end
  );
end
$$;
--> statement-breakpoint
revoke execute on function declare_restored_v2(bigint) from public;
--> statement-breakpoint
grant execute on function declare_restored_v2(bigint) to top_system;
