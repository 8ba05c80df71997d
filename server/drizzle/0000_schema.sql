CREATE TABLE "bus_principals" (
	"tenant_id" text NOT NULL,
	"principal_id" uuid NOT NULL,
	"bus_user" text NOT NULL,
	"bus_account_public_key" text NOT NULL,
	"bus_user_public_key" text NOT NULL,
	"principal_type" text NOT NULL,
	"client_id" text,
	"service_name" text,
	"vendors" text[],
	"status" text NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "bus_principals_tenant_id_principal_id_pk" PRIMARY KEY("tenant_id","principal_id")
);
--> statement-breakpoint
CREATE TABLE "callback_endpoints" (
	"tenant_id" text NOT NULL,
	"endpoint_id" uuid NOT NULL,
	"name" text NOT NULL,
	"url" text NOT NULL,
	"status" text NOT NULL,
	"timeout_seconds" integer NOT NULL,
	"max_attempts" integer NOT NULL,
	"secret_version" integer NOT NULL,
	"secret_sealed" "bytea" NOT NULL,
	"previous_secret_sealed" "bytea",
	"previous_secret_expires_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "callback_endpoints_tenant_id_endpoint_id_pk" PRIMARY KEY("tenant_id","endpoint_id")
);
--> statement-breakpoint
CREATE TABLE "callback_subscriptions" (
	"tenant_id" text NOT NULL,
	"endpoint_id" uuid NOT NULL,
	"subscription_id" uuid NOT NULL,
	"event_type" text NOT NULL,
	"status" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "callback_subscriptions_tenant_id_endpoint_id_subscription_id_pk" PRIMARY KEY("tenant_id","endpoint_id","subscription_id"),
	CONSTRAINT "callback_subscriptions_event_type" UNIQUE("tenant_id","endpoint_id","event_type")
);
--> statement-breakpoint
CREATE TABLE "command_types" (
	"vendor" text NOT NULL,
	"command_type" text NOT NULL,
	"enabled" boolean NOT NULL,
	"description" text NOT NULL,
	"payload_schema" json NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "command_types_vendor_command_type_pk" PRIMARY KEY("vendor","command_type")
);
--> statement-breakpoint
CREATE TABLE "commands" (
	"tenant_id" text NOT NULL,
	"command_id" uuid NOT NULL,
	"idempotency_key" text NOT NULL,
	"vendor" text NOT NULL,
	"device_id" text NOT NULL,
	"command_type" text NOT NULL,
	"payload" json NOT NULL,
	"payload_sha256" "bytea" NOT NULL,
	"timeout_seconds" integer NOT NULL,
	"status" text NOT NULL,
	"adapter_status" text NOT NULL,
	"device_execution_status" text NOT NULL,
	"status_reason" json,
	"result" json,
	"late_result" json,
	"history" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"accepted_at" timestamp (3) with time zone NOT NULL,
	"dispatched_at" timestamp (3) with time zone,
	"deadline_at" timestamp (3) with time zone NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"created_by_client_id" text NOT NULL,
	"request_id" text NOT NULL,
	"traceparent" text,
	"batch_id" uuid,
	CONSTRAINT "commands_tenant_id_command_id_pk" PRIMARY KEY("tenant_id","command_id"),
	CONSTRAINT "commands_idempotency_key" UNIQUE("tenant_id","idempotency_key")
);
--> statement-breakpoint
CREATE TABLE "sweep_marks" (
	"name" text PRIMARY KEY NOT NULL,
	"swept_until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "device_requests" (
	"tenant_id" text NOT NULL,
	"device_request_id" uuid NOT NULL,
	"vendor" text NOT NULL,
	"device_id" text NOT NULL,
	"request_type" text NOT NULL,
	"payload" json NOT NULL,
	"dedupe_id" text NOT NULL,
	"status" text NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"reply_outcome" text,
	"reply_payload" json,
	"reply_error" json,
	"reply_sha256" "bytea",
	"replied_at" timestamp (3) with time zone,
	"replied_by_client_id" text,
	CONSTRAINT "device_requests_tenant_id_device_request_id_pk" PRIMARY KEY("tenant_id","device_request_id"),
	CONSTRAINT "device_requests_dedupe_id" UNIQUE("tenant_id","vendor","dedupe_id")
);
--> statement-breakpoint
CREATE TABLE "object_credentials" (
	"tenant_id" text NOT NULL,
	"credential_id" uuid NOT NULL,
	"name" text NOT NULL,
	"provider" text,
	"endpoint" text NOT NULL,
	"region" text NOT NULL,
	"force_path_style" boolean NOT NULL,
	"access_key_id" text NOT NULL,
	"secret_version" integer NOT NULL,
	"secret_access_key_sealed" "bytea" NOT NULL,
	"session_token_sealed" "bytea",
	"status" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "object_credentials_tenant_id_credential_id_pk" PRIMARY KEY("tenant_id","credential_id")
);
--> statement-breakpoint
CREATE TABLE "object_resources" (
	"tenant_id" text NOT NULL,
	"resource_id" uuid NOT NULL,
	"name" text NOT NULL,
	"credential_id" uuid NOT NULL,
	"bucket" text NOT NULL,
	"allowed_operations" text[] NOT NULL,
	"key_prefix" text NOT NULL,
	"allowed_content_types" text[],
	"max_object_bytes" bigint NOT NULL,
	"max_expires_in_seconds" integer NOT NULL,
	"status" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "object_resources_tenant_id_resource_id_pk" PRIMARY KEY("tenant_id","resource_id")
);
--> statement-breakpoint
CREATE TABLE "object_grants" (
	"tenant_id" text NOT NULL,
	"presign_id" uuid NOT NULL,
	"resource_id" uuid NOT NULL,
	"operation" text NOT NULL,
	"key" text NOT NULL,
	"content_type" text,
	"content_length" bigint,
	"client_id" text NOT NULL,
	"request_id" text NOT NULL,
	"granted_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "object_grants_tenant_id_presign_id_pk" PRIMARY KEY("tenant_id","presign_id")
);
--> statement-breakpoint
CREATE TABLE "vendors" (
	"vendor" text PRIMARY KEY NOT NULL,
	"enabled" boolean NOT NULL,
	"last_read_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_events" (
	"tenant_id" text NOT NULL,
	"audit_event_id" uuid NOT NULL,
	"occurred_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"client_id" text NOT NULL,
	"operation" text NOT NULL,
	"target" text NOT NULL,
	"changes" text[] NOT NULL,
	"before" jsonb,
	"after" jsonb,
	"outcome" text NOT NULL,
	"request_id" text NOT NULL,
	"source_address" text,
	CONSTRAINT "audit_events_tenant_id_audit_event_id_pk" PRIMARY KEY("tenant_id","audit_event_id")
);
--> statement-breakpoint
CREATE TABLE "nonces" (
	"credential_number" bigint NOT NULL,
	"nonce_hash" "bytea" NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "nonces_credential_number_nonce_hash_pk" PRIMARY KEY("credential_number","nonce_hash")
);
--> statement-breakpoint
CREATE TABLE "parked_messages" (
	"tenant_id" text DEFAULT 'platform' NOT NULL,
	"parked_message_id" uuid NOT NULL,
	"parked_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"subject" text NOT NULL,
	"reason" text NOT NULL,
	"details" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"body" "bytea" NOT NULL,
	"is_whole" boolean DEFAULT false NOT NULL,
	CONSTRAINT "parked_messages_tenant_id_parked_message_id_pk" PRIMARY KEY("tenant_id","parked_message_id")
);
--> statement-breakpoint
CREATE TABLE "taken_names" (
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"tenant_id" text NOT NULL,
	CONSTRAINT "taken_names_kind_name_pk" PRIMARY KEY("kind","name")
);
--> statement-breakpoint
CREATE TABLE "write_probe" (
	"page" text
);
--> statement-breakpoint
CREATE TABLE "idempotent_answers" (
	"tenant_id" text NOT NULL,
	"answer_id" uuid NOT NULL,
	"client_id" text NOT NULL,
	"operation" text NOT NULL,
	"idempotency_key" text NOT NULL,
	"answer_sealed" "bytea",
	CONSTRAINT "idempotent_answers_tenant_id_answer_id_pk" PRIMARY KEY("tenant_id","answer_id")
);
--> statement-breakpoint
CREATE TABLE "credentials" (
	"tenant_id" text NOT NULL,
	"client_id" text NOT NULL,
	"number" bigint GENERATED ALWAYS AS IDENTITY (sequence name "credentials_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"status" text NOT NULL,
	"allowed_clock_skew_seconds" integer NOT NULL,
	"replay_window_seconds" integer NOT NULL,
	"requests_per_minute" integer,
	"secret_version" integer NOT NULL,
	"secret_sealed" "bytea" NOT NULL,
	"previous_secret_sealed" "bytea",
	"previous_secret_expires_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	"secret_last_used_at" timestamp (3) with time zone,
	"previous_secret_last_used_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "credentials_tenant_id_client_id_pk" PRIMARY KEY("tenant_id","client_id")
);
--> statement-breakpoint
CREATE TABLE "policies" (
	"tenant_id" text NOT NULL,
	"policy_id" uuid NOT NULL,
	"client_id" text,
	"role" text,
	"object" text NOT NULL,
	"action" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "policies_tenant_id_policy_id_pk" PRIMARY KEY("tenant_id","policy_id"),
	CONSTRAINT "policies_subject" CHECK ((client_id is null) <> (role is null))
);
--> statement-breakpoint
CREATE TABLE "role_bindings" (
	"tenant_id" text NOT NULL,
	"client_id" text NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "role_bindings_tenant_id_client_id_role_pk" PRIMARY KEY("tenant_id","client_id","role")
);
--> statement-breakpoint
CREATE TABLE "roles" (
	"tenant_id" text NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "roles_tenant_id_role_pk" PRIMARY KEY("tenant_id","role")
);
--> statement-breakpoint
CREATE TABLE "tenants" (
	"tenant_id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"status" text DEFAULT 'ACTIVE' NOT NULL,
	"vendors" text[],
	"requests_per_minute" integer,
	"adapter_reads" jsonb,
	"deletion" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "events" (
	"tenant_id" text NOT NULL,
	"command_id" uuid NOT NULL,
	"event_type" text NOT NULL,
	"event_id" uuid NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "events_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"logged_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "events_tenant_id_command_id_event_type_pk" PRIMARY KEY("tenant_id","command_id","event_type")
);
--> statement-breakpoint
CREATE TABLE "outbox" (
	"tenant_id" text NOT NULL,
	"is_logged" boolean DEFAULT false NOT NULL,
	"position" bigint GENERATED ALWAYS AS IDENTITY (sequence name "outbox_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"fact_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "outbox_tenant_id_is_logged_position_pk" PRIMARY KEY("tenant_id","is_logged","position")
);
--> statement-breakpoint
CREATE TABLE "relay_lease" (
	"name" text PRIMARY KEY NOT NULL,
	"holder" text NOT NULL,
	"epoch" bigint NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"can_publish" boolean DEFAULT true NOT NULL,
	"published_seq" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "keyring_canaries" (
	"key_id" text PRIMARY KEY NOT NULL,
	"sealed" "bytea" NOT NULL
);
--> statement-breakpoint
ALTER TABLE "bus_principals" ADD CONSTRAINT "bus_principals_tenant" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bus_principals" ADD CONSTRAINT "bus_principals_credential" FOREIGN KEY ("tenant_id","client_id") REFERENCES "public"."credentials"("tenant_id","client_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "callback_endpoints" ADD CONSTRAINT "callback_endpoints_tenant" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "callback_subscriptions" ADD CONSTRAINT "callback_subscriptions_endpoint" FOREIGN KEY ("tenant_id","endpoint_id") REFERENCES "public"."callback_endpoints"("tenant_id","endpoint_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "command_types" ADD CONSTRAINT "command_types_vendor_vendors_vendor_fk" FOREIGN KEY ("vendor") REFERENCES "public"."vendors"("vendor") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "commands" ADD CONSTRAINT "commands_created_by" FOREIGN KEY ("tenant_id","created_by_client_id") REFERENCES "public"."credentials"("tenant_id","client_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "device_requests" ADD CONSTRAINT "device_requests_tenant" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "object_credentials" ADD CONSTRAINT "object_credentials_tenant" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "object_resources" ADD CONSTRAINT "object_resources_credential" FOREIGN KEY ("tenant_id","credential_id") REFERENCES "public"."object_credentials"("tenant_id","credential_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_tenant" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "policies" ADD CONSTRAINT "policies_credential" FOREIGN KEY ("tenant_id","client_id") REFERENCES "public"."credentials"("tenant_id","client_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "policies" ADD CONSTRAINT "policies_role" FOREIGN KEY ("tenant_id","role") REFERENCES "public"."roles"("tenant_id","role") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "role_bindings" ADD CONSTRAINT "role_bindings_credential" FOREIGN KEY ("tenant_id","client_id") REFERENCES "public"."credentials"("tenant_id","client_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "roles" ADD CONSTRAINT "roles_tenant" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "bus_principals_reading_events" ON "bus_principals" USING btree ("tenant_id") WHERE principal_type = 'CLIENT' and status <> 'DELETED';--> statement-breakpoint
CREATE INDEX "command_types_in_order" ON "command_types" USING btree ("vendor","created_at","command_type");--> statement-breakpoint
CREATE INDEX "commands_of_device" ON "commands" USING btree ("tenant_id","device_id","command_id");--> statement-breakpoint
CREATE INDEX "commands_of_batch" ON "commands" USING btree ("tenant_id","batch_id","command_id") WHERE batch_id is not null;--> statement-breakpoint
CREATE INDEX "commands_by_deadline" ON "commands" USING btree ("deadline_at");--> statement-breakpoint
CREATE INDEX "device_requests_pending" ON "device_requests" USING btree ("expires_at") WHERE status = 'PENDING';--> statement-breakpoint
CREATE INDEX "device_requests_to_answer" ON "device_requests" USING btree ("tenant_id","device_request_id") WHERE status = 'PENDING';--> statement-breakpoint
CREATE INDEX "device_requests_of_device" ON "device_requests" USING btree ("tenant_id","device_id","device_request_id");--> statement-breakpoint
CREATE INDEX "object_resources_of_credential" ON "object_resources" USING btree ("tenant_id","credential_id","resource_id");--> statement-breakpoint
CREATE INDEX "object_grants_granted_at" ON "object_grants" USING btree ("granted_at");--> statement-breakpoint
CREATE INDEX "vendors_in_order" ON "vendors" USING btree ("created_at","vendor");--> statement-breakpoint
CREATE INDEX "audit_events_of_client" ON "audit_events" USING btree ("tenant_id","client_id","audit_event_id");--> statement-breakpoint
CREATE INDEX "audit_events_of_target" ON "audit_events" USING btree ("tenant_id","target","audit_event_id");--> statement-breakpoint
CREATE INDEX "audit_events_of_address" ON "audit_events" USING btree ("tenant_id","source_address","audit_event_id");--> statement-breakpoint
CREATE INDEX "nonces_by_expiry" ON "nonces" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "parked_messages_parked_at" ON "parked_messages" USING btree ("parked_at");--> statement-breakpoint
CREATE UNIQUE INDEX "idempotent_answers_by_key" ON "idempotent_answers" USING btree ("tenant_id","client_id","operation","idempotency_key");--> statement-breakpoint
CREATE INDEX "credentials_in_order" ON "credentials" USING btree ("tenant_id","created_at","client_id");--> statement-breakpoint
CREATE UNIQUE INDEX "policies_of_client" ON "policies" USING btree ("tenant_id","client_id","object","action") WHERE client_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "policies_of_role" ON "policies" USING btree ("tenant_id","role","object","action") WHERE role is not null;--> statement-breakpoint
CREATE INDEX "policies_in_order" ON "policies" USING btree ("tenant_id","policy_id") WHERE client_id is not null;--> statement-breakpoint
CREATE INDEX "role_bindings_in_order" ON "role_bindings" USING btree ("tenant_id","created_at","client_id","role");--> statement-breakpoint
CREATE INDEX "tenants_in_order" ON "tenants" USING btree ("created_at","tenant_id");--> statement-breakpoint
CREATE INDEX "tenants_deleting" ON "tenants" USING btree ("tenant_id") WHERE status = 'DELETING';--> statement-breakpoint
CREATE INDEX "events_of_tenant" ON "events" USING btree ("tenant_id","seq");--> statement-breakpoint
CREATE INDEX "events_in_order" ON "events" USING btree ("seq");
