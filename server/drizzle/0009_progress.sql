-- The last step of the execution that an adapter reported: see reports.ts.
ALTER TABLE "commands" ADD COLUMN "progress" json;
--> statement-breakpoint
grant update (progress) on commands to top_app, top_system;
