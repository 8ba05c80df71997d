ALTER TABLE "credentials" ADD COLUMN "last_used_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "credentials" ADD COLUMN "secret_last_used_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "credentials" ADD COLUMN "previous_secret_last_used_at" timestamp (3) with time zone;--> statement-breakpoint
grant update (last_used_at, secret_last_used_at, previous_secret_last_used_at) on credentials to top_system;--> statement-breakpoint
-- A node whose keyring lacks a known key calls no signature wrong.
grant select (key_id) on keyring_canaries to top_system;--> statement-breakpoint
-- Leaves space on each page, so that storing the last use stays on its page and writes no index entries.
ALTER TABLE "credentials" SET (fillfactor = 70);
