-- unused since 0011_events_of_slot: the log is read by slot or by tenant.
DROP INDEX CONCURRENTLY IF EXISTS "events_in_order";
