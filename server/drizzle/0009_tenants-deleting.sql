DROP INDEX CONCURRENTLY IF EXISTS "tenants_deleting";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "tenants_deleting" ON "tenants" USING btree ("tenant_id") WHERE status = 'DELETING';
