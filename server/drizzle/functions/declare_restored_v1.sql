-- Something outside of the database knows a later event than it has: a generation begins, unless another one has begun
-- since `known`. The lock is the one of look_at_generation_v1, so of all who notice a restore at the same time one begins it.
create function declare_restored_v1(known bigint)
returns void
language plpgsql
as $$
begin
  perform pg_advisory_xact_lock(5120998349);
  perform public.look_at_generation_v1(
    case when (select max(generation) from public.database_generations) = known then 'WITNESS' end
  );
end
$$;

revoke execute on function declare_restored_v1(bigint) from public;
grant execute on function declare_restored_v1(bigint) to top_system;
