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
ALTER TABLE "callback_endpoints" ADD CONSTRAINT "callback_endpoints_tenant" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "callback_subscriptions" ADD CONSTRAINT "callback_subscriptions_endpoint" FOREIGN KEY ("tenant_id","endpoint_id") REFERENCES "public"."callback_endpoints"("tenant_id","endpoint_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "object_credentials" ADD CONSTRAINT "object_credentials_tenant" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "object_grants" ADD CONSTRAINT "object_grants_resource" FOREIGN KEY ("tenant_id","resource_id") REFERENCES "public"."object_resources"("tenant_id","resource_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "object_resources" ADD CONSTRAINT "object_resources_credential" FOREIGN KEY ("tenant_id","credential_id") REFERENCES "public"."object_credentials"("tenant_id","credential_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
do $$
declare
  table_name text;
begin
  foreach table_name in array array[
    'object_credentials', 'object_resources', 'object_grants', 'callback_endpoints', 'callback_subscriptions'
  ] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format(
      'create policy top_app on %I to top_app using (tenant_id = current_setting(''app.tenant_id''))',
      table_name
    );
    execute format('create policy top_system on %I to top_system using (true) with check (true)', table_name);
  end loop;
end
$$;
--> statement-breakpoint
grant select, insert, update on object_credentials, object_resources, callback_endpoints to top_app;
grant select, insert on object_grants to top_app;
grant select, insert, delete on callback_subscriptions to top_app;
