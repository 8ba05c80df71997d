CREATE TABLE "role_bindings" (
	"tenant_id" text NOT NULL,
	"client_id" text NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "role_bindings_tenant_id_client_id_role_pk" PRIMARY KEY("tenant_id","client_id","role")
);
--> statement-breakpoint
CREATE TABLE "command_types" (
	"vendor" text NOT NULL,
	"command_type" text NOT NULL,
	"enabled" boolean NOT NULL,
	"description" text NOT NULL,
	"payload_schema" json NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "command_types_vendor_command_type_pk" PRIMARY KEY("vendor","command_type")
);
--> statement-breakpoint
CREATE TABLE "vendors" (
	"vendor" text PRIMARY KEY NOT NULL,
	"enabled" boolean NOT NULL
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
	"accepted_at" timestamp (3) with time zone NOT NULL,
	"dispatched_at" timestamp (3) with time zone,
	"deadline_at" timestamp (3) with time zone NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"created_by_client_id" text NOT NULL,
	"request_id" text NOT NULL,
	CONSTRAINT "commands_tenant_id_command_id_pk" PRIMARY KEY("tenant_id","command_id"),
	CONSTRAINT "commands_idempotency_key" UNIQUE("tenant_id","idempotency_key")
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
	"secret_version" integer NOT NULL,
	"secret_sealed" "bytea" NOT NULL,
	"previous_secret_sealed" "bytea",
	"previous_secret_expires_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "credentials_tenant_id_client_id_pk" PRIMARY KEY("tenant_id","client_id")
);
--> statement-breakpoint
CREATE TABLE "events" (
	"tenant_id" text NOT NULL,
	"command_id" uuid NOT NULL,
	"event_type" text NOT NULL,
	"event_id" uuid NOT NULL,
	"occurred_at" timestamp (3) with time zone NOT NULL,
	"tx" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	CONSTRAINT "events_tenant_id_command_id_event_type_pk" PRIMARY KEY("tenant_id","command_id","event_type")
);
--> statement-breakpoint
CREATE TABLE "tenants" (
	"tenant_id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"status" text DEFAULT 'ACTIVE' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "nonces" (
	"credential_number" bigint NOT NULL,
	"nonce_hash" "bytea" NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "nonces_credential_number_nonce_hash_pk" PRIMARY KEY("credential_number","nonce_hash")
);
--> statement-breakpoint
CREATE TABLE "taken_names" (
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"tenant_id" text NOT NULL,
	CONSTRAINT "taken_names_kind_name_pk" PRIMARY KEY("kind","name")
);
--> statement-breakpoint
CREATE TABLE "outbox" (
	"tenant_id" text NOT NULL,
	"fact_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"tx" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"published_at" timestamp (3) with time zone,
	CONSTRAINT "outbox_tenant_id_fact_id_kind_pk" PRIMARY KEY("tenant_id","fact_id","kind")
);
--> statement-breakpoint
CREATE TABLE "keyring_canaries" (
	"key_id" text PRIMARY KEY NOT NULL,
	"sealed" "bytea" NOT NULL
);
--> statement-breakpoint
ALTER TABLE "role_bindings" ADD CONSTRAINT "role_bindings_credential" FOREIGN KEY ("tenant_id","client_id") REFERENCES "public"."credentials"("tenant_id","client_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "command_types" ADD CONSTRAINT "command_types_vendor_vendors_vendor_fk" FOREIGN KEY ("vendor") REFERENCES "public"."vendors"("vendor") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "commands" ADD CONSTRAINT "commands_created_by" FOREIGN KEY ("tenant_id","created_by_client_id") REFERENCES "public"."credentials"("tenant_id","client_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_tenant" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "events" ADD CONSTRAINT "events_command" FOREIGN KEY ("tenant_id","command_id") REFERENCES "public"."commands"("tenant_id","command_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "commands_of_device" ON "commands" USING btree ("tenant_id","device_id","command_id");--> statement-breakpoint
CREATE INDEX "credentials_in_order" ON "credentials" USING btree ("tenant_id","created_at","client_id");--> statement-breakpoint
CREATE INDEX "events_in_order" ON "events" USING btree ("tenant_id","tx","event_id");--> statement-breakpoint
CREATE INDEX "nonces_by_expiry" ON "nonces" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "outbox_unpublished" ON "outbox" USING btree ("tx","fact_id") WHERE published_at is null;