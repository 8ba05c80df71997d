ALTER TABLE "outbox" ADD COLUMN "created_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
CREATE INDEX "parked_messages_parked_at" ON "parked_messages" USING btree ("parked_at");--> statement-breakpoint
CREATE INDEX "outbox_published" ON "outbox" USING btree ("published_at") WHERE published_at is not null;--> statement-breakpoint
grant delete on parked_messages to top_system;
