-- Tenants see their own. The messages of before are those of tenant `platform`; they were cut off at 4 KiB.
ALTER TABLE "parked_messages" ADD COLUMN "tenant_id" text DEFAULT 'platform' NOT NULL;--> statement-breakpoint
ALTER TABLE "parked_messages" ADD COLUMN "is_whole" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "parked_messages" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "parked_messages" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
create policy top_app on parked_messages to top_app using (tenant_id = current_setting('app.tenant_id'));--> statement-breakpoint
create policy top_system on parked_messages to top_system using (true) with check (true);--> statement-breakpoint
grant select, delete on parked_messages to top_app;
