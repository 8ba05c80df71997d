CREATE TABLE "command_figures" (
	"tenant_id" text NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"reason" text NOT NULL,
	"is_other" boolean NOT NULL,
	"vendor" text NOT NULL,
	"status" text NOT NULL,
	"minute" integer NOT NULL,
	"total" integer NOT NULL,
	"classes" integer[] NOT NULL,
	"numbers" integer[] NOT NULL,
	CONSTRAINT "command_figures_key" PRIMARY KEY("tenant_id","hour","reason","is_other","vendor","status","minute")
);
--> statement-breakpoint
CREATE TABLE "command_figures_start" (
	"counted_since" timestamp (3) with time zone PRIMARY KEY NOT NULL
);
--> statement-breakpoint
-- Each batch of ended commands updates the rows of its minute: its rows stay on their page and write no index entries.
ALTER TABLE "command_figures" SET (fillfactor = 50);
--> statement-breakpoint
grant select, insert, update on command_figures to top_app;
--> statement-breakpoint
grant select, insert, update, delete on command_figures to top_system;
--> statement-breakpoint
alter table command_figures enable row level security;
--> statement-breakpoint
alter table command_figures force row level security;
--> statement-breakpoint
create policy top_app on command_figures to top_app using (tenant_id = current_setting('app.tenant_id'));
--> statement-breakpoint
create policy top_system on command_figures to top_system using (true) with check (true);
--> statement-breakpoint
grant select on command_figures_start to top_app;
--> statement-breakpoint
insert into command_figures_start (counted_since) values (now());
--> statement-breakpoint
-- The class of a duration. A class ends 10 % above its beginning, so its middle is at most 5 % away from each duration in it.
create function duration_class_v1(milliseconds double precision)
returns int
language sql
immutable parallel safe
as 'select ceil(ln(greatest(milliseconds, 1)) / ln(1.1))::int';
--> statement-breakpoint
-- Counts commands that have ended: see figures.ts. `ended` is a JSON array with an element for each tenant, vendor, status
-- and reason, and when the commands were accepted, in Unix milliseconds. The slots of their events are locked, so no other
-- transaction counts commands of these tenants, and each row is written once for a whole batch. 20 reasons of a tenant and
-- hour are counted by name, all others together: adapters choose them.
create function count_ended_v1(ended text)
returns void
language plpgsql
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  now_ms double precision := extract(epoch from statement_timestamp()) * 1000;
  this_hour timestamptz := date_trunc('hour', statement_timestamp(), 'UTC');
  this_minute int := extract(minute from statement_timestamp() at time zone 'UTC');
  others text[];
begin
  if strpos(ended, '"reason":') > 0 then
    others := (
      with recursive given as materialized (
        select tenant_id, reason, sum(cardinality(accepted_ms)) as number
        from json_to_recordset(ended::json) as given (tenant_id text, reason text, accepted_ms bigint[])
        where reason is not null
        group by tenant_id, reason
      ), counted (tenant_id, reason, place) as (
        select distinct tenant_id, '', 0 from given
        union all
        select tenant_id, (
          select reason from public.command_figures as known
          where known.tenant_id = counted.tenant_id and known.hour = this_hour and known.reason > counted.reason
          order by known.reason limit 1
        ), place + 1
        from counted where reason is not null and place < 20
      ), uncounted as (
        select tenant_id, reason, row_number() over (partition by tenant_id order by number desc, reason) as place
        from given
        where not exists (
          select from counted where counted.tenant_id = given.tenant_id and counted.reason = given.reason
        )
      )
      select array_agg(tenant_id || ' ' || reason) from uncounted
      where place > 20 - (
        select count(*) from counted where counted.tenant_id = uncounted.tenant_id and counted.reason <> ''
      )
    );
  end if;
  with given as materialized (
    select tenant_id, coalesce(reason, '') as reason, vendor, status, accepted_ms,
      coalesce(tenant_id || ' ' || reason = any (others), false) as is_other
    from json_to_recordset(ended::json) as given (
      tenant_id text, vendor text, status text, reason text, accepted_ms bigint[]
    )
  ), part (tenant_id, reason, is_other, vendor, status, class, number, total) as (
    select tenant_id, case when is_other then '' else reason end, is_other, vendor, status, null::int, null::int,
      cardinality(accepted_ms)
    from given
    union all
    select tenant_id, '', false, vendor, status, class, count(*)::int, 0
    from (
      select tenant_id, vendor, status, public.duration_class_v1(now_ms - unnest(accepted_ms)) as class from given
    ) as command
    group by tenant_id, vendor, status, class
  )
  insert into public.command_figures as known (
    tenant_id, hour, reason, is_other, vendor, status, minute, total, classes, numbers
  )
  select tenant_id, this_hour, reason, is_other, vendor, status, this_minute, sum(total)::int,
    coalesce(array_agg(class) filter (where class is not null), '{}'),
    coalesce(array_agg(number) filter (where class is not null), '{}')
  from part
  group by tenant_id, reason, is_other, vendor, status
  on conflict (tenant_id, hour, reason, is_other, vendor, status, minute) do update
  set total = known.total + excluded.total, (classes, numbers) = (
    select coalesce(array_agg(class), '{}'), coalesce(array_agg(number), '{}')
    from (
      select class, sum(number)::int as number
      from unnest(known.classes || excluded.classes, known.numbers || excluded.numbers) as added (class, number)
      group by class order by class
    ) as summed
  );
end
$$;
--> statement-breakpoint
revoke execute on function count_ended_v1(text) from public;
--> statement-breakpoint
grant execute on function count_ended_v1(text) to top_app, top_system;
--> statement-breakpoint
-- As v1, and counts the commands that have ended. While nodes of versions before it run, theirs are not counted.
create function log_events_v2(new_events text, slots int[], ended text)
returns void
language plpgsql
as $$
begin
  perform public.log_events_v1(new_events, slots);
  if ended <> '[]' then
    perform public.count_ended_v1(ended);
  end if;
end
$$;
--> statement-breakpoint
revoke execute on function log_events_v2(text, int[], text) from public;
--> statement-breakpoint
grant execute on function log_events_v2(text, int[], text) to top_app, top_system;
