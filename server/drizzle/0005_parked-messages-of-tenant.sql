DROP INDEX CONCURRENTLY IF EXISTS "parked_messages_tenant_id_parked_message_id_pk";--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY "parked_messages_tenant_id_parked_message_id_pk" ON "parked_messages" USING btree ("tenant_id","parked_message_id");
