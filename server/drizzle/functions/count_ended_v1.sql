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

revoke execute on function count_ended_v1(text) from public;
grant execute on function count_ended_v1(text) to top_app, top_system;
