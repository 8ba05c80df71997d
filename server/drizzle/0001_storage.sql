-- Leaves space on each page, so that the updates of a command stay on its page. All commands of a page are dispatched together.
ALTER TABLE "commands" SET (fillfactor = 50);--> statement-breakpoint
-- Storing the last use stays on its page and writes no index entries.
ALTER TABLE "credentials" SET (fillfactor = 70);--> statement-breakpoint
-- A row lives for milliseconds. With the default scale factor, vacuum would wait until a share of the few live rows is dead.
ALTER TABLE "outbox" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);--> statement-breakpoint
-- A row fills a page of the table itself. Otherwise Postgres would compress it.
ALTER TABLE "write_probe" ALTER COLUMN "page" SET STORAGE PLAIN;
