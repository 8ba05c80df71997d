-- unused since 0005_parked-messages-of-tenant: no statement names the key.
ALTER TABLE "parked_messages" DROP CONSTRAINT "parked_messages_pkey";--> statement-breakpoint
ALTER TABLE "parked_messages" ADD CONSTRAINT "parked_messages_tenant_id_parked_message_id_pk" PRIMARY KEY USING INDEX "parked_messages_tenant_id_parked_message_id_pk";
