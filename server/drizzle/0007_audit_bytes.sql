-- Bounds what a tenant can add to the audit log and to the stored answers in one day: see daily-bytes.ts.
CREATE TABLE "audit_bytes" (
	"tenant_id" text NOT NULL,
	"outcome" text NOT NULL,
	"day" date NOT NULL,
	"bytes" bigint NOT NULL,
	CONSTRAINT "audit_bytes_tenant_id_outcome_pk" PRIMARY KEY("tenant_id","outcome")
);
--> statement-breakpoint
grant select, insert, update on audit_bytes to top_app;
--> statement-breakpoint
grant delete, select (tenant_id, outcome) on audit_bytes to top_system;
--> statement-breakpoint
alter table audit_bytes enable row level security;
--> statement-breakpoint
alter table audit_bytes force row level security;
--> statement-breakpoint
create policy top_app on audit_bytes to top_app using (tenant_id = current_setting('app.tenant_id'));
--> statement-breakpoint
create policy top_system on audit_bytes to top_system using (true) with check (true);
