CREATE TABLE "command_history" (
	"tenant_id" text NOT NULL,
	"command_id" uuid NOT NULL,
	"entry_id" uuid NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"source" text NOT NULL,
	"status" text NOT NULL,
	"adapter_status" text NOT NULL,
	"device_execution_status" text NOT NULL,
	"reason" json,
	CONSTRAINT "command_history_tenant_id_command_id_entry_id_pk" PRIMARY KEY("tenant_id","command_id","entry_id")
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
CREATE TABLE "parked_messages" (
	"parked_message_id" uuid PRIMARY KEY NOT NULL,
	"parked_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"subject" text NOT NULL,
	"reason" text NOT NULL,
	"body" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "relay_lease" (
	"name" text PRIMARY KEY NOT NULL,
	"holder" text NOT NULL,
	"epoch" bigint NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "commands" ADD COLUMN "late_result" json;--> statement-breakpoint
ALTER TABLE "command_history" ADD CONSTRAINT "command_history_command" FOREIGN KEY ("tenant_id","command_id") REFERENCES "public"."commands"("tenant_id","command_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "device_requests" ADD CONSTRAINT "device_requests_tenant" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "device_requests_pending" ON "device_requests" USING btree ("expires_at") WHERE status = 'PENDING';--> statement-breakpoint
CREATE INDEX "commands_under_way" ON "commands" USING btree ("deadline_at") WHERE status in ('ACCEPTED', 'DISPATCHED');--> statement-breakpoint
do $$
declare
  table_name text;
begin
  foreach table_name in array array['command_history', 'device_requests'] loop
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
-- What moves a command: a cancellation in its own tenant; relay, reports and sweeper in every tenant.
grant update (
  status, adapter_status, device_execution_status, status_reason, result, late_result, dispatched_at, completed_at,
  updated_at
) on commands to top_app, top_system;
grant select on commands to top_system;
grant select, insert on events, command_history to top_app, top_system;
grant select, insert on outbox to top_app;
grant select, insert, update, delete on outbox to top_system;
grant select, insert, update on relay_lease to top_system;
grant select, insert on parked_messages to top_system;
grant select, update on device_requests to top_app;
grant select, insert, update on device_requests to top_system;
-- Whose durables the platform makes on the bus.
grant select on bus_principals to top_system;
-- Whose devices may ask for something.
grant select (tenant_id, status) on tenants to top_system;
