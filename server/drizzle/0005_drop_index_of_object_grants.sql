-- unused since 0000_schema: the purge reads the primary key.
DROP INDEX CONCURRENTLY IF EXISTS "object_grants_granted_at";
