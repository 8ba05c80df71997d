ALTER TABLE "bus_principals" ADD COLUMN "vendors" text[];--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "vendors" text[];--> statement-breakpoint
grant select (vendors) on tenants to top_system;
