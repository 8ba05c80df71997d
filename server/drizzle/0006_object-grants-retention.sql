CREATE INDEX "object_grants_granted_at" ON "object_grants" USING btree ("granted_at");--> statement-breakpoint
grant delete, select (tenant_id, presign_id, granted_at) on object_grants to top_system;
