-- The slot of a tenant: one of 16, see docs/internals/outbox.md. Tenant ids have no backslash, so the cast is safe.
create function tenant_slot_v1(tenant_id text)
returns int
language sql
immutable parallel safe
as $$
  select get_byte(sha256(tenant_id::bytea), 0) & 15
$$;

-- Everyone may call it: an index of the event log is built with it.
