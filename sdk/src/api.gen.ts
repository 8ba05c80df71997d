// Generated from contract/openapi.json by `pnpm golden`.
export interface paths {
    "/api/v1/open/downlink/commands": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List commands
         * @description Lists the commands of the tenant, newest first.
         *
         *     Needs the scope `open:command:read`.
         */
        get: operations["commands.list"];
        put?: never;
        /**
         * Create a command
         * @description Accepts and persists a command for a device. ACCEPTED does not mean that the device executed it. A used idempotency_key returns the existing command, with the header Idempotent-Replayed: true, and makes nothing new; where the request differs from the original, Idempotency-Mismatch names the fields.
         *
         *     Needs the scope `open:command:create`.
         */
        post: operations["commands.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/open/downlink/commands/{command_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a command
         * @description Reads one command of the tenant with its four statuses. With wait_seconds it answers as soon as the command is final, or with seen_updated_at as soon as it differs from what the caller has seen.
         *
         *     Needs the scope `open:command:read`.
         */
        get: operations["commands.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/open/downlink/commands/{command_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a command
         * @description Takes back a command that was not handed to the adapter yet. One that is canceled already answers the same; any other is refused with its status.
         *
         *     Needs the scope `open:command:cancel`.
         */
        post: operations["commands.cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/open/device-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List device requests
         * @description Lists the requests that devices of the tenant sent, newest first. With wait_seconds, which counts for the first page, it answers as soon as the list is not empty.
         *
         *     Needs the scope `open:device-request:read`.
         */
        get: operations["deviceRequests.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/open/device-requests/{request_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a device request
         * @description Reads one request of a device and its reply. request_id in the path is the device_request_id.
         *
         *     Needs the scope `open:device-request:read`.
         */
        get: operations["deviceRequests.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/open/device-requests/{request_id}/reply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reply to a device request
         * @description Gives the one reply. The first wins: the same reply again answers as before, another one is refused. No built-in role may reply: grant open:device-request:create by a role of your own or a policy.
         *
         *     Needs the scope `open:device-request:create`.
         */
        post: operations["deviceRequests.reply"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/open/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the event log
         * @description Reads the tenant's events, oldest first, from the cursor on. With wait_seconds it answers as soon as there is one.
         *
         *     Needs the scope `open:event:read`.
         */
        get: operations["events.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/open/catalog": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the catalog
         * @description Reads the enabled vendors, their enabled command types and the schema of each payload.
         *
         *     Needs the scope `open:catalog:read`.
         */
        get: operations["catalog.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/open/objects/presign": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Presign an upload or a download
         * @description Checks the resource's policy and signs one request to the tenant's store, which its bearer sends without further credentials. The store enforces what was signed: method, key, type, size and expiry. The grant is recorded, the URL is not.
         *
         *     Needs the scope `open:object:create`.
         */
        post: operations["objects.presign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/open/objects/credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List object credentials
         * @description Lists the object credentials of the tenant, newest first, never their secrets.
         *
         *     Needs the scope `open:object-config:read`.
         */
        get: operations["objectCredentials.list"];
        put?: never;
        /**
         * Create an object credential
         * @description Registers access to one of the tenant's own S3-compatible stores. The secret half is sealed and never returned. At most 50 ACTIVE ones a tenant by default.
         *
         *     Needs the scope `open:object-config:create`.
         */
        post: operations["objectCredentials.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/open/objects/credentials/{credential_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Update or rotate an object credential
         * @description Changes the fields that the body names and leaves the others. access_key_id and secret_access_key together rotate the access key from the next presign on.
         *
         *     Needs the scope `open:object-config:update`.
         */
        put: operations["objectCredentials.update"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/open/objects/resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List object resources
         * @description Lists the object resources of the tenant, newest first.
         *
         *     Needs the scope `open:object-config:read`.
         */
        get: operations["objectResources.list"];
        put?: never;
        /**
         * Create an object resource
         * @description Allows presigned access to a part of a bucket: which operations, below which prefix, of which types and sizes, for how long. At most 200 ACTIVE ones a tenant by default.
         *
         *     Needs the scope `open:object-config:create`.
         */
        post: operations["objectResources.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/open/objects/resources/{resource_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Update an object resource
         * @description Changes the fields that the body names and leaves the others, from the next presign on.
         *
         *     Needs the scope `open:object-config:update`.
         */
        put: operations["objectResources.update"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/open/callbacks/endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List callback endpoints
         * @description Lists the callback endpoints of the tenant, newest first, never their secrets.
         *
         *     Needs the scope `open:callback:read`.
         */
        get: operations["callbackEndpoints.list"];
        put?: never;
        /**
         * Create a callback endpoint
         * @description Stores where a later delivery service sends events, and returns the secret that it signs them with, this once. The platform itself delivers nothing. At most 50 ACTIVE ones a tenant by default.
         *
         *     Needs the scope `open:callback:create`.
         */
        post: operations["callbackEndpoints.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/open/callbacks/endpoints/{endpoint_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a callback endpoint
         * @description Reads one callback endpoint, never its secret.
         *
         *     Needs the scope `open:callback:read`.
         */
        get: operations["callbackEndpoints.get"];
        /**
         * Update a callback endpoint
         * @description Changes the fields that the body names and leaves the others. rotate_secret: true makes a new secret and returns it, this once.
         *
         *     Needs the scope `open:callback:update`.
         */
        put: operations["callbackEndpoints.update"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/open/callbacks/endpoints/{endpoint_id}/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List callback subscriptions
         * @description Lists the subscriptions of the endpoint, newest first.
         *
         *     Needs the scope `open:callback:read`.
         */
        get: operations["callbackSubscriptions.list"];
        put?: never;
        /**
         * Create a callback subscription
         * @description Subscribes the endpoint to an event type, once for each type.
         *
         *     Needs the scope `open:callback:create`.
         */
        post: operations["callbackSubscriptions.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/open/callbacks/endpoints/{endpoint_id}/subscriptions/{subscription_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a callback subscription
         * @description Ends the subscription.
         *
         *     Needs the scope `open:callback:disable`.
         */
        delete: operations["callbackSubscriptions.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/open/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the calling credential
         * @description Tells who the caller is, what it may do and which limits apply. Any live credential may call it.
         */
        get: operations["me.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/platform/tenants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tenants
         * @description Lists all tenants, newest first.
         *
         *     Needs the scope `platform:tenant:read`.
         */
        get: operations["tenants.list"];
        put?: never;
        /**
         * Create a tenant
         * @description Creates a tenant. Its first credential is made with credentials.create.
         *
         *     Needs the scope `platform:tenant:create`.
         */
        post: operations["tenants.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/platform/tenants/{tenant_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a tenant
         * @description Reads one tenant. A tenant administrator reads its own.
         *
         *     Needs the scope `platform:tenant:read`.
         */
        get: operations["tenants.get"];
        /**
         * Update a tenant
         * @description Changes the fields that the body names and leaves the others.
         *
         *     Needs the scope `platform:tenant:update`.
         */
        put: operations["tenants.update"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/platform/tenants/{tenant_id}/credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List credentials
         * @description Lists the credentials of the tenant, newest first, as a bare JSON array. The next page is in the Link header (rel="next") and its cursor in X-Next-Cursor.
         *
         *     Needs the scope `platform:credential:read`.
         */
        get: operations["credentials.list"];
        put?: never;
        /**
         * Create a credential, or rotate its secret
         * @description Creates a credential of the tenant and returns its secret, this once. With rotate_secret: true and a client_id that exists in the tenant, it makes a new secret instead and answers 200.
         *
         *     Needs the scope `platform:credential:create`.
         */
        post: operations["credentials.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/platform/tenants/{tenant_id}/credentials/{client_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a credential
         * @description Reads one credential, never its secret.
         *
         *     Needs the scope `platform:credential:read`.
         */
        get: operations["credentials.get"];
        /**
         * Update a credential
         * @description Changes the fields that the body names and leaves the others. It takes effect on the very next request, on every node.
         *
         *     Needs the scope `platform:credential:update`.
         */
        put: operations["credentials.update"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/platform/tenants/{tenant_id}/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List roles
         * @description Lists the roles that credentials of the tenant can be bound to, and what each grants: the built-in ones, then its own by name.
         *
         *     Needs the scope `platform:access:read`.
         */
        get: operations["roles.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/platform/tenants/{tenant_id}/roles/{role}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Create or replace a tenant's own role
         * @description Makes a role of the tenant, or replaces what it grants, for every credential bound to it from its very next request on. The caller may put any open:* scope into it, and those platform:* scopes that it holds itself.
         *
         *     Needs the scope `platform:access:update`.
         */
        put: operations["roles.put"];
        post?: never;
        /**
         * Delete a tenant's own role
         * @description Removes a role that no credential is bound to.
         *
         *     Needs the scope `platform:access:delete`.
         */
        delete: operations["roles.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/platform/tenants/{tenant_id}/role-bindings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List role bindings
         * @description Lists the role bindings of the tenant, newest first.
         *
         *     Needs the scope `platform:access:read`.
         */
        get: operations["roleBindings.list"];
        put?: never;
        /**
         * Bind a credential to a role
         * @description Grants a credential of the tenant what the role grants. The caller may grant any open:* scope, and those platform:* scopes that it holds itself.
         *
         *     Needs the scope `platform:access:create`.
         */
        post: operations["roleBindings.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/platform/tenants/{tenant_id}/role-bindings/{client_id}/{role}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Unbind a credential from a role
         * @description Takes the role away from the credential, from its very next request on.
         *
         *     Needs the scope `platform:access:delete`.
         */
        delete: operations["roleBindings.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/platform/tenants/{tenant_id}/policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List direct policies
         * @description Lists the permissions that credentials of the tenant hold directly, newest first. What a role grants is shown by roles.list.
         *
         *     Needs the scope `platform:access:read`.
         */
        get: operations["policies.list"];
        put?: never;
        /**
         * Grant a credential one permission
         * @description Grants a credential of the tenant one scope directly, without a role. The caller may grant any open:* scope, and those platform:* scopes that it holds itself.
         *
         *     Needs the scope `platform:access:create`.
         */
        post: operations["policies.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/platform/tenants/{tenant_id}/policies/{policy_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take a direct permission away
         * @description Takes the permission away from the credential, from its very next request on.
         *
         *     Needs the scope `platform:access:delete`.
         */
        delete: operations["policies.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/platform/tenants/{tenant_id}/bus/principals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List messaging-bus principals
         * @description Lists the principals of the tenant, newest first.
         *
         *     Needs the scope `platform:bus-principal:read`.
         */
        get: operations["busPrincipals.list"];
        put?: never;
        /**
         * Create a messaging-bus principal
         * @description Registers a user of the messaging bus by its public nkeys. Keep the private seeds, which begin with S, to yourself: they are refused.
         *
         *     Needs the scope `platform:bus-principal:create`.
         */
        post: operations["busPrincipals.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/platform/tenants/{tenant_id}/bus/principals/{principal_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a messaging-bus principal
         * @description Reads one principal.
         *
         *     Needs the scope `platform:bus-principal:read`.
         */
        get: operations["busPrincipals.get"];
        /**
         * Update a messaging-bus principal
         * @description Changes the fields that the body names and leaves the others. DELETED is final.
         *
         *     Needs the scope `platform:bus-principal:update`.
         */
        put: operations["busPrincipals.update"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/platform/catalog/vendors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the vendors of the catalog
         * @description Lists all vendors, disabled ones included, newest first.
         *
         *     Needs the scope `platform:catalog:read`.
         */
        get: operations["vendors.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/platform/catalog/vendors/{vendor}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Add, enable or disable a vendor
         * @description Puts the vendor into the catalog, or changes it there. A disabled vendor takes no new commands, from the next one on; those accepted before go on.
         *
         *     Needs the scope `platform:catalog:update`.
         */
        put: operations["vendors.put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/platform/catalog/vendors/{vendor}/command-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the command types of a vendor
         * @description Lists all command types of the vendor, disabled ones included, newest first.
         *
         *     Needs the scope `platform:catalog:read`.
         */
        get: operations["commandTypes.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/platform/catalog/vendors/{vendor}/command-types/{command_type}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Add or change a command type
         * @description Puts the command type into the catalog, or changes the fields that the body names. A changed payload_schema counts up revision and holds from the next command on, on every node.
         *
         *     Needs the scope `platform:catalog:update`.
         */
        put: operations["commandTypes.put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/platform/tenants/{tenant_id}/audit-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit events
         * @description Lists who changed what in the tenant, and who was refused, newest first. Entries are written together with the change and never altered.
         *
         *     Needs the scope `platform:audit:read`.
         */
        get: operations["auditEvents.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "command.accepted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A command was accepted
         * @description An event of the tenant, as a later delivery service is to post it to a subscribed endpoint: the platform delivers nothing. It may arrive more than once: copies have the same event_id.
         */
        post: operations["events.command.accepted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "command.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A command's status became final
         * @description An event of the tenant, as a later delivery service is to post it to a subscribed endpoint: the platform delivers nothing. It may arrive more than once: copies have the same event_id.
         */
        post: operations["events.command.completed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /**
         * @example {
         *       "audit_event_id": "019bd3a4-5c4e-7e33-8c62-8b2c3d4e5f60",
         *       "occurred_at": "2026-01-31T09:30:00.000Z",
         *       "tenant_id": "acme",
         *       "client_id": "acme-admin",
         *       "operation": "credentials.update",
         *       "target": "platform/tenants/acme/credentials/acme-backend",
         *       "changes": [
         *         "status"
         *       ],
         *       "outcome": "DONE",
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        AuditEvent: {
            /**
             * Format: uuid
             * @description The entry: a UUID version 7.
             */
            audit_event_id: string;
            /**
             * Format: date-time
             * @description When the change was made or refused.
             */
            occurred_at: string;
            /** @description The tenant in whose log this is: the one that was changed; `platform` for the catalog and new tenants. What was denied is in the log of the caller. */
            tenant_id: string;
            /** @description Who asked for the change. A platform administrator may act on any tenant. */
            client_id: string;
            /** @description The operation by its name, for example `credentials.update`. */
            operation: string;
            /** @description What was to be changed: its path below /api/v1/, for example `platform/tenants/acme/credentials/acme-backend`. */
            target: string;
            /** @description The names of the fields that the request set. Never a value. */
            changes: string[];
            /**
             * @description DONE: the change was made. DENIED: it was refused with FORBIDDEN, and nothing changed.
             * @enum {string}
             */
            outcome: "DONE" | "DENIED" | (string & {});
            /** @description The correlation id of the request that asked for the change. */
            request_id: string;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "audit_event_id": "019bd3a4-5c4e-7e33-8c62-8b2c3d4e5f60",
         *           "occurred_at": "2026-01-31T09:30:00.000Z",
         *           "tenant_id": "acme",
         *           "client_id": "acme-admin",
         *           "operation": "credentials.update",
         *           "target": "platform/tenants/acme/credentials/acme-backend",
         *           "changes": [
         *             "status"
         *           ],
         *           "outcome": "DONE",
         *           "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *         }
         *       ],
         *       "next_cursor": null,
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        AuditEventPage: {
            /** @description At most `limit` items, newest first. */
            items: components["schemas"]["AuditEvent"][];
            /** @description Pass as `cursor` to get the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "principal_id": "019bd3a4-5c4e-7d22-9b51-7a1b2c3d4e5f",
         *       "tenant_id": "acme",
         *       "bus_user": "acme-adapter",
         *       "bus_account_public_key": "ADYSJFV2GIA47RD3QP5QPMPDBGTUNARA42G6M6DGTYBBFEGVEBYWQTGS",
         *       "bus_user_public_key": "UBFACL7G5BDSX62SOYKJPYURQNEOUHCZDGYBKYHS6DHEMDZU3YONWOHX",
         *       "principal_type": "SERVICE",
         *       "client_id": null,
         *       "service_name": "acme-adapter",
         *       "status": "ACTIVE",
         *       "expires_at": null,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "updated_at": "2026-01-31T09:30:00.000Z",
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        BusPrincipal: {
            /**
             * Format: uuid
             * @description The principal: a UUID made by the platform.
             */
            principal_id: string;
            /** @description The tenant, the boundary of data isolation. */
            tenant_id: string;
            /** @description The name of the user on the bus: 1 to 128 printable ASCII characters, no space. */
            bus_user: string;
            /** @description The public nkey of the account on the bus: 56 characters that begin with A. It belongs to one tenant. */
            bus_account_public_key: string;
            /** @description The public nkey of the user on the bus: 56 characters that begin with U. It belongs to one principal, for ever. */
            bus_user_public_key: string;
            /**
             * @description SERVICE carries out commands (a vendor adapter); CLIENT reads the events of the tenant.
             * @enum {string}
             */
            principal_type: "SERVICE" | "CLIENT" | (string & {});
            /** @description The credential that the principal belongs to; null for none. */
            client_id: string | null;
            /** @description The service that uses the principal; null for none. */
            service_name: string | null;
            /**
             * @description Only ACTIVE principals reach the bus. DELETED is final; its user key is never free again.
             * @enum {string}
             */
            status: "ACTIVE" | "DISABLED" | "DELETED" | (string & {});
            /**
             * Format: date-time
             * @description When the principal stops working; null for never.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description When the principal was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the principal was last changed.
             */
            updated_at: string;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "bus_user": "acme-adapter",
         *       "bus_account_public_key": "ADYSJFV2GIA47RD3QP5QPMPDBGTUNARA42G6M6DGTYBBFEGVEBYWQTGS",
         *       "bus_user_public_key": "UBFACL7G5BDSX62SOYKJPYURQNEOUHCZDGYBKYHS6DHEMDZU3YONWOHX",
         *       "principal_type": "SERVICE",
         *       "service_name": "acme-adapter"
         *     }
         */
        BusPrincipalCreate: {
            /** @description The name of the user on the bus: 1 to 128 printable ASCII characters, no space. */
            bus_user: string;
            /** @description The public nkey of the account on the bus: 56 characters that begin with A. It belongs to one tenant. */
            bus_account_public_key: string;
            /** @description The public nkey of the user on the bus: 56 characters that begin with U. It belongs to one principal, for ever. */
            bus_user_public_key: string;
            /**
             * @description SERVICE carries out commands (a vendor adapter); CLIENT reads the events of the tenant.
             * @enum {string}
             */
            principal_type: "SERVICE" | "CLIENT";
            /** @description A credential of the tenant that the principal belongs to. */
            client_id?: string;
            /** @description The service that uses the principal: 1 to 128 printable ASCII characters, no space. */
            service_name?: string;
            /**
             * @description ACTIVE by default. DELETED reserves the user key.
             * @enum {string}
             */
            status?: "ACTIVE" | "DISABLED" | "DELETED";
            /**
             * Format: date-time
             * @description When the principal stops working; null for never.
             */
            expires_at?: string | null;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "principal_id": "019bd3a4-5c4e-7d22-9b51-7a1b2c3d4e5f",
         *           "tenant_id": "acme",
         *           "bus_user": "acme-adapter",
         *           "bus_account_public_key": "ADYSJFV2GIA47RD3QP5QPMPDBGTUNARA42G6M6DGTYBBFEGVEBYWQTGS",
         *           "bus_user_public_key": "UBFACL7G5BDSX62SOYKJPYURQNEOUHCZDGYBKYHS6DHEMDZU3YONWOHX",
         *           "principal_type": "SERVICE",
         *           "client_id": null,
         *           "service_name": "acme-adapter",
         *           "status": "ACTIVE",
         *           "expires_at": null,
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z",
         *           "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *         }
         *       ],
         *       "next_cursor": null,
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        BusPrincipalPage: {
            /** @description At most `limit` items, newest first. */
            items: components["schemas"]["BusPrincipal"][];
            /** @description Pass as `cursor` to get the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "status": "DISABLED"
         *     }
         */
        BusPrincipalUpdate: {
            /**
             * @description Only ACTIVE principals reach the bus. DELETED is final; its user key is never free again.
             * @enum {string}
             */
            status?: "ACTIVE" | "DISABLED" | "DELETED";
            /**
             * Format: date-time
             * @description When the principal stops working; null for never.
             */
            expires_at?: string | null;
        };
        /**
         * @example {
         *       "endpoint_id": "019bd3a4-5c4e-7c77-8aa6-cf6071829304",
         *       "name": "Order system",
         *       "url": "https://hooks.acme.example/top",
         *       "status": "ACTIVE",
         *       "timeout_seconds": 15,
         *       "max_attempts": 10,
         *       "secret_version": 1,
         *       "previous_secret_expires_at": null,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "updated_at": "2026-01-31T09:30:00.000Z",
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        CallbackEndpoint: {
            /**
             * Format: uuid
             * @description The callback endpoint: a UUID made by the platform.
             */
            endpoint_id: string;
            /** @description A name for people: 1 to 128 printable characters. */
            name: string;
            /** @description The HTTPS webhook URL in its canonical spelling. */
            url: string;
            /**
             * @description Kept for the later delivery service: DISABLED is not delivered to.
             * @enum {string}
             */
            status: "ACTIVE" | "DISABLED" | (string & {});
            /** @description How long a delivery may take, in seconds: 1 to 30, 15 by default. Kept for the later delivery service. */
            timeout_seconds: number;
            /** @description How often a delivery is tried: 1 to 20, 10 by default. Kept for the later delivery service. */
            max_attempts: number;
            /** @description Counts the rotations of the secret: 1 at first. */
            secret_version: number;
            /**
             * Format: date-time
             * @description Until when deliveries are also signed with the previous secret; null if they are not.
             */
            previous_secret_expires_at: string | null;
            /**
             * Format: date-time
             * @description When the endpoint was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the endpoint was last changed.
             */
            updated_at: string;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "name": "Order system",
         *       "url": "https://hooks.acme.example/top"
         *     }
         */
        CallbackEndpointCreate: {
            /** @description A name for people: 1 to 128 printable characters. */
            name: string;
            /** @description The HTTPS webhook URL: a public host, no user, no fragment. Stored in its canonical spelling. At most 2,048 characters. */
            url: string;
            /**
             * @description ACTIVE by default.
             * @enum {string}
             */
            status?: "ACTIVE" | "DISABLED";
            /** @description How long a delivery may take, in seconds: 1 to 30, 15 by default. Kept for the later delivery service. */
            timeout_seconds?: number;
            /** @description How often a delivery is tried: 1 to 20, 10 by default. Kept for the later delivery service. */
            max_attempts?: number;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "endpoint_id": "019bd3a4-5c4e-7c77-8aa6-cf6071829304",
         *           "name": "Order system",
         *           "url": "https://hooks.acme.example/top",
         *           "status": "ACTIVE",
         *           "timeout_seconds": 15,
         *           "max_attempts": 10,
         *           "secret_version": 1,
         *           "previous_secret_expires_at": null,
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z",
         *           "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *         }
         *       ],
         *       "next_cursor": null,
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        CallbackEndpointPage: {
            /** @description At most `limit` items, newest first. */
            items: components["schemas"]["CallbackEndpoint"][];
            /** @description Pass as `cursor` to get the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "status": "DISABLED"
         *     }
         */
        CallbackEndpointUpdate: {
            /** @description A name for people: 1 to 128 printable characters. */
            name?: string;
            /** @description The HTTPS webhook URL: a public host, no user, no fragment. Stored in its canonical spelling. At most 2,048 characters. */
            url?: string;
            /**
             * @description Kept for the later delivery service: DISABLED is not delivered to.
             * @enum {string}
             */
            status?: "ACTIVE" | "DISABLED";
            /** @description How long a delivery may take, in seconds: 1 to 30, 15 by default. Kept for the later delivery service. */
            timeout_seconds?: number;
            /** @description How often a delivery is tried: 1 to 20, 10 by default. Kept for the later delivery service. */
            max_attempts?: number;
            /** @description True makes a new secret and returns it, this once. */
            rotate_secret?: boolean;
            /** @description With rotate_secret: how long the previous secret stays valid beside the new one, in seconds: 0 to 604800, 0 by default. */
            previous_secret_ttl_seconds?: number;
        };
        /**
         * @example {
         *       "endpoint_id": "019bd3a4-5c4e-7c77-8aa6-cf6071829304",
         *       "name": "Order system",
         *       "url": "https://hooks.acme.example/top",
         *       "status": "DISABLED",
         *       "timeout_seconds": 15,
         *       "max_attempts": 10,
         *       "secret_version": 1,
         *       "previous_secret_expires_at": null,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "updated_at": "2026-01-31T09:30:00.000Z",
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        CallbackEndpointUpdated: {
            /**
             * Format: uuid
             * @description The callback endpoint: a UUID made by the platform.
             */
            endpoint_id: string;
            /** @description A name for people: 1 to 128 printable characters. */
            name: string;
            /** @description The HTTPS webhook URL in its canonical spelling. */
            url: string;
            /**
             * @description Kept for the later delivery service: DISABLED is not delivered to.
             * @enum {string}
             */
            status: "ACTIVE" | "DISABLED" | (string & {});
            /** @description How long a delivery may take, in seconds: 1 to 30, 15 by default. Kept for the later delivery service. */
            timeout_seconds: number;
            /** @description How often a delivery is tried: 1 to 20, 10 by default. Kept for the later delivery service. */
            max_attempts: number;
            /** @description Counts the rotations of the secret: 1 at first. */
            secret_version: number;
            /**
             * Format: date-time
             * @description Until when deliveries are also signed with the previous secret; null if they are not.
             */
            previous_secret_expires_at: string | null;
            /**
             * Format: date-time
             * @description When the endpoint was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the endpoint was last changed.
             */
            updated_at: string;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
            /** @description The new secret, only where rotate_secret was true. Shown this once. */
            secret?: string;
        };
        /**
         * @example {
         *       "endpoint_id": "019bd3a4-5c4e-7c77-8aa6-cf6071829304",
         *       "name": "Order system",
         *       "url": "https://hooks.acme.example/top",
         *       "status": "ACTIVE",
         *       "timeout_seconds": 15,
         *       "max_attempts": 10,
         *       "secret_version": 1,
         *       "previous_secret_expires_at": null,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "updated_at": "2026-01-31T09:30:00.000Z",
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d",
         *       "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDSkAHDm4wYd4="
         *     }
         */
        CallbackEndpointWithSecret: {
            /**
             * Format: uuid
             * @description The callback endpoint: a UUID made by the platform.
             */
            endpoint_id: string;
            /** @description A name for people: 1 to 128 printable characters. */
            name: string;
            /** @description The HTTPS webhook URL in its canonical spelling. */
            url: string;
            /**
             * @description Kept for the later delivery service: DISABLED is not delivered to.
             * @enum {string}
             */
            status: "ACTIVE" | "DISABLED" | (string & {});
            /** @description How long a delivery may take, in seconds: 1 to 30, 15 by default. Kept for the later delivery service. */
            timeout_seconds: number;
            /** @description How often a delivery is tried: 1 to 20, 10 by default. Kept for the later delivery service. */
            max_attempts: number;
            /** @description Counts the rotations of the secret: 1 at first. */
            secret_version: number;
            /**
             * Format: date-time
             * @description Until when deliveries are also signed with the previous secret; null if they are not.
             */
            previous_secret_expires_at: string | null;
            /**
             * Format: date-time
             * @description When the endpoint was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the endpoint was last changed.
             */
            updated_at: string;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
            /** @description The secret that deliveries will be signed with, shown this once and never again: `whsec_` and 32 bytes in base64, as Standard Webhooks has it. */
            secret: string;
        };
        /**
         * @example {
         *       "subscription_id": "019bd3a4-5c4e-7d88-9bb7-d07182930415",
         *       "endpoint_id": "019bd3a4-5c4e-7c77-8aa6-cf6071829304",
         *       "event_type": "command.completed",
         *       "status": "ACTIVE",
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        CallbackSubscription: {
            /**
             * Format: uuid
             * @description The subscription: a UUID made by the platform.
             */
            subscription_id: string;
            /**
             * Format: uuid
             * @description The callback endpoint: a UUID made by the platform.
             */
            endpoint_id: string;
            /**
             * @description The event that is subscribed.
             * @enum {string}
             */
            event_type: "command.accepted" | "command.completed" | (string & {});
            /**
             * @description Kept for the later delivery service: DISABLED is not delivered.
             * @enum {string}
             */
            status: "ACTIVE" | "DISABLED" | (string & {});
            /**
             * Format: date-time
             * @description When the subscription was created.
             */
            created_at: string;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "event_type": "command.completed"
         *     }
         */
        CallbackSubscriptionCreate: {
            /** @description command.accepted or command.completed. The outcome is in the event, not in its type. */
            event_type: string;
            /**
             * @description ACTIVE by default.
             * @enum {string}
             */
            status?: "ACTIVE" | "DISABLED";
        };
        /**
         * @example {
         *       "subscription_id": "019bd3a4-5c4e-7d88-9bb7-d07182930415",
         *       "deleted": true,
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        CallbackSubscriptionDeleted: {
            /**
             * Format: uuid
             * @description The subscription: a UUID made by the platform.
             */
            subscription_id: string;
            /**
             * @description Always true.
             * @constant
             */
            deleted: true;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "subscription_id": "019bd3a4-5c4e-7d88-9bb7-d07182930415",
         *           "endpoint_id": "019bd3a4-5c4e-7c77-8aa6-cf6071829304",
         *           "event_type": "command.completed",
         *           "status": "ACTIVE",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *         }
         *       ],
         *       "next_cursor": null,
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        CallbackSubscriptionPage: {
            /** @description At most `limit` items, newest first. */
            items: components["schemas"]["CallbackSubscription"][];
            /** @description Pass as `cursor` to get the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "vendors": [
         *         {
         *           "vendor": "vendor_a",
         *           "command_types": [
         *             {
         *               "command_type": "reboot",
         *               "description": "Restarts the device.",
         *               "payload_schema": {
         *                 "type": "object",
         *                 "additionalProperties": false
         *               }
         *             }
         *           ]
         *         }
         *       ],
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        Catalog: {
            /** @description The enabled vendors. */
            vendors: {
                /** @description A vendor of the platform catalog, for example `vendor_a`. */
                vendor: string;
                /** @description The enabled command types of the vendor. */
                command_types: {
                    /** @description A command type of the vendor's catalog, for example `reboot`. */
                    command_type: string;
                    /** @description What the command does. */
                    description: string;
                    /** @description JSON Schema 2020-12 that payloads must satisfy. */
                    payload_schema: {
                        [key: string]: unknown;
                    };
                }[];
            }[];
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "vendor": "vendor_a",
         *       "command_type": "set_power",
         *       "enabled": true,
         *       "description": "Switches the device on or off.",
         *       "payload_schema": {
         *         "type": "object",
         *         "properties": {
         *           "power": {
         *             "enum": [
         *               "on",
         *               "off"
         *             ]
         *           }
         *         },
         *         "required": [
         *           "power"
         *         ],
         *         "additionalProperties": false
         *       },
         *       "revision": 1,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "updated_at": "2026-01-31T09:30:00.000Z",
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        CatalogCommandType: {
            /** @description A vendor of the platform catalog, for example `vendor_a`. */
            vendor: string;
            /** @description A command type of the vendor's catalog, for example `reboot`. */
            command_type: string;
            /** @description Whether commands of this type are accepted. */
            enabled: boolean;
            /** @description What the command does. */
            description: string;
            /** @description JSON Schema 2020-12 that the payload of a command must satisfy: at most 16 KiB of JSON, 16 levels deep, no $ref to elsewhere or to itself; patterns as RE2 has them, without look-around and back-references. */
            payload_schema: {
                [key: string]: unknown;
            };
            /** @description Counts the changes of payload_schema: 1 at first. */
            revision: number;
            /**
             * Format: date-time
             * @description When the command type came into the catalog.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the command type was last changed.
             */
            updated_at: string;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "vendor": "vendor_a",
         *           "command_type": "set_power",
         *           "enabled": true,
         *           "description": "Switches the device on or off.",
         *           "payload_schema": {
         *             "type": "object",
         *             "properties": {
         *               "power": {
         *                 "enum": [
         *                   "on",
         *                   "off"
         *                 ]
         *               }
         *             },
         *             "required": [
         *               "power"
         *             ],
         *             "additionalProperties": false
         *           },
         *           "revision": 1,
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z",
         *           "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *         }
         *       ],
         *       "next_cursor": null,
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        CatalogCommandTypePage: {
            /** @description At most `limit` items, newest first. */
            items: components["schemas"]["CatalogCommandType"][];
            /** @description Pass as `cursor` to get the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "vendor": "vendor_a",
         *       "enabled": true,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "updated_at": "2026-01-31T09:30:00.000Z",
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        CatalogVendor: {
            /** @description A vendor of the platform catalog, for example `vendor_a`. */
            vendor: string;
            /** @description Whether commands for its devices are accepted. */
            enabled: boolean;
            /**
             * Format: date-time
             * @description When the vendor came into the catalog.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the vendor was last changed.
             */
            updated_at: string;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "vendor": "vendor_a",
         *           "enabled": true,
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z",
         *           "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *         }
         *       ],
         *       "next_cursor": null,
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        CatalogVendorPage: {
            /** @description At most `limit` items, newest first. */
            items: components["schemas"]["CatalogVendor"][];
            /** @description Pass as `cursor` to get the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "command_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d",
         *       "vendor": "vendor_a",
         *       "device_id": "ok-1",
         *       "command_type": "reboot",
         *       "payload": {},
         *       "idempotency_key": "reboot-ok-1-2026-01-31",
         *       "timeout_seconds": 30,
         *       "status": "ACCEPTED",
         *       "adapter_status": "PENDING",
         *       "device_execution_status": "NOT_STARTED",
         *       "public_status": "PENDING",
         *       "status_reason": null,
         *       "result": null,
         *       "late_result": null,
         *       "accepted_at": "2026-01-31T09:30:00.000Z",
         *       "dispatched_at": null,
         *       "deadline_at": "2026-01-31T09:30:30.000Z",
         *       "completed_at": null,
         *       "updated_at": "2026-01-31T09:30:00.000Z",
         *       "created_by_client_id": "acme-backend",
         *       "history": [
         *         {
         *           "at": "2026-01-31T09:30:00.000Z",
         *           "source": "PLATFORM",
         *           "status": "ACCEPTED",
         *           "adapter_status": "PENDING",
         *           "device_execution_status": "NOT_STARTED",
         *           "reason": null
         *         }
         *       ],
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-2e3f4a5b6c7d"
         *     }
         */
        Command: {
            /**
             * Format: uuid
             * @description The command (UUID version 7).
             */
            command_id: string;
            /** @description A vendor of the platform catalog, for example `vendor_a`. */
            vendor: string;
            /** @description The device in the vendor's naming: 1 to 128 printable characters. */
            device_id: string;
            /** @description A command type of the vendor's catalog, for example `reboot`. */
            command_type: string;
            /** @description What to do: satisfies the command type's payload schema; at most 32 KiB as JSON in UTF-8. */
            payload: {
                [key: string]: unknown;
            };
            /** @description 1 to 128 visible ASCII characters. Within a tenant, one key is one command, for ever. */
            idempotency_key: string;
            /** @description How long the command may take, in seconds: 1 to 300, 30 by default. */
            timeout_seconds: number;
            /**
             * @description ACCEPTED and DISPATCHED are on the way, the others final. EXPIRED was never sent and is safe to repeat; TIMED_OUT was sent and its outcome is unknown.
             * @enum {string}
             */
            status: "ACCEPTED" | "DISPATCHED" | "SUCCEEDED" | "FAILED" | "REJECTED" | "UNSUPPORTED" | "TIMED_OUT" | "EXPIRED" | "CANCELED" | (string & {});
            /**
             * @description How far the command came with the vendor's adapter.
             * @enum {string}
             */
            adapter_status: "PENDING" | "SENT" | "DELIVERED" | "REJECTED" | "UNSUPPORTED" | "UNREACHABLE" | "FAILED" | "TIMED_OUT" | (string & {});
            /**
             * @description What the device did with the command.
             * @enum {string}
             */
            device_execution_status: "NOT_STARTED" | "IN_PROGRESS" | "SUCCEEDED" | "FAILED" | "REJECTED" | "TIMED_OUT" | "UNKNOWN" | (string & {});
            /**
             * @description The outcome in one word, for end users; derived from status.
             * @enum {string}
             */
            public_status: "PENDING" | "SUCCEEDED" | "FAILED" | "UNKNOWN" | (string & {});
            /** @description Why the command ended as it did; null where nobody said. */
            status_reason: {
                /** @description A word for programs. */
                code: string;
                /** @description A sentence for people. */
                message: string;
            } | null;
            /** @description What the device returned; null before it did. */
            result: {
                [key: string]: unknown;
            } | null;
            /** @description The first result that came after the status was final; it changed nothing. Null if none came. */
            late_result: {
                /**
                 * Format: date-time
                 * @description When it came.
                 */
                received_at: string;
                /** @description What the adapter said; null if nothing. */
                adapter_status: ("PENDING" | "SENT" | "DELIVERED" | "REJECTED" | "UNSUPPORTED" | "UNREACHABLE" | "FAILED" | "TIMED_OUT") | null;
                /** @description What the device did; null if it was not said. */
                device_execution_status: ("NOT_STARTED" | "IN_PROGRESS" | "SUCCEEDED" | "FAILED" | "REJECTED" | "TIMED_OUT" | "UNKNOWN") | null;
                /** @description Why the command ended as it did; null where nobody said. */
                status_reason: {
                    /** @description A word for programs. */
                    code: string;
                    /** @description A sentence for people. */
                    message: string;
                } | null;
                /** @description What the device returned; null for nothing. */
                result: {
                    [key: string]: unknown;
                } | null;
            } | null;
            /**
             * Format: date-time
             * @description When the command was accepted.
             */
            accepted_at: string;
            /**
             * Format: date-time
             * @description When it was handed to the adapter; null before that.
             */
            dispatched_at: string | null;
            /**
             * Format: date-time
             * @description accepted_at and timeout_seconds: when the platform stops waiting.
             */
            deadline_at: string;
            /**
             * Format: date-time
             * @description When its status became final; null before that.
             */
            completed_at: string | null;
            /**
             * Format: date-time
             * @description When the record last changed.
             */
            updated_at: string;
            /** @description The credential that created the command. */
            created_by_client_id: string;
            /** @description What happened to the command, oldest first; what came too late included, at most 100 entries. */
            history: {
                /**
                 * Format: date-time
                 * @description When it happened, by the clock of the platform.
                 */
                at: string;
                /**
                 * @description Who said so.
                 * @enum {string}
                 */
                source: "PLATFORM" | "ADAPTER" | "DEVICE" | (string & {});
                /**
                 * @description ACCEPTED and DISPATCHED are on the way, the others final. EXPIRED was never sent and is safe to repeat; TIMED_OUT was sent and its outcome is unknown.
                 * @enum {string}
                 */
                status: "ACCEPTED" | "DISPATCHED" | "SUCCEEDED" | "FAILED" | "REJECTED" | "UNSUPPORTED" | "TIMED_OUT" | "EXPIRED" | "CANCELED" | (string & {});
                /**
                 * @description How far the command came with the vendor's adapter.
                 * @enum {string}
                 */
                adapter_status: "PENDING" | "SENT" | "DELIVERED" | "REJECTED" | "UNSUPPORTED" | "UNREACHABLE" | "FAILED" | "TIMED_OUT" | (string & {});
                /**
                 * @description What the device did with the command.
                 * @enum {string}
                 */
                device_execution_status: "NOT_STARTED" | "IN_PROGRESS" | "SUCCEEDED" | "FAILED" | "REJECTED" | "TIMED_OUT" | "UNKNOWN" | (string & {});
                /** @description Why the command ended as it did; null where nobody said. */
                reason: {
                    /** @description A word for programs. */
                    code: string;
                    /** @description A sentence for people. */
                    message: string;
                } | null;
            }[];
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "command_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d",
         *       "status": "ACCEPTED",
         *       "accepted_at": "2026-01-31T09:30:00.000Z",
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-2e3f4a5b6c7d"
         *     }
         */
        CommandAccepted: {
            /**
             * Format: uuid
             * @description The command (UUID version 7).
             */
            command_id: string;
            /**
             * @description Always ACCEPTED, whatever has become of the command since.
             * @constant
             */
            status: "ACCEPTED";
            /**
             * Format: date-time
             * @description When the command was first accepted.
             */
            accepted_at: string;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /** @example {} */
        CommandCancel: Record<string, never>;
        /**
         * @example {
         *       "vendor": "vendor_a",
         *       "device_id": "ok-1",
         *       "command_type": "reboot",
         *       "payload": {},
         *       "idempotency_key": "reboot-ok-1-2026-01-31"
         *     }
         */
        CommandCreate: {
            /** @description A vendor of the platform catalog, for example `vendor_a`. */
            vendor: string;
            /** @description The device in the vendor's naming: 1 to 128 printable characters. */
            device_id: string;
            /** @description A command type of the vendor's catalog, for example `reboot`. */
            command_type: string;
            /** @description What to do: satisfies the command type's payload schema; at most 32 KiB as JSON in UTF-8. */
            payload: {
                [key: string]: unknown;
            };
            /** @description 1 to 128 visible ASCII characters. Within a tenant, one key is one command, for ever. */
            idempotency_key: string;
            /** @description How long the command may take, in seconds: 1 to 300, 30 by default. */
            timeout_seconds?: number;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "command_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d",
         *           "vendor": "vendor_a",
         *           "device_id": "ok-1",
         *           "command_type": "reboot",
         *           "payload": {},
         *           "idempotency_key": "reboot-ok-1-2026-01-31",
         *           "timeout_seconds": 30,
         *           "status": "ACCEPTED",
         *           "adapter_status": "PENDING",
         *           "device_execution_status": "NOT_STARTED",
         *           "public_status": "PENDING",
         *           "status_reason": null,
         *           "result": null,
         *           "late_result": null,
         *           "accepted_at": "2026-01-31T09:30:00.000Z",
         *           "dispatched_at": null,
         *           "deadline_at": "2026-01-31T09:30:30.000Z",
         *           "completed_at": null,
         *           "updated_at": "2026-01-31T09:30:00.000Z",
         *           "created_by_client_id": "acme-backend",
         *           "history": [
         *             {
         *               "at": "2026-01-31T09:30:00.000Z",
         *               "source": "PLATFORM",
         *               "status": "ACCEPTED",
         *               "adapter_status": "PENDING",
         *               "device_execution_status": "NOT_STARTED",
         *               "reason": null
         *             }
         *           ],
         *           "request_id": "019bd3a4-5c4e-7cc1-9d51-2e3f4a5b6c7d"
         *         }
         *       ],
         *       "next_cursor": null,
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-2e3f4a5b6c7d"
         *     }
         */
        CommandPage: {
            /** @description At most `limit` items, newest first. */
            items: components["schemas"]["Command"][];
            /** @description Pass as `cursor` to get the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "description": "Switches the device on or off.",
         *       "payload_schema": {
         *         "type": "object",
         *         "properties": {
         *           "power": {
         *             "enum": [
         *               "on",
         *               "off"
         *             ]
         *           }
         *         },
         *         "required": [
         *           "power"
         *         ],
         *         "additionalProperties": false
         *       }
         *     }
         */
        CommandTypePut: {
            /** @description Whether commands of this type are accepted; true for a new one by default. */
            enabled?: boolean;
            /** @description What the command does; required for a new one. */
            description?: string;
            /** @description JSON Schema 2020-12 that the payload of a command must satisfy; required for a new one. At most 16 KiB of JSON, 16 levels deep, no $ref to elsewhere or to itself; patterns as RE2 has them, without look-around and back-references. */
            payload_schema?: {
                [key: string]: unknown;
            };
        };
        /**
         * @example {
         *       "client_id": "acme-backend",
         *       "tenant_id": "acme",
         *       "name": "Acme backend",
         *       "status": "ACTIVE",
         *       "allowed_clock_skew_seconds": 300,
         *       "replay_window_seconds": 300,
         *       "secret_version": 1,
         *       "previous_secret_expires_at": null,
         *       "expires_at": null,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "updated_at": "2026-01-31T09:30:00.000Z",
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        Credential: {
            /** @description The credential id, unique on the whole platform; the value of X-Api-Id. */
            client_id: string;
            /** @description The tenant, the boundary of data isolation. */
            tenant_id: string;
            /** @description A name for people: 1 to 128 printable characters. */
            name: string;
            /**
             * @description DISABLED refuses requests until ACTIVE again. DELETED is final; its client_id is never free again.
             * @enum {string}
             */
            status: "ACTIVE" | "DISABLED" | "DELETED" | (string & {});
            /** @description How far X-Api-Timestamp may be from the server clock, in seconds: 30 to 900, 300 by default. */
            allowed_clock_skew_seconds: number;
            /** @description How long a nonce stays used at least, in seconds: 30 to 900, 300 by default. */
            replay_window_seconds: number;
            /** @description Counts the rotations: 1 at first. */
            secret_version: number;
            /**
             * Format: date-time
             * @description Until when the previous secret is still accepted; null if it is not.
             */
            previous_secret_expires_at: string | null;
            /**
             * Format: date-time
             * @description When the credential stops working; null for never.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description When the credential was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the credential was last changed.
             */
            updated_at: string;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "client_id": "acme-backend",
         *       "name": "Acme backend"
         *     }
         */
        CredentialCreate: {
            /** @description The credential id, unique on the whole platform; the value of X-Api-Id. */
            client_id: string;
            /** @description A name for people: 1 to 128 printable characters. */
            name: string;
            /**
             * @description ACTIVE by default. DELETED reserves the client_id without ever working.
             * @enum {string}
             */
            status?: "ACTIVE" | "DISABLED" | "DELETED";
            /** @description How far X-Api-Timestamp may be from the server clock, in seconds: 30 to 900, 300 by default. */
            allowed_clock_skew_seconds?: number;
            /** @description How long a nonce stays used at least, in seconds: 30 to 900, 300 by default. */
            replay_window_seconds?: number;
            /**
             * Format: date-time
             * @description When the credential stops working; null for never.
             */
            expires_at?: string | null;
            /** @description True on a client_id that exists in the tenant rotates its secret and changes nothing else. */
            rotate_secret?: boolean;
            /** @description With rotate_secret: how long the previous secret stays valid beside the new one, in seconds: 0 to 604800, 0 by default. */
            previous_secret_ttl_seconds?: number;
        };
        /**
         * @example [
         *       {
         *         "client_id": "acme-backend",
         *         "tenant_id": "acme",
         *         "name": "Acme backend",
         *         "status": "ACTIVE",
         *         "allowed_clock_skew_seconds": 300,
         *         "replay_window_seconds": 300,
         *         "secret_version": 1,
         *         "previous_secret_expires_at": null,
         *         "expires_at": null,
         *         "created_at": "2026-01-31T09:30:00.000Z",
         *         "updated_at": "2026-01-31T09:30:00.000Z",
         *         "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *       }
         *     ]
         */
        CredentialList: components["schemas"]["Credential"][];
        /**
         * @example {
         *       "status": "DISABLED"
         *     }
         */
        CredentialUpdate: {
            /** @description A name for people: 1 to 128 printable characters. */
            name?: string;
            /**
             * @description DISABLED refuses requests until ACTIVE again. DELETED is final; its client_id is never free again.
             * @enum {string}
             */
            status?: "ACTIVE" | "DISABLED" | "DELETED";
            /** @description How far X-Api-Timestamp may be from the server clock, in seconds: 30 to 900, 300 by default. */
            allowed_clock_skew_seconds?: number;
            /** @description How long a nonce stays used at least, in seconds: 30 to 900, 300 by default. */
            replay_window_seconds?: number;
            /**
             * Format: date-time
             * @description When the credential stops working; null for never.
             */
            expires_at?: string | null;
            /** @description True makes a new secret and returns it, this once. */
            rotate_secret?: boolean;
            /** @description With rotate_secret: how long the previous secret stays valid beside the new one, in seconds: 0 to 604800, 0 by default. */
            previous_secret_ttl_seconds?: number;
        };
        /**
         * @example {
         *       "client_id": "acme-backend",
         *       "tenant_id": "acme",
         *       "name": "Acme backend",
         *       "status": "DISABLED",
         *       "allowed_clock_skew_seconds": 300,
         *       "replay_window_seconds": 300,
         *       "secret_version": 1,
         *       "previous_secret_expires_at": null,
         *       "expires_at": null,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "updated_at": "2026-01-31T10:00:00.000Z",
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        CredentialUpdated: {
            /** @description The credential id, unique on the whole platform; the value of X-Api-Id. */
            client_id: string;
            /** @description The tenant, the boundary of data isolation. */
            tenant_id: string;
            /** @description A name for people: 1 to 128 printable characters. */
            name: string;
            /**
             * @description DISABLED refuses requests until ACTIVE again. DELETED is final; its client_id is never free again.
             * @enum {string}
             */
            status: "ACTIVE" | "DISABLED" | "DELETED" | (string & {});
            /** @description How far X-Api-Timestamp may be from the server clock, in seconds: 30 to 900, 300 by default. */
            allowed_clock_skew_seconds: number;
            /** @description How long a nonce stays used at least, in seconds: 30 to 900, 300 by default. */
            replay_window_seconds: number;
            /** @description Counts the rotations: 1 at first. */
            secret_version: number;
            /**
             * Format: date-time
             * @description Until when the previous secret is still accepted; null if it is not.
             */
            previous_secret_expires_at: string | null;
            /**
             * Format: date-time
             * @description When the credential stops working; null for never.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description When the credential was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the credential was last changed.
             */
            updated_at: string;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
            /** @description The new secret, only where rotate_secret was true. Shown this once. */
            secret?: string;
        };
        /**
         * @example {
         *       "client_id": "acme-backend",
         *       "tenant_id": "acme",
         *       "name": "Acme backend",
         *       "status": "ACTIVE",
         *       "allowed_clock_skew_seconds": 300,
         *       "replay_window_seconds": 300,
         *       "secret_version": 1,
         *       "previous_secret_expires_at": null,
         *       "expires_at": null,
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "updated_at": "2026-01-31T09:30:00.000Z",
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d",
         *       "secret": "osk_3nTQ8ZkWb1xYv5RcJd0LmPf7GhUe2SaKo9BiNqXtE4w3go6Vf"
         *     }
         */
        CredentialWithSecret: {
            /** @description The credential id, unique on the whole platform; the value of X-Api-Id. */
            client_id: string;
            /** @description The tenant, the boundary of data isolation. */
            tenant_id: string;
            /** @description A name for people: 1 to 128 printable characters. */
            name: string;
            /**
             * @description DISABLED refuses requests until ACTIVE again. DELETED is final; its client_id is never free again.
             * @enum {string}
             */
            status: "ACTIVE" | "DISABLED" | "DELETED" | (string & {});
            /** @description How far X-Api-Timestamp may be from the server clock, in seconds: 30 to 900, 300 by default. */
            allowed_clock_skew_seconds: number;
            /** @description How long a nonce stays used at least, in seconds: 30 to 900, 300 by default. */
            replay_window_seconds: number;
            /** @description Counts the rotations: 1 at first. */
            secret_version: number;
            /**
             * Format: date-time
             * @description Until when the previous secret is still accepted; null if it is not.
             */
            previous_secret_expires_at: string | null;
            /**
             * Format: date-time
             * @description When the credential stops working; null for never.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description When the credential was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the credential was last changed.
             */
            updated_at: string;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
            /** @description The secret, shown this once and never again: `osk_` and 49 base62 characters, the last 6 a checksum. */
            secret: string;
        };
        /**
         * @example {
         *       "device_request_id": "019bd3a4-5c4e-7e99-8cc8-e18293a4b5c6",
         *       "vendor": "vendor_a",
         *       "device_id": "ok-1",
         *       "request_type": "firmware_check",
         *       "payload": {
         *         "version": "2.4.0"
         *       },
         *       "status": "PENDING",
         *       "received_at": "2026-01-31T09:30:00.000Z",
         *       "expires_at": "2026-01-31T09:35:00.000Z",
         *       "reply": null,
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        DeviceRequest: {
            /**
             * Format: uuid
             * @description The request of the device (UUID version 7). In bodies it is device_request_id, for request_id is the correlation id.
             */
            device_request_id: string;
            /** @description A vendor of the platform catalog, for example `vendor_a`. */
            vendor: string;
            /** @description The device in the vendor's naming: 1 to 128 printable characters. */
            device_id: string;
            /** @description What the device asks for, in the naming of the vendor, for example `firmware_check`. */
            request_type: string;
            /** @description What the device said. */
            payload: {
                [key: string]: unknown;
            };
            /**
             * @description PENDING waits for a reply, REPLIED has its one reply, EXPIRED got none in time.
             * @enum {string}
             */
            status: "PENDING" | "REPLIED" | "EXPIRED" | (string & {});
            /**
             * Format: date-time
             * @description When the platform received the request.
             */
            received_at: string;
            /**
             * Format: date-time
             * @description Until when it waits for a reply.
             */
            expires_at: string;
            /** @description The one reply; null before it is given. */
            reply: {
                /**
                 * @description Whether the request is granted or refused.
                 * @enum {string}
                 */
                outcome: "SUCCESS" | "ERROR" | (string & {});
                /** @description What the device gets; null for nothing. */
                payload: {
                    [key: string]: unknown;
                } | null;
                /** @description Why it is refused; null where it is not. */
                error: {
                    /** @description A word for programs. */
                    code: string;
                    /** @description A sentence for people. */
                    message: string;
                } | null;
                /**
                 * Format: date-time
                 * @description When the reply was given.
                 */
                replied_at: string;
                /** @description The credential that gave the reply. */
                replied_by_client_id: string;
            } | null;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "device_request_id": "019bd3a4-5c4e-7e99-8cc8-e18293a4b5c6",
         *           "vendor": "vendor_a",
         *           "device_id": "ok-1",
         *           "request_type": "firmware_check",
         *           "payload": {
         *             "version": "2.4.0"
         *           },
         *           "status": "PENDING",
         *           "received_at": "2026-01-31T09:30:00.000Z",
         *           "expires_at": "2026-01-31T09:35:00.000Z",
         *           "reply": null,
         *           "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *         }
         *       ],
         *       "next_cursor": null,
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        DeviceRequestPage: {
            /** @description At most `limit` items, newest first. */
            items: components["schemas"]["DeviceRequest"][];
            /** @description Pass as `cursor` to get the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "outcome": "SUCCESS",
         *       "payload": {
         *         "version": "2.4.1"
         *       }
         *     }
         */
        DeviceRequestReply: {
            /**
             * @description Whether the request is granted or refused.
             * @enum {string}
             */
            outcome: "SUCCESS" | "ERROR" | (string & {});
            /** @description What the device gets; at most 32 KiB as JSON in UTF-8. */
            payload?: {
                [key: string]: unknown;
            };
            /** @description Why it is refused; with outcome ERROR only. */
            error?: {
                /** @description A word for programs. */
                code: string;
                /** @description A sentence for people. */
                message: string;
            };
        };
        /**
         * @example {
         *       "code": "FORBIDDEN",
         *       "message": "Authorization was denied: this needs the scope open:command:create.",
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d",
         *       "metadata": {
         *         "required_scope": "open:command:create"
         *       }
         *     }
         */
        Error: {
            /**
             * @description One code of the table of errors.
             * @enum {string}
             */
            code: "MALFORMED_HTTP" | "INVALID_TARGET" | "INVALID_REQUEST_ID" | "MALFORMED_JSON" | "VALIDATION_FAILED" | "INVALID_CURSOR" | "REQUEST_TIMEOUT" | "EXPECTATION_FAILED" | "HEADERS_TOO_LARGE" | "UNAUTHENTICATED" | "CLOCK_SKEW" | "NONCE_REUSED" | "FORBIDDEN" | "OBJECT_POLICY_DENIED" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "TENANT_ALREADY_EXISTS" | "CREDENTIAL_ALREADY_EXISTS" | "CREDENTIAL_DELETED" | "ROLE_BINDING_ALREADY_EXISTS" | "ROLE_BUILT_IN" | "ROLE_IN_USE" | "POLICY_ALREADY_EXISTS" | "BUS_PRINCIPAL_ALREADY_EXISTS" | "BUS_PRINCIPAL_DELETED" | "RESOURCE_LIMIT_REACHED" | "SUBSCRIPTION_ALREADY_EXISTS" | "COMMAND_NOT_CANCELABLE" | "DEVICE_REQUEST_ALREADY_REPLIED" | "DEVICE_REQUEST_EXPIRED" | "LAST_PLATFORM_ADMINISTRATOR" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "VENDOR_NOT_ENABLED" | "COMMAND_TYPE_UNKNOWN" | "COMMAND_PAYLOAD_INVALID" | "TENANT_ID_RESERVED" | "SCOPE_UNKNOWN" | "BUS_KEY_INVALID" | "BUS_SEED_NOT_ALLOWED" | "PAYLOAD_SCHEMA_INVALID" | "EVENT_TYPE_NOT_SUBSCRIBABLE" | "CALLBACK_URL_NOT_ALLOWED" | "RATE_LIMITED" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE" | (string & {});
            /** @description What happened and what to do, in a sentence or two. For people. */
            message: string;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
            /** @description Every place in the request that is wrong. */
            details?: {
                /** @description Where: a JSON Pointer (RFC 6901) behind `body`, `query` or `path`, for example `body/payload/speed`. */
                location: string;
                /** @description What is wrong there, in a word. */
                code: string;
                /** @description What is wrong there, in a sentence. */
                message: string;
            }[];
            /** @description Facts that belong to the code, for example `required_scope` with FORBIDDEN. */
            metadata?: {
                [key: string]: unknown;
            };
        };
        /**
         * @example {
         *       "event_id": "019bd3a4-5c4e-7cc1-9d51-3f4a5b6c7d8e",
         *       "event_type": "command.accepted",
         *       "schema_version": 1,
         *       "tenant_id": "acme",
         *       "occurred_at": "2026-01-31T09:30:00.000Z",
         *       "request": {
         *         "request_id": "019bd3a4-5c4e-7cc1-9d51-2e3f4a5b6c7d",
         *         "client_id": "acme-backend",
         *         "idempotency_key": "reboot-ok-1-2026-01-31"
         *       },
         *       "data": {
         *         "command_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d",
         *         "vendor": "vendor_a",
         *         "device_id": "ok-1",
         *         "command_type": "reboot",
         *         "status": "ACCEPTED",
         *         "adapter_status": "PENDING",
         *         "device_execution_status": "NOT_STARTED",
         *         "public_status": "PENDING",
         *         "status_reason": null,
         *         "result": null,
         *         "accepted_at": "2026-01-31T09:30:00.000Z",
         *         "completed_at": null
         *       }
         *     }
         * @example {
         *       "event_id": "019bd3a4-6a1f-7cc1-9d51-4a5b6c7d8e9f",
         *       "event_type": "command.completed",
         *       "schema_version": 1,
         *       "tenant_id": "acme",
         *       "occurred_at": "2026-01-31T09:30:03.535Z",
         *       "request": {
         *         "request_id": "019bd3a4-5c4e-7cc1-9d51-2e3f4a5b6c7d",
         *         "client_id": "acme-backend",
         *         "idempotency_key": "reboot-ok-1-2026-01-31"
         *       },
         *       "data": {
         *         "command_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d",
         *         "vendor": "vendor_a",
         *         "device_id": "ok-1",
         *         "command_type": "reboot",
         *         "status": "SUCCEEDED",
         *         "adapter_status": "DELIVERED",
         *         "device_execution_status": "SUCCEEDED",
         *         "public_status": "SUCCEEDED",
         *         "status_reason": null,
         *         "result": {},
         *         "accepted_at": "2026-01-31T09:30:00.000Z",
         *         "completed_at": "2026-01-31T09:30:03.535Z"
         *       }
         *     }
         */
        Event: {
            /**
             * Format: uuid
             * @description The event (UUID version 7); the same in every copy.
             */
            event_id: string;
            /**
             * @description What happened.
             * @enum {string}
             */
            event_type: "command.accepted" | "command.completed" | (string & {});
            /**
             * @description The version of this shape.
             * @constant
             */
            schema_version: 1;
            /** @description The tenant, the boundary of data isolation. */
            tenant_id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurred_at: string;
            /** @description The request that created the command. */
            request: {
                /** @description The correlation id of the request that created the command. */
                request_id: string;
                /** @description The credential id, unique on the whole platform; the value of X-Api-Id. */
                client_id: string;
                /** @description The idempotency key of the command. */
                idempotency_key: string;
            };
            /** @description The command when it happened. */
            data: {
                /**
                 * Format: uuid
                 * @description The command.
                 */
                command_id: string;
                /** @description A vendor of the platform catalog, for example `vendor_a`. */
                vendor: string;
                /** @description The device in the vendor's naming: 1 to 128 printable characters. */
                device_id: string;
                /** @description A command type of the vendor's catalog, for example `reboot`. */
                command_type: string;
                /**
                 * @description ACCEPTED and DISPATCHED are on the way, the others final. EXPIRED was never sent and is safe to repeat; TIMED_OUT was sent and its outcome is unknown.
                 * @enum {string}
                 */
                status: "ACCEPTED" | "DISPATCHED" | "SUCCEEDED" | "FAILED" | "REJECTED" | "UNSUPPORTED" | "TIMED_OUT" | "EXPIRED" | "CANCELED" | (string & {});
                /**
                 * @description How far the command came with the vendor's adapter.
                 * @enum {string}
                 */
                adapter_status: "PENDING" | "SENT" | "DELIVERED" | "REJECTED" | "UNSUPPORTED" | "UNREACHABLE" | "FAILED" | "TIMED_OUT" | (string & {});
                /**
                 * @description What the device did with the command.
                 * @enum {string}
                 */
                device_execution_status: "NOT_STARTED" | "IN_PROGRESS" | "SUCCEEDED" | "FAILED" | "REJECTED" | "TIMED_OUT" | "UNKNOWN" | (string & {});
                /**
                 * @description The outcome in one word, for end users; derived from status.
                 * @enum {string}
                 */
                public_status: "PENDING" | "SUCCEEDED" | "FAILED" | "UNKNOWN" | (string & {});
                /** @description Why the command ended as it did; null where nobody said. */
                status_reason: {
                    /** @description A word for programs. */
                    code: string;
                    /** @description A sentence for people. */
                    message: string;
                } | null;
                /** @description What the device returned. */
                result: {
                    [key: string]: unknown;
                } | null;
                /**
                 * Format: date-time
                 * @description When the command was accepted.
                 */
                accepted_at: string;
                /**
                 * Format: date-time
                 * @description When its status became final.
                 */
                completed_at: string | null;
            };
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "event_id": "019bd3a4-5c4e-7cc1-9d51-3f4a5b6c7d8e",
         *           "event_type": "command.accepted",
         *           "schema_version": 1,
         *           "tenant_id": "acme",
         *           "occurred_at": "2026-01-31T09:30:00.000Z",
         *           "request": {
         *             "request_id": "019bd3a4-5c4e-7cc1-9d51-2e3f4a5b6c7d",
         *             "client_id": "acme-backend",
         *             "idempotency_key": "reboot-ok-1-2026-01-31"
         *           },
         *           "data": {
         *             "command_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d",
         *             "vendor": "vendor_a",
         *             "device_id": "ok-1",
         *             "command_type": "reboot",
         *             "status": "ACCEPTED",
         *             "adapter_status": "PENDING",
         *             "device_execution_status": "NOT_STARTED",
         *             "public_status": "PENDING",
         *             "status_reason": null,
         *             "result": null,
         *             "accepted_at": "2026-01-31T09:30:00.000Z",
         *             "completed_at": null
         *           }
         *         }
         *       ],
         *       "next_cursor": "WyJ2YmxjIiwiMTIzIl0",
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        EventPage: {
            /** @description At most `limit` events, oldest first. */
            items: components["schemas"]["Event"][];
            /** @description Pass as `cursor` to go on from here. Always there: empty items mean that there is nothing new yet. */
            next_cursor: string;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "tenant_id": "acme",
         *       "client_id": "acme-backend",
         *       "name": "Acme backend",
         *       "roles": [
         *         "integration_reader"
         *       ],
         *       "scopes": [
         *         "open:command:read",
         *         "open:device-request:read",
         *         "open:event:read",
         *         "open:catalog:read"
         *       ],
         *       "allowed_clock_skew_seconds": 300,
         *       "replay_window_seconds": 300,
         *       "expires_at": null,
         *       "limits": {
         *         "body_bytes": 65536,
         *         "payload_bytes": 32768,
         *         "requests_per_minute": 6000
         *       },
         *       "server_time": "2026-01-31T09:30:00.000Z",
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        Me: {
            /** @description The tenant, the boundary of data isolation. */
            tenant_id: string;
            /** @description The credential id, unique on the whole platform; the value of X-Api-Id. */
            client_id: string;
            /** @description A name for people: 1 to 128 printable characters. */
            name: string;
            /** @description The roles that the credential is bound to. */
            roles: string[];
            /** @description What the credential may do. */
            scopes: ("open:command:create" | "open:command:read" | "open:object:create" | "open:object-config:create" | "open:object-config:read" | "open:object-config:update" | "open:callback:create" | "open:callback:read" | "open:callback:update" | "open:callback:disable" | "open:device-request:read" | "open:device-request:create" | "open:command:cancel" | "open:event:read" | "open:catalog:read" | "platform:tenant:create" | "platform:tenant:read" | "platform:tenant:update" | "platform:credential:create" | "platform:credential:read" | "platform:credential:update" | "platform:bus-principal:create" | "platform:bus-principal:read" | "platform:bus-principal:update" | "platform:access:create" | "platform:access:read" | "platform:access:update" | "platform:access:delete" | "platform:catalog:read" | "platform:catalog:update" | "platform:audit:read" | (string & {}))[];
            /** @description How far X-Api-Timestamp may be from the server clock, in seconds. */
            allowed_clock_skew_seconds: number;
            /** @description How long a nonce stays used at least, in seconds. */
            replay_window_seconds: number;
            /**
             * Format: date-time
             * @description When the credential stops working; null for never.
             */
            expires_at: string | null;
            /** @description The limits of this credential. */
            limits: {
                /** @description The largest request body, in bytes. */
                body_bytes: number;
                /** @description The largest command payload, in bytes of its JSON in UTF-8. */
                payload_bytes: number;
                /** @description The most requests of this credential a minute, on each node. */
                requests_per_minute: number;
            };
            /**
             * Format: date-time
             * @description The server's clock.
             */
            server_time: string;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "credential_id": "019bd3a4-5c4e-7f44-8d73-9c3d4e5f6071",
         *       "name": "Firmware store",
         *       "provider": "minio",
         *       "endpoint": "https://objects.example.com",
         *       "region": "us-east-1",
         *       "force_path_style": true,
         *       "access_key_id": "ACMEFIRMWARE",
         *       "secret_version": 1,
         *       "status": "ACTIVE",
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "updated_at": "2026-01-31T09:30:00.000Z",
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        ObjectCredential: {
            /**
             * Format: uuid
             * @description The object credential: a UUID made by the platform.
             */
            credential_id: string;
            /** @description A name for people: 1 to 128 printable characters. */
            name: string;
            /** @description A label for people; null for none. */
            provider: string | null;
            /** @description The URL of the store. */
            endpoint: string;
            /** @description The region that goes into the signature, for example `eu-central-1`; `us-east-1` for stores without regions. */
            region: string;
            /** @description True puts the bucket into the path (host/bucket/key), false into the host name (bucket.host/key). */
            force_path_style: boolean;
            /** @description The public half of the access key. */
            access_key_id: string;
            /** @description Counts the rotations of the access key: 1 at first. */
            secret_version: number;
            /**
             * @description DISABLED refuses every presign that needs it, until ACTIVE again. URLs issued before go on until they expire.
             * @enum {string}
             */
            status: "ACTIVE" | "DISABLED" | (string & {});
            /**
             * Format: date-time
             * @description When the credential was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the credential was last changed.
             */
            updated_at: string;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "name": "Firmware store",
         *       "provider": "minio",
         *       "endpoint": "https://objects.example.com",
         *       "region": "us-east-1",
         *       "force_path_style": true,
         *       "access_key_id": "ACMEFIRMWARE",
         *       "secret_access_key": "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY"
         *     }
         */
        ObjectCredentialCreate: {
            /** @description A name for people: 1 to 128 printable characters. */
            name: string;
            /** @description The URL of the S3-compatible store: https, host and port, no path, query or user. http only where the operator allows it. */
            endpoint: string;
            /** @description The region that goes into the signature, for example `eu-central-1`; `us-east-1` for stores without regions. */
            region: string;
            /** @description The public half of the access key. */
            access_key_id: string;
            /** @description The secret half of the access key. Sealed at rest, never returned. */
            secret_access_key: string;
            /** @description The token of temporary access keys. Sealed at rest, never returned but inside presigned URLs, which carry it. */
            session_token?: string | null;
            /** @description A label for people, for example `minio`: 1 to 128 printable characters. */
            provider?: string | null;
            /** @description False by default: the bucket goes into the host name. */
            force_path_style?: boolean;
            /**
             * @description ACTIVE by default.
             * @enum {string}
             */
            status?: "ACTIVE" | "DISABLED";
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "credential_id": "019bd3a4-5c4e-7f44-8d73-9c3d4e5f6071",
         *           "name": "Firmware store",
         *           "provider": "minio",
         *           "endpoint": "https://objects.example.com",
         *           "region": "us-east-1",
         *           "force_path_style": true,
         *           "access_key_id": "ACMEFIRMWARE",
         *           "secret_version": 1,
         *           "status": "ACTIVE",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z",
         *           "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *         }
         *       ],
         *       "next_cursor": null,
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        ObjectCredentialPage: {
            /** @description At most `limit` items, newest first. */
            items: components["schemas"]["ObjectCredential"][];
            /** @description Pass as `cursor` to get the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "status": "DISABLED"
         *     }
         */
        ObjectCredentialUpdate: {
            /** @description A name for people: 1 to 128 printable characters. */
            name?: string;
            /** @description The URL of the S3-compatible store: https, host and port, no path, query or user. http only where the operator allows it. */
            endpoint?: string;
            /** @description The region that goes into the signature, for example `eu-central-1`; `us-east-1` for stores without regions. */
            region?: string;
            /** @description With secret_access_key: rotates the access key. */
            access_key_id?: string;
            /** @description With access_key_id: rotates the access key. */
            secret_access_key?: string;
            /** @description The token of temporary access keys; null for none. New access keys without it have none. */
            session_token?: string | null;
            /** @description A label for people, for example `minio`: 1 to 128 printable characters. */
            provider?: string | null;
            /** @description True puts the bucket into the path (host/bucket/key), false into the host name (bucket.host/key). */
            force_path_style?: boolean;
            /**
             * @description DISABLED refuses every presign that needs it, until ACTIVE again. URLs issued before go on until they expire.
             * @enum {string}
             */
            status?: "ACTIVE" | "DISABLED";
        };
        /**
         * @example {
         *       "resource_id": "019bd3a4-5c4e-7a55-9e84-ad4e5f607182",
         *       "name": "Firmware images",
         *       "credential_id": "019bd3a4-5c4e-7f44-8d73-9c3d4e5f6071",
         *       "bucket": "acme-firmware",
         *       "allowed_operations": [
         *         "UPLOAD",
         *         "DOWNLOAD"
         *       ],
         *       "key_prefix": "firmware/",
         *       "allowed_content_types": [
         *         "application/octet-stream"
         *       ],
         *       "max_object_bytes": 104857600,
         *       "max_expires_in_seconds": 3600,
         *       "status": "ACTIVE",
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "updated_at": "2026-01-31T09:30:00.000Z",
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        ObjectResource: {
            /**
             * Format: uuid
             * @description The object resource: a UUID made by the platform.
             */
            resource_id: string;
            /** @description A name for people: 1 to 128 printable characters. */
            name: string;
            /**
             * Format: uuid
             * @description The object credential: a UUID made by the platform.
             */
            credential_id: string;
            /** @description The bucket: 3 to 63 lower-case letters, digits, dots and hyphens. */
            bucket: string;
            /** @description What may be presigned. */
            allowed_operations: ("UPLOAD" | "DOWNLOAD" | (string & {}))[];
            /** @description What every key begins with, for example `firmware/`: object_key is joined behind it. At most 512 bytes. */
            key_prefix: string;
            /** @description The content types that may be uploaded; null for any. */
            allowed_content_types: string[] | null;
            /**
             * Format: int64
             * @description The largest upload, in bytes: 1 to 5368709120, which is also the default.
             */
            max_object_bytes: number;
            /** @description The longest life of a presigned URL, in seconds: 1 to 604800, 3600 by default. */
            max_expires_in_seconds: number;
            /**
             * @description DISABLED refuses every presign that needs it, until ACTIVE again. URLs issued before go on until they expire.
             * @enum {string}
             */
            status: "ACTIVE" | "DISABLED" | (string & {});
            /**
             * Format: date-time
             * @description When the resource was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the resource was last changed.
             */
            updated_at: string;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "name": "Firmware images",
         *       "credential_id": "019bd3a4-5c4e-7f44-8d73-9c3d4e5f6071",
         *       "bucket": "acme-firmware",
         *       "allowed_operations": [
         *         "UPLOAD",
         *         "DOWNLOAD"
         *       ],
         *       "key_prefix": "firmware/",
         *       "allowed_content_types": [
         *         "application/octet-stream"
         *       ]
         *     }
         */
        ObjectResourceCreate: {
            /** @description A name for people: 1 to 128 printable characters. */
            name: string;
            /**
             * Format: uuid
             * @description The object credential: a UUID made by the platform.
             */
            credential_id: string;
            /** @description The bucket: 3 to 63 lower-case letters, digits, dots and hyphens. */
            bucket: string;
            /** @description What may be presigned. */
            allowed_operations: ("UPLOAD" | "DOWNLOAD")[];
            /** @description What every key begins with, for example `firmware/`: object_key is joined behind it. At most 512 bytes. */
            key_prefix?: string;
            /** @description The content types that may be uploaded; null for any. */
            allowed_content_types?: string[] | null;
            /**
             * Format: int64
             * @description The largest upload, in bytes: 1 to 5368709120, which is also the default.
             */
            max_object_bytes?: number;
            /** @description The longest life of a presigned URL, in seconds: 1 to 604800, 3600 by default. */
            max_expires_in_seconds?: number;
            /**
             * @description ACTIVE by default.
             * @enum {string}
             */
            status?: "ACTIVE" | "DISABLED";
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "resource_id": "019bd3a4-5c4e-7a55-9e84-ad4e5f607182",
         *           "name": "Firmware images",
         *           "credential_id": "019bd3a4-5c4e-7f44-8d73-9c3d4e5f6071",
         *           "bucket": "acme-firmware",
         *           "allowed_operations": [
         *             "UPLOAD",
         *             "DOWNLOAD"
         *           ],
         *           "key_prefix": "firmware/",
         *           "allowed_content_types": [
         *             "application/octet-stream"
         *           ],
         *           "max_object_bytes": 104857600,
         *           "max_expires_in_seconds": 3600,
         *           "status": "ACTIVE",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z",
         *           "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *         }
         *       ],
         *       "next_cursor": null,
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        ObjectResourcePage: {
            /** @description At most `limit` items, newest first. */
            items: components["schemas"]["ObjectResource"][];
            /** @description Pass as `cursor` to get the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "max_expires_in_seconds": 900
         *     }
         */
        ObjectResourceUpdate: {
            /** @description A name for people: 1 to 128 printable characters. */
            name?: string;
            /**
             * Format: uuid
             * @description The object credential: a UUID made by the platform.
             */
            credential_id?: string;
            /** @description The bucket: 3 to 63 lower-case letters, digits, dots and hyphens. */
            bucket?: string;
            /** @description What may be presigned. */
            allowed_operations?: ("UPLOAD" | "DOWNLOAD")[];
            /** @description What every key begins with, for example `firmware/`: object_key is joined behind it. At most 512 bytes. */
            key_prefix?: string;
            /** @description The content types that may be uploaded; null for any. */
            allowed_content_types?: string[] | null;
            /**
             * Format: int64
             * @description The largest upload, in bytes: 1 to 5368709120, which is also the default.
             */
            max_object_bytes?: number;
            /** @description The longest life of a presigned URL, in seconds: 1 to 604800, 3600 by default. */
            max_expires_in_seconds?: number;
            /**
             * @description DISABLED refuses every presign that needs it, until ACTIVE again. URLs issued before go on until they expire.
             * @enum {string}
             */
            status?: "ACTIVE" | "DISABLED";
        };
        /**
         * @example {
         *       "policy_id": "019bd3a4-5c4e-7b11-8a40-6f0e5d4c3b2a",
         *       "client_id": "acme-backend",
         *       "scope": "open:device-request:create",
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        Policy: {
            /**
             * Format: uuid
             * @description The policy: a UUID made by the platform.
             */
            policy_id: string;
            /** @description The credential id, unique on the whole platform; the value of X-Api-Id. */
            client_id: string;
            /**
             * @description The permission that the policy grants, as object:action.
             * @enum {string}
             */
            scope: "open:command:create" | "open:command:read" | "open:object:create" | "open:object-config:create" | "open:object-config:read" | "open:object-config:update" | "open:callback:create" | "open:callback:read" | "open:callback:update" | "open:callback:disable" | "open:device-request:read" | "open:device-request:create" | "open:command:cancel" | "open:event:read" | "open:catalog:read" | "platform:tenant:create" | "platform:tenant:read" | "platform:tenant:update" | "platform:credential:create" | "platform:credential:read" | "platform:credential:update" | "platform:bus-principal:create" | "platform:bus-principal:read" | "platform:bus-principal:update" | "platform:access:create" | "platform:access:read" | "platform:access:update" | "platform:access:delete" | "platform:catalog:read" | "platform:catalog:update" | "platform:audit:read" | (string & {});
            /**
             * Format: date-time
             * @description When the permission was granted.
             */
            created_at: string;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "client_id": "acme-backend",
         *       "scope": "open:device-request:create"
         *     }
         */
        PolicyCreate: {
            /** @description The credential id, unique on the whole platform; the value of X-Api-Id. */
            client_id: string;
            /** @description A permission as object:action, for example `open:command:read`. */
            scope: string;
        };
        /**
         * @example {
         *       "policy_id": "019bd3a4-5c4e-7b11-8a40-6f0e5d4c3b2a",
         *       "deleted": true,
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        PolicyDeleted: {
            /**
             * Format: uuid
             * @description The policy: a UUID made by the platform.
             */
            policy_id: string;
            /**
             * @description Always true.
             * @constant
             */
            deleted: true;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "policy_id": "019bd3a4-5c4e-7b11-8a40-6f0e5d4c3b2a",
         *           "client_id": "acme-backend",
         *           "scope": "open:device-request:create",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *         }
         *       ],
         *       "next_cursor": null,
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        PolicyPage: {
            /** @description At most `limit` items, newest first. */
            items: components["schemas"]["Policy"][];
            /** @description Pass as `cursor` to get the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "operation": "UPLOAD",
         *       "resource_id": "019bd3a4-5c4e-7a55-9e84-ad4e5f607182",
         *       "object_key": "pump-7/2.4.1.bin",
         *       "content_type": "application/octet-stream",
         *       "content_length": 1048576
         *     }
         */
        PresignRequest: {
            /**
             * @description What a presigned URL is good for.
             * @enum {string}
             */
            operation: "UPLOAD" | "DOWNLOAD";
            /**
             * Format: uuid
             * @description The object resource: a UUID made by the platform.
             */
            resource_id: string;
            /** @description The key below the resource's key_prefix: no leading slash, no `.` or `..` segment, no control character; with the prefix at most 1,024 bytes of UTF-8. */
            object_key: string;
            /** @description How long the URL is good, in seconds: 1 to the resource's maximum; 900 by default, or that maximum if it is less. */
            expires_in_seconds?: number;
            /** @description UPLOAD, required: the media type. It is signed: the store refuses another. */
            content_type?: string;
            /**
             * Format: int64
             * @description UPLOAD, required: the size in bytes. It is signed: the store refuses another.
             */
            content_length?: number;
            /** @description UPLOAD: SHA-256 of the content in base64. It is signed, for the store to compare with the content, as S3 does. */
            checksum_sha256?: string;
            /** @description DOWNLOAD: the Content-Disposition that the store answers with, for example `attachment; filename="log.txt"`. */
            response_content_disposition?: string;
        };
        /**
         * @example {
         *       "presign_id": "019bd3a4-5c4e-7b66-8f95-be5f60718293",
         *       "operation": "UPLOAD",
         *       "method": "PUT",
         *       "url": "https://objects.example.com/acme-firmware/firmware/pump-7/2.4.1.bin?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=900&X-Amz-Signature=f28b9007f866c900484b0a6f0ee87497aa3958adf57670f7d57058ecdafbdc71",
         *       "headers": {
         *         "Content-Type": "application/octet-stream",
         *         "Content-Length": "1048576"
         *       },
         *       "resource_id": "019bd3a4-5c4e-7a55-9e84-ad4e5f607182",
         *       "object_key": "pump-7/2.4.1.bin",
         *       "expires_at": "2026-01-31T09:45:00.000Z",
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        PresignedRequest: {
            /**
             * Format: uuid
             * @description The grant, as the platform recorded it: a UUID. Quote it in reports.
             */
            presign_id: string;
            /**
             * @description What a presigned URL is good for.
             * @enum {string}
             */
            operation: "UPLOAD" | "DOWNLOAD" | (string & {});
            /**
             * @description The HTTP method to send.
             * @enum {string}
             */
            method: "PUT" | "GET" | (string & {});
            /** @description Where to send it. Whoever has the URL may use it until it expires: treat it as a secret. */
            url: string;
            /** @description Headers to send exactly as they are: they are signed. A client that sets Content-Length by itself may leave it out. */
            headers: {
                [key: string]: string;
            };
            /**
             * Format: uuid
             * @description The object resource: a UUID made by the platform.
             */
            resource_id: string;
            /** @description The key as it was asked for, below key_prefix. */
            object_key: string;
            /**
             * Format: date-time
             * @description When the URL stops working at the latest: sooner if the access key or its session token ends.
             */
            expires_at: string;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "role": "integration_reader",
         *       "scopes": [
         *         "open:command:read",
         *         "open:device-request:read",
         *         "open:event:read",
         *         "open:catalog:read"
         *       ],
         *       "built_in": true,
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        Role: {
            /** @description The name of a role, for example `tenant_admin`. */
            role: string;
            /** @description The permissions that a binding to the role grants. */
            scopes: ("open:command:create" | "open:command:read" | "open:object:create" | "open:object-config:create" | "open:object-config:read" | "open:object-config:update" | "open:callback:create" | "open:callback:read" | "open:callback:update" | "open:callback:disable" | "open:device-request:read" | "open:device-request:create" | "open:command:cancel" | "open:event:read" | "open:catalog:read" | "platform:tenant:create" | "platform:tenant:read" | "platform:tenant:update" | "platform:credential:create" | "platform:credential:read" | "platform:credential:update" | "platform:bus-principal:create" | "platform:bus-principal:read" | "platform:bus-principal:update" | "platform:access:create" | "platform:access:read" | "platform:access:update" | "platform:access:delete" | "platform:catalog:read" | "platform:catalog:update" | "platform:audit:read" | (string & {}))[];
            /** @description True for the roles that every tenant has. */
            built_in: boolean;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "client_id": "acme-backend",
         *       "role": "integration_operator",
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        RoleBinding: {
            /** @description The credential id, unique on the whole platform; the value of X-Api-Id. */
            client_id: string;
            /** @description The name of a role, for example `tenant_admin`. */
            role: string;
            /**
             * Format: date-time
             * @description When the role was bound.
             */
            created_at: string;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "client_id": "acme-backend",
         *       "role": "integration_operator"
         *     }
         */
        RoleBindingCreate: {
            /** @description The credential id, unique on the whole platform; the value of X-Api-Id. */
            client_id: string;
            /** @description The name of a role, for example `tenant_admin`. */
            role: string;
        };
        /**
         * @example {
         *       "client_id": "acme-backend",
         *       "role": "integration_operator",
         *       "deleted": true,
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        RoleBindingDeleted: {
            /** @description The credential id, unique on the whole platform; the value of X-Api-Id. */
            client_id: string;
            /** @description The name of a role, for example `tenant_admin`. */
            role: string;
            /**
             * @description Always true.
             * @constant
             */
            deleted: true;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "client_id": "acme-backend",
         *           "role": "integration_operator",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *         }
         *       ],
         *       "next_cursor": null,
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        RoleBindingPage: {
            /** @description At most `limit` items, newest first. */
            items: components["schemas"]["RoleBinding"][];
            /** @description Pass as `cursor` to get the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "role": "replier",
         *       "deleted": true,
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        RoleDeleted: {
            /** @description The name of a role, for example `tenant_admin`. */
            role: string;
            /**
             * @description Always true.
             * @constant
             */
            deleted: true;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "role": "integration_reader",
         *           "scopes": [
         *             "open:command:read",
         *             "open:device-request:read",
         *             "open:event:read",
         *             "open:catalog:read"
         *           ],
         *           "built_in": true,
         *           "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *         }
         *       ],
         *       "next_cursor": null,
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        RolePage: {
            /** @description At most `limit` items, newest first. */
            items: components["schemas"]["Role"][];
            /** @description Pass as `cursor` to get the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "scopes": [
         *         "open:device-request:read",
         *         "open:device-request:create"
         *       ]
         *     }
         */
        RolePut: {
            /** @description All permissions of the role, each once. What is not named is no longer granted. */
            scopes: string[];
        };
        /**
         * @example {
         *       "tenant_id": "acme",
         *       "name": "Acme Fleet",
         *       "status": "ACTIVE",
         *       "created_at": "2026-01-31T09:30:00.000Z",
         *       "updated_at": "2026-01-31T09:30:00.000Z",
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        Tenant: {
            /** @description The tenant, the boundary of data isolation. */
            tenant_id: string;
            /** @description A name for people: 1 to 128 printable characters. */
            name: string;
            /**
             * @description DISABLED refuses every request of the tenant's credentials from the next one on.
             * @enum {string}
             */
            status: "ACTIVE" | "DISABLED" | (string & {});
            /**
             * Format: date-time
             * @description When the tenant was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the tenant was last changed.
             */
            updated_at: string;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "tenant_id": "acme",
         *       "name": "Acme Fleet"
         *     }
         */
        TenantCreate: {
            /** @description The tenant, the boundary of data isolation. */
            tenant_id: string;
            /** @description A name for people: 1 to 128 printable characters. */
            name: string;
            /**
             * @description ACTIVE by default.
             * @enum {string}
             */
            status?: "ACTIVE" | "DISABLED";
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "tenant_id": "acme",
         *           "name": "Acme Fleet",
         *           "status": "ACTIVE",
         *           "created_at": "2026-01-31T09:30:00.000Z",
         *           "updated_at": "2026-01-31T09:30:00.000Z",
         *           "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *         }
         *       ],
         *       "next_cursor": null,
         *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
         *     }
         */
        TenantPage: {
            /** @description At most `limit` items, newest first. */
            items: components["schemas"]["Tenant"][];
            /** @description Pass as `cursor` to get the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Correlation id: X-Request-Id of the request, or one made by the platform. Quote it in reports. */
            request_id: string;
        };
        /**
         * @example {
         *       "name": "Acme Fleet Europe"
         *     }
         */
        TenantUpdate: {
            /** @description A name for people: 1 to 128 printable characters. */
            name?: string;
            /**
             * @description DISABLED refuses every request of the tenant's credentials from the next one on.
             * @enum {string}
             */
            status?: "ACTIVE" | "DISABLED";
        };
        /**
         * @example {
         *       "enabled": true
         *     }
         */
        VendorPut: {
            /** @description Whether commands for its devices are accepted. */
            enabled: boolean;
        };
    };
    responses: {
        /**
         * @description - `MALFORMED_HTTP`: The request is not well-formed HTTP, or a GET, HEAD or DELETE carries a body. Send HTTP/1.1 as RFC 9112 describes it; leave out the body of GET, HEAD and DELETE.
         *     - `INVALID_TARGET`: The path or the query breaks the grammar of request targets. Use the path as the reference shows it, without trailing slash or percent-encoding; give every query parameter once, with a value, percent-encoded where it needs to be.
         *     - `INVALID_REQUEST_ID`: X-Request-Id does not match ^[A-Za-z0-9._~-]{1,128}$. Send a correlation id of that alphabet, or leave the header out.
         *     - `MALFORMED_JSON`: The body is not JSON with one unambiguous meaning. Correct the body at the location named in details.
         *     - `VALIDATION_FAILED`: A field of the query or the body is missing, unknown or has a value outside its range. Correct every field named in details.
         *     - `INVALID_CURSOR`: The cursor was not issued for this list with these filters. Pass next_cursor of the previous page with the same filters, or start without a cursor.
         */
        BadRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description - `UNAUTHENTICATED`: The request is not signed by a live credential: a header is missing or malformed, the credential is unknown, disabled, expired or deleted, its tenant is disabled, or the signature does not match. Compare metadata.string_to_sign line by line with the string you signed; check X-Api-Id and the secret.
         *     - `CLOCK_SKEW`: The signature is right, but X-Api-Timestamp is outside the allowed window. Set the clock, or sign with the server's time from metadata.server_time.
         *     - `NONCE_REUSED`: The signature is right, but a request with this nonce was received before. Make a fresh nonce for every attempt, retries included.
         */
        Unauthenticated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description - `FORBIDDEN`: Authorization was denied: the credential lacks the permission, or the tenant is not its own. Check that X-Api-Id is the expected client, that it belongs to the tenant, and that a role binding or a policy grants metadata.required_scope.
         *     - `OBJECT_POLICY_DENIED`: The object resource's policy does not allow this, or the resource or its credential is disabled. Ask for what the policy allows; details name the field and the rule.
         */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description - `NOT_FOUND`: There is no such path or no such resource in the caller's tenant. Check the path and the id. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description - `TENANT_ALREADY_EXISTS`: A tenant with this tenant_id exists. Choose another tenant_id, or update the existing tenant.
         *     - `CREDENTIAL_ALREADY_EXISTS`: The client_id is taken. A client_id is unique on the whole platform and never free again. Choose another client_id; to rotate the secret of your own, send rotate_secret: true.
         *     - `CREDENTIAL_DELETED`: The credential is deleted, which is final. Create a credential with another client_id.
         *     - `ROLE_BINDING_ALREADY_EXISTS`: The client is bound to this role already. Nothing to do.
         *     - `ROLE_BUILT_IN`: The role is built in: every tenant has it, and nobody changes it. Choose another name for a role of your own.
         *     - `ROLE_IN_USE`: Credentials are bound to the role. Delete its role bindings first; roleBindings.list shows them.
         *     - `POLICY_ALREADY_EXISTS`: The credential already holds this scope directly. Nothing needs to be done.
         *     - `BUS_PRINCIPAL_ALREADY_EXISTS`: The user key belongs to a principal already, or the account key to another tenant. Generate a new nkey. A key is never free again, even when its principal is deleted.
         *     - `BUS_PRINCIPAL_DELETED`: The principal is deleted, which is final. Create another principal with a new user key.
         *     - `RESOURCE_LIMIT_REACHED`: The tenant has as many ACTIVE resources of this kind as it may have. Disable one that is no longer used; metadata.limit tells how many there may be.
         *     - `SUBSCRIPTION_ALREADY_EXISTS`: The endpoint is subscribed to this event type already. Nothing needs to be done; callbackSubscriptions.list shows it.
         *     - `COMMAND_NOT_CANCELABLE`: The command is on its way or has ended: it can no longer be taken back. Read metadata.status; wait for the outcome with commands.get and wait_seconds.
         *     - `DEVICE_REQUEST_ALREADY_REPLIED`: The request of the device has its one reply, and this is another. Read the reply with deviceRequests.get.
         *     - `DEVICE_REQUEST_EXPIRED`: The request of the device expired without a reply: the device no longer waits. Reply before expires_at; deviceRequests.list with status=PENDING and wait_seconds shows requests as they come.
         *     - `LAST_PLATFORM_ADMINISTRATOR`: The change would leave the platform without a lasting administrator. Create another credential of tenant platform, without expires_at and bound to platform_admin, first.
         */
        Conflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description - `PAYLOAD_TOO_LARGE`: The body, or a payload within it, is larger than its limit. Send less: GET /api/v1/open/me shows the limits. */
        PayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description - `UNSUPPORTED_MEDIA_TYPE`: The body is not application/json, or it is compressed. Send Content-Type: application/json and no Content-Encoding. */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description - `VENDOR_NOT_ENABLED`: The vendor is not enabled in the platform catalog. Use a vendor that GET /api/v1/open/catalog lists.
         *     - `COMMAND_TYPE_UNKNOWN`: The vendor has no enabled command type of this name. Use a command_type that GET /api/v1/open/catalog lists for the vendor.
         *     - `COMMAND_PAYLOAD_INVALID`: The payload does not satisfy the command type's payload schema. Correct the payload at the locations named in details; the schema is in GET /api/v1/open/catalog.
         *     - `TENANT_ID_RESERVED`: The tenant platform belongs to the platform itself: it can be neither created nor disabled. Choose another tenant_id.
         *     - `SCOPE_UNKNOWN`: There is no such scope, or it exists in tenant `platform` alone. Use a scope that the reference lists; roles.list shows those of the built-in roles.
         *     - `BUS_KEY_INVALID`: A key is not a public nkey of its kind: 56 characters with a checksum, A… for the account, U… for the user. Send the public keys that `nk` or `nsc` shows. Copy them whole.
         *     - `BUS_SEED_NOT_ALLOWED`: A field holds a private seed instead of a public key. It was neither stored nor logged. Treat the seed as disclosed: generate a new nkey, and send its public key, which begins with A or U.
         *     - `PAYLOAD_SCHEMA_INVALID`: payload_schema is not a JSON Schema 2020-12 that the platform takes. Correct the schema as details say.
         *     - `EVENT_TYPE_NOT_SUBSCRIBABLE`: There is no such event type: events are not split by outcome. Subscribe command.accepted or command.completed, and read the status in the event.
         *     - `CALLBACK_URL_NOT_ALLOWED`: The URL is not one that deliveries may go to: HTTPS, a public host, no user, no fragment. Use the public HTTPS address of the receiver; details tell what is wrong with this one.
         */
        UnprocessableContent: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description - `RATE_LIMITED`: Too many requests of this credential, too many of the tenant that wait for the same (100 at a node), or too many failed authentications from this address. Wait as long as Retry-After says. */
        TooManyRequests: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description - `INTERNAL_ERROR`: The platform failed. The request may or may not have taken effect. Repeat what may be repeated safely; report the request_id if it persists. */
        InternalError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description - `SERVICE_UNAVAILABLE`: The platform cannot reach its database. The request had no effect. Repeat the request after Retry-After. */
        ServiceUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /**
         * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
         * @example order-4711
         */
        "X-Request-Id": string;
    };
    requestBodies: never;
    headers: {
        /** @description Correlation id of the request, the same as request_id in the body. */
        "X-Request-Id": string;
        /** @description Present and true where the idempotency_key was used before: nothing new was made. */
        "Idempotent-Replayed": "true";
        /** @description Present where the idempotency_key was used before for another request: the names of the fields that differ from the original, separated by commas, for example `payload,device_id`. */
        "Idempotency-Mismatch": string;
        /** @description The next page as `<target>; rel="next"`; absent on the last page. */
        Link: string;
        /** @description Pass as `cursor` to get the next page; absent on the last page. */
        "X-Next-Cursor": string;
        /** @description The policy, what is left of its quota, and the seconds until it is full again. */
        RateLimit: string;
        /** @description The policy, its quota of requests, and its window in seconds. */
        "RateLimit-Policy": string;
        /** @description How long to wait, in seconds. */
        "Retry-After": number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "commands.list": {
        parameters: {
            query?: {
                /** @description The most items to return: 1 to 500. */
                limit?: number;
                /** @description `next_cursor` of the previous page, with the same filters. Opaque. */
                cursor?: string;
                /** @description Only commands of this status. */
                status?: "ACCEPTED" | "DISPATCHED" | "SUCCEEDED" | "FAILED" | "REJECTED" | "UNSUPPORTED" | "TIMED_OUT" | "EXPIRED" | "CANCELED";
                /** @description Only commands for this vendor. */
                vendor?: string;
                /** @description Only commands for this device. */
                device_id?: string;
                /** @description Only commands of this type. */
                command_type?: string;
                /** @description Only the command of this key. */
                idempotency_key?: string;
                /** @description Only commands accepted at this time or later. */
                accepted_after?: string;
                /** @description Only commands accepted before this time. */
                accepted_before?: string;
            };
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "command_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d",
                     *           "vendor": "vendor_a",
                     *           "device_id": "ok-1",
                     *           "command_type": "reboot",
                     *           "payload": {},
                     *           "idempotency_key": "reboot-ok-1-2026-01-31",
                     *           "timeout_seconds": 30,
                     *           "status": "ACCEPTED",
                     *           "adapter_status": "PENDING",
                     *           "device_execution_status": "NOT_STARTED",
                     *           "public_status": "PENDING",
                     *           "status_reason": null,
                     *           "result": null,
                     *           "late_result": null,
                     *           "accepted_at": "2026-01-31T09:30:00.000Z",
                     *           "dispatched_at": null,
                     *           "deadline_at": "2026-01-31T09:30:30.000Z",
                     *           "completed_at": null,
                     *           "updated_at": "2026-01-31T09:30:00.000Z",
                     *           "created_by_client_id": "acme-backend",
                     *           "history": [
                     *             {
                     *               "at": "2026-01-31T09:30:00.000Z",
                     *               "source": "PLATFORM",
                     *               "status": "ACCEPTED",
                     *               "adapter_status": "PENDING",
                     *               "device_execution_status": "NOT_STARTED",
                     *               "reason": null
                     *             }
                     *           ],
                     *           "request_id": "019bd3a4-5c4e-7cc1-9d51-2e3f4a5b6c7d"
                     *         }
                     *       ],
                     *       "next_cursor": null,
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-2e3f4a5b6c7d"
                     *     }
                     */
                    "application/json": components["schemas"]["CommandPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "commands.create": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "vendor": "vendor_a",
                 *       "device_id": "ok-1",
                 *       "command_type": "reboot",
                 *       "payload": {},
                 *       "idempotency_key": "reboot-ok-1-2026-01-31"
                 *     }
                 */
                "application/json": components["schemas"]["CommandCreate"];
            };
        };
        responses: {
            /** @description Accepted and persisted, or accepted before. It does not mean that the device executed it. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "Idempotency-Mismatch": components["headers"]["Idempotency-Mismatch"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "command_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d",
                     *       "status": "ACCEPTED",
                     *       "accepted_at": "2026-01-31T09:30:00.000Z",
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-2e3f4a5b6c7d"
                     *     }
                     */
                    "application/json": components["schemas"]["CommandAccepted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "commands.get": {
        parameters: {
            query?: {
                /** @description Wait up to so many seconds, 0 to 30, for something to happen; 0 by default answers at once. */
                wait_seconds?: number;
                /** @description updated_at of the record that the caller has: wait_seconds then waits for the next change. */
                seen_updated_at?: string;
            };
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The command (UUID version 7). */
                command_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "command_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d",
                     *       "vendor": "vendor_a",
                     *       "device_id": "ok-1",
                     *       "command_type": "reboot",
                     *       "payload": {},
                     *       "idempotency_key": "reboot-ok-1-2026-01-31",
                     *       "timeout_seconds": 30,
                     *       "status": "ACCEPTED",
                     *       "adapter_status": "PENDING",
                     *       "device_execution_status": "NOT_STARTED",
                     *       "public_status": "PENDING",
                     *       "status_reason": null,
                     *       "result": null,
                     *       "late_result": null,
                     *       "accepted_at": "2026-01-31T09:30:00.000Z",
                     *       "dispatched_at": null,
                     *       "deadline_at": "2026-01-31T09:30:30.000Z",
                     *       "completed_at": null,
                     *       "updated_at": "2026-01-31T09:30:00.000Z",
                     *       "created_by_client_id": "acme-backend",
                     *       "history": [
                     *         {
                     *           "at": "2026-01-31T09:30:00.000Z",
                     *           "source": "PLATFORM",
                     *           "status": "ACCEPTED",
                     *           "adapter_status": "PENDING",
                     *           "device_execution_status": "NOT_STARTED",
                     *           "reason": null
                     *         }
                     *       ],
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-2e3f4a5b6c7d"
                     *     }
                     */
                    "application/json": components["schemas"]["Command"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "commands.cancel": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The command (UUID version 7). */
                command_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["CommandCancel"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "command_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d",
                     *       "vendor": "vendor_a",
                     *       "device_id": "ok-1",
                     *       "command_type": "reboot",
                     *       "payload": {},
                     *       "idempotency_key": "reboot-ok-1-2026-01-31",
                     *       "timeout_seconds": 30,
                     *       "status": "ACCEPTED",
                     *       "adapter_status": "PENDING",
                     *       "device_execution_status": "NOT_STARTED",
                     *       "public_status": "PENDING",
                     *       "status_reason": null,
                     *       "result": null,
                     *       "late_result": null,
                     *       "accepted_at": "2026-01-31T09:30:00.000Z",
                     *       "dispatched_at": null,
                     *       "deadline_at": "2026-01-31T09:30:30.000Z",
                     *       "completed_at": null,
                     *       "updated_at": "2026-01-31T09:30:00.000Z",
                     *       "created_by_client_id": "acme-backend",
                     *       "history": [
                     *         {
                     *           "at": "2026-01-31T09:30:00.000Z",
                     *           "source": "PLATFORM",
                     *           "status": "ACCEPTED",
                     *           "adapter_status": "PENDING",
                     *           "device_execution_status": "NOT_STARTED",
                     *           "reason": null
                     *         }
                     *       ],
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-2e3f4a5b6c7d"
                     *     }
                     */
                    "application/json": components["schemas"]["Command"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "deviceRequests.list": {
        parameters: {
            query?: {
                /** @description The most items to return: 1 to 500. */
                limit?: number;
                /** @description `next_cursor` of the previous page, with the same filters. Opaque. */
                cursor?: string;
                /** @description Only requests of this status. */
                status?: "PENDING" | "REPLIED" | "EXPIRED";
                /** @description Only requests from devices of this vendor. */
                vendor?: string;
                /** @description Only requests of this device. */
                device_id?: string;
                /** @description Only requests of this type. */
                request_type?: string;
                /** @description Only requests received at this time or later. */
                received_after?: string;
                /** @description Only requests received before this time. */
                received_before?: string;
                /** @description Wait up to so many seconds, 0 to 30, for something to happen; 0 by default answers at once. */
                wait_seconds?: number;
            };
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "device_request_id": "019bd3a4-5c4e-7e99-8cc8-e18293a4b5c6",
                     *           "vendor": "vendor_a",
                     *           "device_id": "ok-1",
                     *           "request_type": "firmware_check",
                     *           "payload": {
                     *             "version": "2.4.0"
                     *           },
                     *           "status": "PENDING",
                     *           "received_at": "2026-01-31T09:30:00.000Z",
                     *           "expires_at": "2026-01-31T09:35:00.000Z",
                     *           "reply": null,
                     *           "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *         }
                     *       ],
                     *       "next_cursor": null,
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["DeviceRequestPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "deviceRequests.get": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The request of the device (UUID version 7). In bodies it is device_request_id, for request_id is the correlation id. */
                request_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "device_request_id": "019bd3a4-5c4e-7e99-8cc8-e18293a4b5c6",
                     *       "vendor": "vendor_a",
                     *       "device_id": "ok-1",
                     *       "request_type": "firmware_check",
                     *       "payload": {
                     *         "version": "2.4.0"
                     *       },
                     *       "status": "PENDING",
                     *       "received_at": "2026-01-31T09:30:00.000Z",
                     *       "expires_at": "2026-01-31T09:35:00.000Z",
                     *       "reply": null,
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["DeviceRequest"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "deviceRequests.reply": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The request of the device (UUID version 7). In bodies it is device_request_id, for request_id is the correlation id. */
                request_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "outcome": "SUCCESS",
                 *       "payload": {
                 *         "version": "2.4.1"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["DeviceRequestReply"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "device_request_id": "019bd3a4-5c4e-7e99-8cc8-e18293a4b5c6",
                     *       "vendor": "vendor_a",
                     *       "device_id": "ok-1",
                     *       "request_type": "firmware_check",
                     *       "payload": {
                     *         "version": "2.4.0"
                     *       },
                     *       "status": "PENDING",
                     *       "received_at": "2026-01-31T09:30:00.000Z",
                     *       "expires_at": "2026-01-31T09:35:00.000Z",
                     *       "reply": null,
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["DeviceRequest"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "events.list": {
        parameters: {
            query?: {
                /** @description The most items to return: 1 to 500. */
                limit?: number;
                /** @description `next_cursor` of the previous page, with the same filters. Opaque. */
                cursor?: string;
                /** @description Only events of this type. */
                event_type?: "command.accepted" | "command.completed";
                /** @description Only events of this command. */
                command_id?: string;
                /** @description Wait up to so many seconds, 0 to 30, for something to happen; 0 by default answers at once. */
                wait_seconds?: number;
            };
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "event_id": "019bd3a4-5c4e-7cc1-9d51-3f4a5b6c7d8e",
                     *           "event_type": "command.accepted",
                     *           "schema_version": 1,
                     *           "tenant_id": "acme",
                     *           "occurred_at": "2026-01-31T09:30:00.000Z",
                     *           "request": {
                     *             "request_id": "019bd3a4-5c4e-7cc1-9d51-2e3f4a5b6c7d",
                     *             "client_id": "acme-backend",
                     *             "idempotency_key": "reboot-ok-1-2026-01-31"
                     *           },
                     *           "data": {
                     *             "command_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d",
                     *             "vendor": "vendor_a",
                     *             "device_id": "ok-1",
                     *             "command_type": "reboot",
                     *             "status": "ACCEPTED",
                     *             "adapter_status": "PENDING",
                     *             "device_execution_status": "NOT_STARTED",
                     *             "public_status": "PENDING",
                     *             "status_reason": null,
                     *             "result": null,
                     *             "accepted_at": "2026-01-31T09:30:00.000Z",
                     *             "completed_at": null
                     *           }
                     *         }
                     *       ],
                     *       "next_cursor": "WyJ2YmxjIiwiMTIzIl0",
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["EventPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "catalog.get": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "vendors": [
                     *         {
                     *           "vendor": "vendor_a",
                     *           "command_types": [
                     *             {
                     *               "command_type": "reboot",
                     *               "description": "Restarts the device.",
                     *               "payload_schema": {
                     *                 "type": "object",
                     *                 "additionalProperties": false
                     *               }
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["Catalog"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "objects.presign": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "operation": "UPLOAD",
                 *       "resource_id": "019bd3a4-5c4e-7a55-9e84-ad4e5f607182",
                 *       "object_key": "pump-7/2.4.1.bin",
                 *       "content_type": "application/octet-stream",
                 *       "content_length": 1048576
                 *     }
                 */
                "application/json": components["schemas"]["PresignRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "presign_id": "019bd3a4-5c4e-7b66-8f95-be5f60718293",
                     *       "operation": "UPLOAD",
                     *       "method": "PUT",
                     *       "url": "https://objects.example.com/acme-firmware/firmware/pump-7/2.4.1.bin?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=900&X-Amz-Signature=f28b9007f866c900484b0a6f0ee87497aa3958adf57670f7d57058ecdafbdc71",
                     *       "headers": {
                     *         "Content-Type": "application/octet-stream",
                     *         "Content-Length": "1048576"
                     *       },
                     *       "resource_id": "019bd3a4-5c4e-7a55-9e84-ad4e5f607182",
                     *       "object_key": "pump-7/2.4.1.bin",
                     *       "expires_at": "2026-01-31T09:45:00.000Z",
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["PresignedRequest"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "objectCredentials.list": {
        parameters: {
            query?: {
                /** @description The most items to return: 1 to 500. */
                limit?: number;
                /** @description `next_cursor` of the previous page, with the same filters. Opaque. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "credential_id": "019bd3a4-5c4e-7f44-8d73-9c3d4e5f6071",
                     *           "name": "Firmware store",
                     *           "provider": "minio",
                     *           "endpoint": "https://objects.example.com",
                     *           "region": "us-east-1",
                     *           "force_path_style": true,
                     *           "access_key_id": "ACMEFIRMWARE",
                     *           "secret_version": 1,
                     *           "status": "ACTIVE",
                     *           "created_at": "2026-01-31T09:30:00.000Z",
                     *           "updated_at": "2026-01-31T09:30:00.000Z",
                     *           "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *         }
                     *       ],
                     *       "next_cursor": null,
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["ObjectCredentialPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "objectCredentials.create": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Firmware store",
                 *       "provider": "minio",
                 *       "endpoint": "https://objects.example.com",
                 *       "region": "us-east-1",
                 *       "force_path_style": true,
                 *       "access_key_id": "ACMEFIRMWARE",
                 *       "secret_access_key": "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY"
                 *     }
                 */
                "application/json": components["schemas"]["ObjectCredentialCreate"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "credential_id": "019bd3a4-5c4e-7f44-8d73-9c3d4e5f6071",
                     *       "name": "Firmware store",
                     *       "provider": "minio",
                     *       "endpoint": "https://objects.example.com",
                     *       "region": "us-east-1",
                     *       "force_path_style": true,
                     *       "access_key_id": "ACMEFIRMWARE",
                     *       "secret_version": 1,
                     *       "status": "ACTIVE",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "updated_at": "2026-01-31T09:30:00.000Z",
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["ObjectCredential"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "objectCredentials.update": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The object credential: a UUID made by the platform. */
                credential_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "DISABLED"
                 *     }
                 */
                "application/json": components["schemas"]["ObjectCredentialUpdate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "credential_id": "019bd3a4-5c4e-7f44-8d73-9c3d4e5f6071",
                     *       "name": "Firmware store",
                     *       "provider": "minio",
                     *       "endpoint": "https://objects.example.com",
                     *       "region": "us-east-1",
                     *       "force_path_style": true,
                     *       "access_key_id": "ACMEFIRMWARE",
                     *       "secret_version": 1,
                     *       "status": "ACTIVE",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "updated_at": "2026-01-31T09:30:00.000Z",
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["ObjectCredential"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "objectResources.list": {
        parameters: {
            query?: {
                /** @description The most items to return: 1 to 500. */
                limit?: number;
                /** @description `next_cursor` of the previous page, with the same filters. Opaque. */
                cursor?: string;
                /** @description Only resources of this object credential. */
                credential_id?: string;
            };
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "resource_id": "019bd3a4-5c4e-7a55-9e84-ad4e5f607182",
                     *           "name": "Firmware images",
                     *           "credential_id": "019bd3a4-5c4e-7f44-8d73-9c3d4e5f6071",
                     *           "bucket": "acme-firmware",
                     *           "allowed_operations": [
                     *             "UPLOAD",
                     *             "DOWNLOAD"
                     *           ],
                     *           "key_prefix": "firmware/",
                     *           "allowed_content_types": [
                     *             "application/octet-stream"
                     *           ],
                     *           "max_object_bytes": 104857600,
                     *           "max_expires_in_seconds": 3600,
                     *           "status": "ACTIVE",
                     *           "created_at": "2026-01-31T09:30:00.000Z",
                     *           "updated_at": "2026-01-31T09:30:00.000Z",
                     *           "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *         }
                     *       ],
                     *       "next_cursor": null,
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["ObjectResourcePage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "objectResources.create": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Firmware images",
                 *       "credential_id": "019bd3a4-5c4e-7f44-8d73-9c3d4e5f6071",
                 *       "bucket": "acme-firmware",
                 *       "allowed_operations": [
                 *         "UPLOAD",
                 *         "DOWNLOAD"
                 *       ],
                 *       "key_prefix": "firmware/",
                 *       "allowed_content_types": [
                 *         "application/octet-stream"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ObjectResourceCreate"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resource_id": "019bd3a4-5c4e-7a55-9e84-ad4e5f607182",
                     *       "name": "Firmware images",
                     *       "credential_id": "019bd3a4-5c4e-7f44-8d73-9c3d4e5f6071",
                     *       "bucket": "acme-firmware",
                     *       "allowed_operations": [
                     *         "UPLOAD",
                     *         "DOWNLOAD"
                     *       ],
                     *       "key_prefix": "firmware/",
                     *       "allowed_content_types": [
                     *         "application/octet-stream"
                     *       ],
                     *       "max_object_bytes": 104857600,
                     *       "max_expires_in_seconds": 3600,
                     *       "status": "ACTIVE",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "updated_at": "2026-01-31T09:30:00.000Z",
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["ObjectResource"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "objectResources.update": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The object resource: a UUID made by the platform. */
                resource_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "max_expires_in_seconds": 900
                 *     }
                 */
                "application/json": components["schemas"]["ObjectResourceUpdate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resource_id": "019bd3a4-5c4e-7a55-9e84-ad4e5f607182",
                     *       "name": "Firmware images",
                     *       "credential_id": "019bd3a4-5c4e-7f44-8d73-9c3d4e5f6071",
                     *       "bucket": "acme-firmware",
                     *       "allowed_operations": [
                     *         "UPLOAD",
                     *         "DOWNLOAD"
                     *       ],
                     *       "key_prefix": "firmware/",
                     *       "allowed_content_types": [
                     *         "application/octet-stream"
                     *       ],
                     *       "max_object_bytes": 104857600,
                     *       "max_expires_in_seconds": 3600,
                     *       "status": "ACTIVE",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "updated_at": "2026-01-31T09:30:00.000Z",
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["ObjectResource"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "callbackEndpoints.list": {
        parameters: {
            query?: {
                /** @description The most items to return: 1 to 500. */
                limit?: number;
                /** @description `next_cursor` of the previous page, with the same filters. Opaque. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "endpoint_id": "019bd3a4-5c4e-7c77-8aa6-cf6071829304",
                     *           "name": "Order system",
                     *           "url": "https://hooks.acme.example/top",
                     *           "status": "ACTIVE",
                     *           "timeout_seconds": 15,
                     *           "max_attempts": 10,
                     *           "secret_version": 1,
                     *           "previous_secret_expires_at": null,
                     *           "created_at": "2026-01-31T09:30:00.000Z",
                     *           "updated_at": "2026-01-31T09:30:00.000Z",
                     *           "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *         }
                     *       ],
                     *       "next_cursor": null,
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["CallbackEndpointPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "callbackEndpoints.create": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Order system",
                 *       "url": "https://hooks.acme.example/top"
                 *     }
                 */
                "application/json": components["schemas"]["CallbackEndpointCreate"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "endpoint_id": "019bd3a4-5c4e-7c77-8aa6-cf6071829304",
                     *       "name": "Order system",
                     *       "url": "https://hooks.acme.example/top",
                     *       "status": "ACTIVE",
                     *       "timeout_seconds": 15,
                     *       "max_attempts": 10,
                     *       "secret_version": 1,
                     *       "previous_secret_expires_at": null,
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "updated_at": "2026-01-31T09:30:00.000Z",
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d",
                     *       "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDSkAHDm4wYd4="
                     *     }
                     */
                    "application/json": components["schemas"]["CallbackEndpointWithSecret"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "callbackEndpoints.get": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The callback endpoint: a UUID made by the platform. */
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "endpoint_id": "019bd3a4-5c4e-7c77-8aa6-cf6071829304",
                     *       "name": "Order system",
                     *       "url": "https://hooks.acme.example/top",
                     *       "status": "ACTIVE",
                     *       "timeout_seconds": 15,
                     *       "max_attempts": 10,
                     *       "secret_version": 1,
                     *       "previous_secret_expires_at": null,
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "updated_at": "2026-01-31T09:30:00.000Z",
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["CallbackEndpoint"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "callbackEndpoints.update": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The callback endpoint: a UUID made by the platform. */
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "DISABLED"
                 *     }
                 */
                "application/json": components["schemas"]["CallbackEndpointUpdate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "endpoint_id": "019bd3a4-5c4e-7c77-8aa6-cf6071829304",
                     *       "name": "Order system",
                     *       "url": "https://hooks.acme.example/top",
                     *       "status": "DISABLED",
                     *       "timeout_seconds": 15,
                     *       "max_attempts": 10,
                     *       "secret_version": 1,
                     *       "previous_secret_expires_at": null,
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "updated_at": "2026-01-31T09:30:00.000Z",
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["CallbackEndpointUpdated"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "callbackSubscriptions.list": {
        parameters: {
            query?: {
                /** @description The most items to return: 1 to 500. */
                limit?: number;
                /** @description `next_cursor` of the previous page, with the same filters. Opaque. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The callback endpoint: a UUID made by the platform. */
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "subscription_id": "019bd3a4-5c4e-7d88-9bb7-d07182930415",
                     *           "endpoint_id": "019bd3a4-5c4e-7c77-8aa6-cf6071829304",
                     *           "event_type": "command.completed",
                     *           "status": "ACTIVE",
                     *           "created_at": "2026-01-31T09:30:00.000Z",
                     *           "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *         }
                     *       ],
                     *       "next_cursor": null,
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["CallbackSubscriptionPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "callbackSubscriptions.create": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The callback endpoint: a UUID made by the platform. */
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event_type": "command.completed"
                 *     }
                 */
                "application/json": components["schemas"]["CallbackSubscriptionCreate"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subscription_id": "019bd3a4-5c4e-7d88-9bb7-d07182930415",
                     *       "endpoint_id": "019bd3a4-5c4e-7c77-8aa6-cf6071829304",
                     *       "event_type": "command.completed",
                     *       "status": "ACTIVE",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["CallbackSubscription"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "callbackSubscriptions.delete": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The callback endpoint: a UUID made by the platform. */
                endpoint_id: string;
                /** @description The subscription: a UUID made by the platform. */
                subscription_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subscription_id": "019bd3a4-5c4e-7d88-9bb7-d07182930415",
                     *       "deleted": true,
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["CallbackSubscriptionDeleted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "me.get": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tenant_id": "acme",
                     *       "client_id": "acme-backend",
                     *       "name": "Acme backend",
                     *       "roles": [
                     *         "integration_reader"
                     *       ],
                     *       "scopes": [
                     *         "open:command:read",
                     *         "open:device-request:read",
                     *         "open:event:read",
                     *         "open:catalog:read"
                     *       ],
                     *       "allowed_clock_skew_seconds": 300,
                     *       "replay_window_seconds": 300,
                     *       "expires_at": null,
                     *       "limits": {
                     *         "body_bytes": 65536,
                     *         "payload_bytes": 32768,
                     *         "requests_per_minute": 6000
                     *       },
                     *       "server_time": "2026-01-31T09:30:00.000Z",
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["Me"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "tenants.list": {
        parameters: {
            query?: {
                /** @description The most items to return: 1 to 500. */
                limit?: number;
                /** @description `next_cursor` of the previous page, with the same filters. Opaque. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "tenant_id": "acme",
                     *           "name": "Acme Fleet",
                     *           "status": "ACTIVE",
                     *           "created_at": "2026-01-31T09:30:00.000Z",
                     *           "updated_at": "2026-01-31T09:30:00.000Z",
                     *           "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *         }
                     *       ],
                     *       "next_cursor": null,
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["TenantPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "tenants.create": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tenant_id": "acme",
                 *       "name": "Acme Fleet"
                 *     }
                 */
                "application/json": components["schemas"]["TenantCreate"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tenant_id": "acme",
                     *       "name": "Acme Fleet",
                     *       "status": "ACTIVE",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "updated_at": "2026-01-31T09:30:00.000Z",
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["Tenant"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "tenants.get": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The tenant, the boundary of data isolation. */
                tenant_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tenant_id": "acme",
                     *       "name": "Acme Fleet",
                     *       "status": "ACTIVE",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "updated_at": "2026-01-31T09:30:00.000Z",
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["Tenant"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "tenants.update": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The tenant, the boundary of data isolation. */
                tenant_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme Fleet Europe"
                 *     }
                 */
                "application/json": components["schemas"]["TenantUpdate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tenant_id": "acme",
                     *       "name": "Acme Fleet",
                     *       "status": "ACTIVE",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "updated_at": "2026-01-31T09:30:00.000Z",
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["Tenant"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "credentials.list": {
        parameters: {
            query?: {
                /** @description The most items to return: 1 to 500. */
                limit?: number;
                /** @description `next_cursor` of the previous page, with the same filters. Opaque. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The tenant, the boundary of data isolation. */
                tenant_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "client_id": "acme-backend",
                     *         "tenant_id": "acme",
                     *         "name": "Acme backend",
                     *         "status": "ACTIVE",
                     *         "allowed_clock_skew_seconds": 300,
                     *         "replay_window_seconds": 300,
                     *         "secret_version": 1,
                     *         "previous_secret_expires_at": null,
                     *         "expires_at": null,
                     *         "created_at": "2026-01-31T09:30:00.000Z",
                     *         "updated_at": "2026-01-31T09:30:00.000Z",
                     *         "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["CredentialList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "credentials.create": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The tenant, the boundary of data isolation. */
                tenant_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "client_id": "acme-backend",
                 *       "name": "Acme backend"
                 *     }
                 */
                "application/json": components["schemas"]["CredentialCreate"];
            };
        };
        responses: {
            /** @description The secret was rotated. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "client_id": "acme-backend",
                     *       "tenant_id": "acme",
                     *       "name": "Acme backend",
                     *       "status": "ACTIVE",
                     *       "allowed_clock_skew_seconds": 300,
                     *       "replay_window_seconds": 300,
                     *       "secret_version": 1,
                     *       "previous_secret_expires_at": null,
                     *       "expires_at": null,
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "updated_at": "2026-01-31T09:30:00.000Z",
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d",
                     *       "secret": "osk_3nTQ8ZkWb1xYv5RcJd0LmPf7GhUe2SaKo9BiNqXtE4w3go6Vf"
                     *     }
                     */
                    "application/json": components["schemas"]["CredentialWithSecret"];
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "client_id": "acme-backend",
                     *       "tenant_id": "acme",
                     *       "name": "Acme backend",
                     *       "status": "ACTIVE",
                     *       "allowed_clock_skew_seconds": 300,
                     *       "replay_window_seconds": 300,
                     *       "secret_version": 1,
                     *       "previous_secret_expires_at": null,
                     *       "expires_at": null,
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "updated_at": "2026-01-31T09:30:00.000Z",
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d",
                     *       "secret": "osk_3nTQ8ZkWb1xYv5RcJd0LmPf7GhUe2SaKo9BiNqXtE4w3go6Vf"
                     *     }
                     */
                    "application/json": components["schemas"]["CredentialWithSecret"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "credentials.get": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The tenant, the boundary of data isolation. */
                tenant_id: string;
                /** @description The credential id, unique on the whole platform; the value of X-Api-Id. */
                client_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "client_id": "acme-backend",
                     *       "tenant_id": "acme",
                     *       "name": "Acme backend",
                     *       "status": "ACTIVE",
                     *       "allowed_clock_skew_seconds": 300,
                     *       "replay_window_seconds": 300,
                     *       "secret_version": 1,
                     *       "previous_secret_expires_at": null,
                     *       "expires_at": null,
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "updated_at": "2026-01-31T09:30:00.000Z",
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["Credential"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "credentials.update": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The tenant, the boundary of data isolation. */
                tenant_id: string;
                /** @description The credential id, unique on the whole platform; the value of X-Api-Id. */
                client_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "DISABLED"
                 *     }
                 */
                "application/json": components["schemas"]["CredentialUpdate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "client_id": "acme-backend",
                     *       "tenant_id": "acme",
                     *       "name": "Acme backend",
                     *       "status": "DISABLED",
                     *       "allowed_clock_skew_seconds": 300,
                     *       "replay_window_seconds": 300,
                     *       "secret_version": 1,
                     *       "previous_secret_expires_at": null,
                     *       "expires_at": null,
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "updated_at": "2026-01-31T10:00:00.000Z",
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["CredentialUpdated"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "roles.list": {
        parameters: {
            query?: {
                /** @description The most items to return: 1 to 500. */
                limit?: number;
                /** @description `next_cursor` of the previous page, with the same filters. Opaque. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The tenant, the boundary of data isolation. */
                tenant_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "role": "integration_reader",
                     *           "scopes": [
                     *             "open:command:read",
                     *             "open:device-request:read",
                     *             "open:event:read",
                     *             "open:catalog:read"
                     *           ],
                     *           "built_in": true,
                     *           "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *         }
                     *       ],
                     *       "next_cursor": null,
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["RolePage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "roles.put": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The tenant, the boundary of data isolation. */
                tenant_id: string;
                /** @description The name of a role, for example `tenant_admin`. */
                role: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "scopes": [
                 *         "open:device-request:read",
                 *         "open:device-request:create"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["RolePut"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "role": "integration_reader",
                     *       "scopes": [
                     *         "open:command:read",
                     *         "open:device-request:read",
                     *         "open:event:read",
                     *         "open:catalog:read"
                     *       ],
                     *       "built_in": true,
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["Role"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "roles.delete": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The tenant, the boundary of data isolation. */
                tenant_id: string;
                /** @description The name of a role, for example `tenant_admin`. */
                role: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "role": "replier",
                     *       "deleted": true,
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["RoleDeleted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "roleBindings.list": {
        parameters: {
            query?: {
                /** @description The most items to return: 1 to 500. */
                limit?: number;
                /** @description `next_cursor` of the previous page, with the same filters. Opaque. */
                cursor?: string;
                /** @description Only bindings of this client. */
                client_id?: string;
            };
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The tenant, the boundary of data isolation. */
                tenant_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "client_id": "acme-backend",
                     *           "role": "integration_operator",
                     *           "created_at": "2026-01-31T09:30:00.000Z",
                     *           "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *         }
                     *       ],
                     *       "next_cursor": null,
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["RoleBindingPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "roleBindings.create": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The tenant, the boundary of data isolation. */
                tenant_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "client_id": "acme-backend",
                 *       "role": "integration_operator"
                 *     }
                 */
                "application/json": components["schemas"]["RoleBindingCreate"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "client_id": "acme-backend",
                     *       "role": "integration_operator",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["RoleBinding"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "roleBindings.delete": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The tenant, the boundary of data isolation. */
                tenant_id: string;
                /** @description The credential id, unique on the whole platform; the value of X-Api-Id. */
                client_id: string;
                /** @description The name of a role, for example `tenant_admin`. */
                role: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "client_id": "acme-backend",
                     *       "role": "integration_operator",
                     *       "deleted": true,
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["RoleBindingDeleted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "policies.list": {
        parameters: {
            query?: {
                /** @description The most items to return: 1 to 500. */
                limit?: number;
                /** @description `next_cursor` of the previous page, with the same filters. Opaque. */
                cursor?: string;
                /** @description Only policies of this client. */
                client_id?: string;
            };
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The tenant, the boundary of data isolation. */
                tenant_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "policy_id": "019bd3a4-5c4e-7b11-8a40-6f0e5d4c3b2a",
                     *           "client_id": "acme-backend",
                     *           "scope": "open:device-request:create",
                     *           "created_at": "2026-01-31T09:30:00.000Z",
                     *           "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *         }
                     *       ],
                     *       "next_cursor": null,
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["PolicyPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "policies.create": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The tenant, the boundary of data isolation. */
                tenant_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "client_id": "acme-backend",
                 *       "scope": "open:device-request:create"
                 *     }
                 */
                "application/json": components["schemas"]["PolicyCreate"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "policy_id": "019bd3a4-5c4e-7b11-8a40-6f0e5d4c3b2a",
                     *       "client_id": "acme-backend",
                     *       "scope": "open:device-request:create",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["Policy"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "policies.delete": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The tenant, the boundary of data isolation. */
                tenant_id: string;
                /** @description The policy: a UUID made by the platform. */
                policy_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "policy_id": "019bd3a4-5c4e-7b11-8a40-6f0e5d4c3b2a",
                     *       "deleted": true,
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["PolicyDeleted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "busPrincipals.list": {
        parameters: {
            query?: {
                /** @description The most items to return: 1 to 500. */
                limit?: number;
                /** @description `next_cursor` of the previous page, with the same filters. Opaque. */
                cursor?: string;
                /** @description Only principals of this client. */
                client_id?: string;
                /** @description Only principals of this status. */
                status?: "ACTIVE" | "DISABLED" | "DELETED";
            };
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The tenant, the boundary of data isolation. */
                tenant_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "principal_id": "019bd3a4-5c4e-7d22-9b51-7a1b2c3d4e5f",
                     *           "tenant_id": "acme",
                     *           "bus_user": "acme-adapter",
                     *           "bus_account_public_key": "ADYSJFV2GIA47RD3QP5QPMPDBGTUNARA42G6M6DGTYBBFEGVEBYWQTGS",
                     *           "bus_user_public_key": "UBFACL7G5BDSX62SOYKJPYURQNEOUHCZDGYBKYHS6DHEMDZU3YONWOHX",
                     *           "principal_type": "SERVICE",
                     *           "client_id": null,
                     *           "service_name": "acme-adapter",
                     *           "status": "ACTIVE",
                     *           "expires_at": null,
                     *           "created_at": "2026-01-31T09:30:00.000Z",
                     *           "updated_at": "2026-01-31T09:30:00.000Z",
                     *           "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *         }
                     *       ],
                     *       "next_cursor": null,
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["BusPrincipalPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "busPrincipals.create": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The tenant, the boundary of data isolation. */
                tenant_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "bus_user": "acme-adapter",
                 *       "bus_account_public_key": "ADYSJFV2GIA47RD3QP5QPMPDBGTUNARA42G6M6DGTYBBFEGVEBYWQTGS",
                 *       "bus_user_public_key": "UBFACL7G5BDSX62SOYKJPYURQNEOUHCZDGYBKYHS6DHEMDZU3YONWOHX",
                 *       "principal_type": "SERVICE",
                 *       "service_name": "acme-adapter"
                 *     }
                 */
                "application/json": components["schemas"]["BusPrincipalCreate"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "principal_id": "019bd3a4-5c4e-7d22-9b51-7a1b2c3d4e5f",
                     *       "tenant_id": "acme",
                     *       "bus_user": "acme-adapter",
                     *       "bus_account_public_key": "ADYSJFV2GIA47RD3QP5QPMPDBGTUNARA42G6M6DGTYBBFEGVEBYWQTGS",
                     *       "bus_user_public_key": "UBFACL7G5BDSX62SOYKJPYURQNEOUHCZDGYBKYHS6DHEMDZU3YONWOHX",
                     *       "principal_type": "SERVICE",
                     *       "client_id": null,
                     *       "service_name": "acme-adapter",
                     *       "status": "ACTIVE",
                     *       "expires_at": null,
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "updated_at": "2026-01-31T09:30:00.000Z",
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["BusPrincipal"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "busPrincipals.get": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The tenant, the boundary of data isolation. */
                tenant_id: string;
                /** @description The principal: a UUID made by the platform. */
                principal_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "principal_id": "019bd3a4-5c4e-7d22-9b51-7a1b2c3d4e5f",
                     *       "tenant_id": "acme",
                     *       "bus_user": "acme-adapter",
                     *       "bus_account_public_key": "ADYSJFV2GIA47RD3QP5QPMPDBGTUNARA42G6M6DGTYBBFEGVEBYWQTGS",
                     *       "bus_user_public_key": "UBFACL7G5BDSX62SOYKJPYURQNEOUHCZDGYBKYHS6DHEMDZU3YONWOHX",
                     *       "principal_type": "SERVICE",
                     *       "client_id": null,
                     *       "service_name": "acme-adapter",
                     *       "status": "ACTIVE",
                     *       "expires_at": null,
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "updated_at": "2026-01-31T09:30:00.000Z",
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["BusPrincipal"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "busPrincipals.update": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The tenant, the boundary of data isolation. */
                tenant_id: string;
                /** @description The principal: a UUID made by the platform. */
                principal_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "DISABLED"
                 *     }
                 */
                "application/json": components["schemas"]["BusPrincipalUpdate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "principal_id": "019bd3a4-5c4e-7d22-9b51-7a1b2c3d4e5f",
                     *       "tenant_id": "acme",
                     *       "bus_user": "acme-adapter",
                     *       "bus_account_public_key": "ADYSJFV2GIA47RD3QP5QPMPDBGTUNARA42G6M6DGTYBBFEGVEBYWQTGS",
                     *       "bus_user_public_key": "UBFACL7G5BDSX62SOYKJPYURQNEOUHCZDGYBKYHS6DHEMDZU3YONWOHX",
                     *       "principal_type": "SERVICE",
                     *       "client_id": null,
                     *       "service_name": "acme-adapter",
                     *       "status": "ACTIVE",
                     *       "expires_at": null,
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "updated_at": "2026-01-31T09:30:00.000Z",
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["BusPrincipal"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "vendors.list": {
        parameters: {
            query?: {
                /** @description The most items to return: 1 to 500. */
                limit?: number;
                /** @description `next_cursor` of the previous page, with the same filters. Opaque. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "vendor": "vendor_a",
                     *           "enabled": true,
                     *           "created_at": "2026-01-31T09:30:00.000Z",
                     *           "updated_at": "2026-01-31T09:30:00.000Z",
                     *           "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *         }
                     *       ],
                     *       "next_cursor": null,
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["CatalogVendorPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "vendors.put": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description A vendor of the platform catalog, for example `vendor_a`. */
                vendor: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "enabled": true
                 *     }
                 */
                "application/json": components["schemas"]["VendorPut"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "vendor": "vendor_a",
                     *       "enabled": true,
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "updated_at": "2026-01-31T09:30:00.000Z",
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["CatalogVendor"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "commandTypes.list": {
        parameters: {
            query?: {
                /** @description The most items to return: 1 to 500. */
                limit?: number;
                /** @description `next_cursor` of the previous page, with the same filters. Opaque. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description A vendor of the platform catalog, for example `vendor_a`. */
                vendor: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "vendor": "vendor_a",
                     *           "command_type": "set_power",
                     *           "enabled": true,
                     *           "description": "Switches the device on or off.",
                     *           "payload_schema": {
                     *             "type": "object",
                     *             "properties": {
                     *               "power": {
                     *                 "enum": [
                     *                   "on",
                     *                   "off"
                     *                 ]
                     *               }
                     *             },
                     *             "required": [
                     *               "power"
                     *             ],
                     *             "additionalProperties": false
                     *           },
                     *           "revision": 1,
                     *           "created_at": "2026-01-31T09:30:00.000Z",
                     *           "updated_at": "2026-01-31T09:30:00.000Z",
                     *           "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *         }
                     *       ],
                     *       "next_cursor": null,
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["CatalogCommandTypePage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "commandTypes.put": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description A vendor of the platform catalog, for example `vendor_a`. */
                vendor: string;
                /** @description A command type of the vendor's catalog, for example `reboot`. */
                command_type: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": "Switches the device on or off.",
                 *       "payload_schema": {
                 *         "type": "object",
                 *         "properties": {
                 *           "power": {
                 *             "enum": [
                 *               "on",
                 *               "off"
                 *             ]
                 *           }
                 *         },
                 *         "required": [
                 *           "power"
                 *         ],
                 *         "additionalProperties": false
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CommandTypePut"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "vendor": "vendor_a",
                     *       "command_type": "set_power",
                     *       "enabled": true,
                     *       "description": "Switches the device on or off.",
                     *       "payload_schema": {
                     *         "type": "object",
                     *         "properties": {
                     *           "power": {
                     *             "enum": [
                     *               "on",
                     *               "off"
                     *             ]
                     *           }
                     *         },
                     *         "required": [
                     *           "power"
                     *         ],
                     *         "additionalProperties": false
                     *       },
                     *       "revision": 1,
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "updated_at": "2026-01-31T09:30:00.000Z",
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["CatalogCommandType"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "auditEvents.list": {
        parameters: {
            query?: {
                /** @description The most items to return: 1 to 500. */
                limit?: number;
                /** @description `next_cursor` of the previous page, with the same filters. Opaque. */
                cursor?: string;
                /** @description Only what this client asked for. */
                client_id?: string;
                /** @description Only this operation. */
                operation?: string;
                /** @description Only this outcome. */
                outcome?: "DONE" | "DENIED";
                /** @description Only at or after this instant. */
                occurred_after?: string;
                /** @description Only before this instant. */
                occurred_before?: string;
            };
            header?: {
                /**
                 * @description Correlation id of your choice, echoed in the answer. Absent, the platform makes one.
                 * @example order-4711
                 */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /** @description The tenant, the boundary of data isolation. */
                tenant_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "audit_event_id": "019bd3a4-5c4e-7e33-8c62-8b2c3d4e5f60",
                     *           "occurred_at": "2026-01-31T09:30:00.000Z",
                     *           "tenant_id": "acme",
                     *           "client_id": "acme-admin",
                     *           "operation": "credentials.update",
                     *           "target": "platform/tenants/acme/credentials/acme-backend",
                     *           "changes": [
                     *             "status"
                     *           ],
                     *           "outcome": "DONE",
                     *           "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *         }
                     *       ],
                     *       "next_cursor": null,
                     *       "request_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d"
                     *     }
                     */
                    "application/json": components["schemas"]["AuditEventPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "events.command.accepted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event_id": "019bd3a4-5c4e-7cc1-9d51-3f4a5b6c7d8e",
                 *       "event_type": "command.accepted",
                 *       "schema_version": 1,
                 *       "tenant_id": "acme",
                 *       "occurred_at": "2026-01-31T09:30:00.000Z",
                 *       "request": {
                 *         "request_id": "019bd3a4-5c4e-7cc1-9d51-2e3f4a5b6c7d",
                 *         "client_id": "acme-backend",
                 *         "idempotency_key": "reboot-ok-1-2026-01-31"
                 *       },
                 *       "data": {
                 *         "command_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d",
                 *         "vendor": "vendor_a",
                 *         "device_id": "ok-1",
                 *         "command_type": "reboot",
                 *         "status": "ACCEPTED",
                 *         "adapter_status": "PENDING",
                 *         "device_execution_status": "NOT_STARTED",
                 *         "public_status": "PENDING",
                 *         "status_reason": null,
                 *         "result": null,
                 *         "accepted_at": "2026-01-31T09:30:00.000Z",
                 *         "completed_at": null
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Event"];
            };
        };
        responses: {
            /** @description Received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "events.command.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event_id": "019bd3a4-6a1f-7cc1-9d51-4a5b6c7d8e9f",
                 *       "event_type": "command.completed",
                 *       "schema_version": 1,
                 *       "tenant_id": "acme",
                 *       "occurred_at": "2026-01-31T09:30:03.535Z",
                 *       "request": {
                 *         "request_id": "019bd3a4-5c4e-7cc1-9d51-2e3f4a5b6c7d",
                 *         "client_id": "acme-backend",
                 *         "idempotency_key": "reboot-ok-1-2026-01-31"
                 *       },
                 *       "data": {
                 *         "command_id": "019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d",
                 *         "vendor": "vendor_a",
                 *         "device_id": "ok-1",
                 *         "command_type": "reboot",
                 *         "status": "SUCCEEDED",
                 *         "adapter_status": "DELIVERED",
                 *         "device_execution_status": "SUCCEEDED",
                 *         "public_status": "SUCCEEDED",
                 *         "status_reason": null,
                 *         "result": {},
                 *         "accepted_at": "2026-01-31T09:30:00.000Z",
                 *         "completed_at": "2026-01-31T09:30:03.535Z"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Event"];
            };
        };
        responses: {
            /** @description Received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
