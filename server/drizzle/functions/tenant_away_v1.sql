-- Null: requests of the tenant are served here. An empty text: the tenant moves, or moved within the last minute, so that
-- one address for several platforms can be led to the other one meanwhile. Else the address of the platform that has it.
create function tenant_away_v1(status text, move jsonb)
returns text
language sql
stable
as $$
  select case
    when status = 'MOVING' then ''
    when status = 'MOVED' then case
      when now() < (move ->> 'moved_at')::timestamptz + interval '60 seconds' then ''
      else move ->> 'to'
    end
  end
$$;

revoke execute on function tenant_away_v1(text, jsonb) from public;
grant execute on function tenant_away_v1(text, jsonb) to top_app, top_system, top_ingest;
