-- Every list has an index in its order.
DROP INDEX CONCURRENTLY IF EXISTS "role_bindings_in_order";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "role_bindings_in_order" ON "role_bindings" USING btree ("tenant_id","created_at","client_id","role");--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "policies_in_order";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "policies_in_order" ON "policies" USING btree ("tenant_id","policy_id") WHERE client_id is not null;--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "tenants_in_order";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "tenants_in_order" ON "tenants" USING btree ("created_at","tenant_id");--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "vendors_in_order";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "vendors_in_order" ON "vendors" USING btree ("created_at","vendor");--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "command_types_in_order";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "command_types_in_order" ON "command_types" USING btree ("vendor","created_at","command_type");
