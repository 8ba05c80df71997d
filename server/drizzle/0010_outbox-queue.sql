-- The outbox becomes a queue, the event log gets numbers of its own, and the history of a command moves into its row.
-- Row-level security binds the owner too: it is lifted here for the rows that move.
ALTER TABLE "commands" NO FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "command_history" NO FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "events" NO FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "outbox" NO FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "events" DROP CONSTRAINT "events_command";--> statement-breakpoint
DROP INDEX "commands_under_way";--> statement-breakpoint
DROP INDEX "events_in_order";--> statement-breakpoint
-- The history.
ALTER TABLE "commands" ADD COLUMN "history" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
UPDATE "commands" SET "history" = told.entries
FROM (
	SELECT tenant_id, command_id, jsonb_agg(
		jsonb_build_object(
			'at', to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'source', source, 'status', status,
			'adapter_status', adapter_status, 'device_execution_status', device_execution_status, 'reason', reason
		) ORDER BY at, entry_id
	) AS entries
	FROM "command_history" GROUP BY tenant_id, command_id
) AS told
WHERE commands.tenant_id = told.tenant_id AND commands.command_id = told.command_id;--> statement-breakpoint
DROP TABLE "command_history";--> statement-breakpoint
-- Room for the changes of a command on the page of its row. All commands of a page are dispatched together.
ALTER TABLE "commands" SET (fillfactor = 50);--> statement-breakpoint
CREATE INDEX "commands_by_deadline" ON "commands" USING btree ("deadline_at");--> statement-breakpoint
CREATE TABLE "sweep_marks" (
	"name" text PRIMARY KEY NOT NULL,
	"swept_until" timestamp (3) with time zone NOT NULL
);--> statement-breakpoint
INSERT INTO "sweep_marks" (name, swept_until)
SELECT 'commands', coalesce(min(deadline_at), now()) FROM "commands" WHERE completed_at IS NULL;--> statement-breakpoint
grant select, update (swept_until) on sweep_marks to top_system;--> statement-breakpoint
-- The event log: the numbers follow the order in which it was listed until now.
ALTER TABLE "events" ADD COLUMN "seq" bigint;--> statement-breakpoint
UPDATE "events" SET "seq" = numbered.seq
FROM (
	SELECT tenant_id, command_id, event_type, row_number() OVER (ORDER BY tx, event_id) AS seq FROM "events"
) AS numbered
WHERE events.tenant_id = numbered.tenant_id AND events.command_id = numbered.command_id
	AND events.event_type = numbered.event_type;--> statement-breakpoint
ALTER TABLE "events" ALTER COLUMN "seq" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "events" ALTER COLUMN "seq" ADD GENERATED ALWAYS AS IDENTITY (sequence name "events_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1);--> statement-breakpoint
SELECT setval('events_seq_seq', (SELECT coalesce(max(seq), 0) FROM "events") + 1, false);--> statement-breakpoint
ALTER TABLE "events" RENAME COLUMN "occurred_at" TO "logged_at";--> statement-breakpoint
ALTER TABLE "events" ALTER COLUMN "logged_at" SET DEFAULT clock_timestamp();--> statement-breakpoint
ALTER TABLE "events" DROP COLUMN "tx";--> statement-breakpoint
CREATE INDEX "events_of_tenant" ON "events" USING btree ("tenant_id","seq");--> statement-breakpoint
CREATE INDEX "events_in_order" ON "events" USING btree ("seq");--> statement-breakpoint
-- The lease, with the number up to which events are published.
ALTER TABLE "relay_lease" DROP COLUMN "tx";--> statement-breakpoint
ALTER TABLE "relay_lease" ADD COLUMN "can_publish" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "relay_lease" ADD COLUMN "published_seq" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "relay_lease" ADD COLUMN "waits" jsonb DEFAULT '{"tenants":{},"updates":0}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "relay_lease" ADD COLUMN "waits_measured_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
INSERT INTO "relay_lease" (name, holder, epoch, expires_at)
VALUES ('outbox', 'migration', 0, now() - interval '1 second')
ON CONFLICT (name) DO UPDATE SET expires_at = excluded.expires_at;--> statement-breakpoint
UPDATE "relay_lease" SET "published_seq" = coalesce(
	(
		SELECT min(events.seq) - 1 FROM "outbox"
		JOIN "events" ON events.tenant_id = outbox.tenant_id AND events.command_id = outbox.fact_id
			AND events.event_type = CASE outbox.kind
				WHEN 'COMMAND_ACCEPTED' THEN 'command.accepted' WHEN 'COMMAND_COMPLETED' THEN 'command.completed' END
		WHERE outbox.published_at IS NULL
	),
	(SELECT max(seq) FROM "events"),
	0
);--> statement-breakpoint
-- The queue: what is not published yet.
ALTER TABLE "outbox" RENAME TO "outbox_before";--> statement-breakpoint
CREATE TABLE "outbox" (
	"tenant_id" text NOT NULL,
	"is_logged" boolean DEFAULT false NOT NULL,
	"position" bigint NOT NULL GENERATED ALWAYS AS IDENTITY (sequence name "outbox_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"fact_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "outbox_tenant_id_is_logged_position_pk" PRIMARY KEY("tenant_id","is_logged","position")
);--> statement-breakpoint
INSERT INTO "outbox" (tenant_id, kind, fact_id, created_at)
SELECT tenant_id, kind, fact_id, created_at FROM "outbox_before"
WHERE published_at IS NULL AND kind <> 'COMMAND_COMPLETED'
ORDER BY tx, fact_id;--> statement-breakpoint
DROP TABLE "outbox_before";--> statement-breakpoint
-- A row lives for milliseconds: without this a busy queue would wait for a share of its few living rows to die.
ALTER TABLE "outbox" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);--> statement-breakpoint
ALTER TABLE "outbox" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "outbox" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "events" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "commands" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
create policy top_app on outbox to top_app using (tenant_id = current_setting('app.tenant_id'));--> statement-breakpoint
create policy top_system on outbox to top_system using (true) with check (true);--> statement-breakpoint
create policy top_ingest_insert on outbox for insert to top_ingest with check (true);--> statement-breakpoint
grant insert on outbox to top_app, top_ingest;--> statement-breakpoint
grant select, insert, delete on outbox to top_system;--> statement-breakpoint
grant update (history) on commands to top_app, top_system;--> statement-breakpoint
drop policy top_ingest_insert on events;--> statement-breakpoint
drop policy top_ingest_select on events;--> statement-breakpoint
revoke insert on events from top_ingest;
