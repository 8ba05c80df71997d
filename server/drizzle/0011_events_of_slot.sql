DROP INDEX CONCURRENTLY IF EXISTS "events_of_slot";
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "events_of_slot" ON "events" USING btree (tenant_slot_v1(tenant_id),"seq");
