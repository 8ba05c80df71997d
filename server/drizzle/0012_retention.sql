-- What the background work deletes when it has been kept for long enough.
grant delete on commands, events, device_requests to top_system;--> statement-breakpoint
-- Of the audit log nobody deletes what is younger than 90 days.
drop policy top_system on audit_events;--> statement-breakpoint
create policy top_system_select on audit_events for select to top_system using (true);--> statement-breakpoint
create policy top_system_delete on audit_events for delete to top_system using (occurred_at < now() - interval '90 days');--> statement-breakpoint
grant delete, select (tenant_id, audit_event_id, occurred_at) on audit_events to top_system;
