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
CREATE TABLE "roles" (
	"tenant_id" text NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "roles_tenant_id_role_pk" PRIMARY KEY("tenant_id","role")
);
--> statement-breakpoint
CREATE TABLE "bus_principals" (
	"tenant_id" text NOT NULL,
	"principal_id" uuid NOT NULL,
	"bus_user" text NOT NULL,
	"bus_account_public_key" text NOT NULL,
	"bus_user_public_key" text NOT NULL,
	"principal_type" text NOT NULL,
	"client_id" text,
	"service_name" text,
	"status" text NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "bus_principals_tenant_id_principal_id_pk" PRIMARY KEY("tenant_id","principal_id")
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
	"outcome" text NOT NULL,
	"request_id" text NOT NULL,
	CONSTRAINT "audit_events_tenant_id_audit_event_id_pk" PRIMARY KEY("tenant_id","audit_event_id")
);
--> statement-breakpoint
ALTER TABLE "command_types" ADD COLUMN "created_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "command_types" ADD COLUMN "updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "vendors" ADD COLUMN "created_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "vendors" ADD COLUMN "updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "policies" ADD CONSTRAINT "policies_credential" FOREIGN KEY ("tenant_id","client_id") REFERENCES "public"."credentials"("tenant_id","client_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "policies" ADD CONSTRAINT "policies_role" FOREIGN KEY ("tenant_id","role") REFERENCES "public"."roles"("tenant_id","role") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "roles" ADD CONSTRAINT "roles_tenant" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bus_principals" ADD CONSTRAINT "bus_principals_tenant" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bus_principals" ADD CONSTRAINT "bus_principals_credential" FOREIGN KEY ("tenant_id","client_id") REFERENCES "public"."credentials"("tenant_id","client_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "policies_of_client" ON "policies" USING btree ("tenant_id","client_id","object","action") WHERE client_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "policies_of_role" ON "policies" USING btree ("tenant_id","role","object","action") WHERE role is not null;--> statement-breakpoint
CREATE INDEX "audit_events_of_client" ON "audit_events" USING btree ("tenant_id","client_id","audit_event_id");--> statement-breakpoint
do $$
declare
  table_name text;
begin
  foreach table_name in array array['roles', 'policies', 'bus_principals', 'audit_events'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format(
      'create policy top_app on %I to top_app using (tenant_id = current_setting(''app.tenant_id''))',
      table_name
    );
    execute format('create policy top_system on %I to top_system using (true) with check (true)', table_name);
  end loop;
  foreach table_name in array array['credentials', 'role_bindings', 'policies'] loop
    execute format('create policy top_ingest_select on %I for select to top_ingest using (true)', table_name);
  end loop;
end
$$;
--> statement-breakpoint
grant insert, update on vendors, command_types to top_app;
grant select, insert, update, delete on roles to top_app;
grant select, insert, delete on policies to top_app;
grant select, insert, update on bus_principals to top_app;
-- Append-only: what was written stays as it was written.
grant select, insert on audit_events to top_app;
--> statement-breakpoint
-- Admission is top_ingest's too: one statement admits a request and stores the command that it brings. It reads no secret.
grant select on tenants, role_bindings, policies to top_ingest;
grant select (
  tenant_id, client_id, status, expires_at, secret_version, previous_secret_expires_at, allowed_clock_skew_seconds,
  replay_window_seconds
) on credentials to top_ingest;
grant insert on nonces to top_ingest;
grant select (credential_number, nonce_hash) on nonces to top_ingest;
revoke select on role_bindings, tenants from top_system;
revoke insert on nonces from top_system;
