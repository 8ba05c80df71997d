DROP INDEX CONCURRENTLY IF EXISTS "tenants_to_empty";
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "tenants_to_empty" ON "tenants" USING btree ("tenant_id") WHERE deletion -> 'work' is not null;
