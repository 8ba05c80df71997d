-- The class of a duration. A class ends 10 % above its beginning, so its middle is at most 5 % away from each duration in it.
create function duration_class_v1(milliseconds double precision)
returns int
language sql
immutable parallel safe
as $$
  select ceil(ln(greatest(milliseconds, 1)) / ln(1.1))::int
$$;

-- Everyone may call it: it reads no table.
