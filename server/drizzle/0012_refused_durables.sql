-- Why the bus refuses what a principal reads: see provision-durables.ts.
ALTER TABLE "bus_principals" ADD COLUMN "problem" text;
--> statement-breakpoint
grant update (problem) on bus_principals to top_system;
