-- unused since 0012_retention: the record of a presigned request outlives its resource.
ALTER TABLE "object_grants" DROP CONSTRAINT "object_grants_resource";--> statement-breakpoint
grant delete on object_credentials, object_resources, callback_endpoints to top_app;--> statement-breakpoint
grant update on callback_subscriptions to top_app;
