DROP INDEX CONCURRENTLY IF EXISTS "object_resources_of_credential";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "object_resources_of_credential" ON "object_resources" USING btree ("tenant_id","credential_id","resource_id");
