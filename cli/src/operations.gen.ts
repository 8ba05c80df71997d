// Generated from contract/openapi.json by `pnpm golden`.
export const resources = {
  "commands": "Commands to devices, and their outcomes.",
  "deviceRequests": "Requests from devices, and the replies to them.",
  "events": "The event log of the tenant's commands.",
  "catalog": "The catalog: vendors and command types that the tenant can use.",
  "me": "The calling credential.",
  "objects": "Presigned URLs for objects in the tenant's own object stores.",
  "objectCredentials": "Object credentials: access keys of the tenant's own S3-compatible stores.",
  "objectResources": "Object resources: parts of buckets, with the rules for presigned URLs.",
  "callbackEndpoints": "Callback endpoints: webhook URLs for events. The platform does not deliver webhooks yet.",
  "callbackSubscriptions": "Callback subscriptions: the event types that an endpoint will receive.",
  "tenants": "Tenants. The data of a tenant is isolated from all other tenants. Platform administrators manage the tenants.",
  "credentials": "Credentials, with which clients sign requests. Each credential belongs to one tenant.",
  "roles": "Roles: named sets of scopes.",
  "roleBindings": "Role bindings: which credential has which role.",
  "policies": "Policies: scopes that are granted directly to a credential, without a role.",
  "access": "Access: which operations a credential can call, and which roles and policies grant the access.",
  "busPrincipals": "Messaging-bus principals: NATS users, identified by a public nkey.",
  "vendors": "Vendors in the platform catalog. Platform administrators manage them.",
  "commandTypes": "Command types that the devices of a vendor support. Platform administrators manage them.",
  "auditEvents": "Audit events: records of administrative changes and of denied requests for changes.",
  "parkedMessages": "Parked messages (dead letters): messages that the platform or the messaging bus refused, each with the reason.",
  "platform": "The state of the whole platform, for its administrators."
} as const;

export const operations = {
  "commands.create": {
    "summary": "Create a command",
    "description": "Stores a command for a device and returns 202. The platform then sends the command to the adapter of the vendor. 202 and ACCEPTED do not mean that the device executed the command. If the tenant already has a command with this idempotency_key, the platform creates no second command. It returns the existing command, with the header Idempotent-Replayed: true. If the body differs from the body of the first request, the header Idempotency-Mismatch lists the fields that differ.",
    "scope": "open:command:create",
    "tenant": "own",
    "isKeyed": false,
    "example": "topctl commands create --vendor vendor_a --device-id ok-1 --command-type reboot --payload '{}' --idempotency-key reboot-ok-1-2026-01-31",
    "path": {},
    "fields": {
      "vendor": {
        "kind": "text",
        "description": "Vendor in the platform catalog, for example `vendor_a`.",
        "isRequired": true
      },
      "device_id": {
        "kind": "text",
        "description": "Id that the vendor uses for the device: 1 to 128 printable characters.",
        "isRequired": true
      },
      "command_type": {
        "kind": "text",
        "description": "Command type of the vendor, for example `reboot`.",
        "isRequired": true
      },
      "payload": {
        "kind": "object",
        "description": "Parameters of the command, valid for the payload schema of the command type. At most 32 KiB as JSON in UTF-8.",
        "isRequired": true
      },
      "idempotency_key": {
        "kind": "text",
        "description": "Identifies the command within the tenant: a second request with the same key returns the existing command. 1 to 128 visible ASCII characters.",
        "isRequired": true
      },
      "timeout_seconds": {
        "kind": "integer",
        "description": "Time limit of the command, counted from accepted_at, in seconds: 1 to 300, 30 by default."
      }
    }
  },
  "commands.list": {
    "summary": "List commands",
    "description": "Lists the commands of the tenant, newest first by default.",
    "scope": "open:command:read",
    "tenant": "own",
    "isKeyed": false,
    "example": "topctl commands list",
    "path": {},
    "fields": {
      "order": {
        "kind": "text",
        "description": "desc: newest first. asc: oldest first. By default desc.",
        "choices": [
          "asc",
          "desc"
        ]
      },
      "status": {
        "kind": "list",
        "description": "Only commands with one of these statuses.",
        "choices": [
          "ACCEPTED",
          "DISPATCHED",
          "SUCCEEDED",
          "FAILED",
          "REJECTED",
          "UNSUPPORTED",
          "TIMED_OUT",
          "EXPIRED",
          "CANCELED"
        ]
      },
      "is_final": {
        "kind": "boolean",
        "description": "true: only commands with a final status. false: only ACCEPTED and DISPATCHED commands."
      },
      "has_late_result": {
        "kind": "boolean",
        "description": "true: only commands with `late_result`: an outcome that came after the final status. false: only commands without one."
      },
      "vendor": {
        "kind": "text",
        "description": "Only commands for this vendor."
      },
      "device_id": {
        "kind": "text",
        "description": "Only commands for this device."
      },
      "command_type": {
        "kind": "text",
        "description": "Only commands of this type."
      },
      "idempotency_key": {
        "kind": "text",
        "description": "Only the command with this idempotency key."
      },
      "batch_id": {
        "kind": "text",
        "description": "Only commands of this batch."
      },
      "created_by_client_id": {
        "kind": "text",
        "description": "Only commands that this credential created."
      },
      "reason": {
        "kind": "text",
        "description": "Only commands with this `code` in status_reason, for example UNREACHABLE. 1 to 128 characters."
      },
      "accepted_after": {
        "kind": "instant",
        "description": "Only commands accepted at or after this time."
      },
      "accepted_before": {
        "kind": "instant",
        "description": "Only commands accepted before this time."
      },
      "completed_after": {
        "kind": "instant",
        "description": "Only commands that ended at or after this time, and were accepted at most 24 hours before it. A command ends within minutes, unless the platform was stopped."
      },
      "completed_before": {
        "kind": "instant",
        "description": "Only commands that ended before this time."
      }
    }
  },
  "commands.createMany": {
    "summary": "Create many commands",
    "description": "Stores up to 500 commands with one request of at most 1 MiB. The platform accepts or refuses each command separately, by the rules of topctl commands create. The items of the response are in the order of the request. A refused command does not affect the other commands. You can use its idempotency_key again. The response is 200 even if every command was refused: check each item. Each command counts as one request towards the quotas. The platform refuses the whole request if it is not valid, for example because a field of one command is missing. Then it stores no command. A repeated request with the same idempotency keys returns the same command ids.",
    "scope": "open:command:create",
    "tenant": "own",
    "isKeyed": false,
    "example": "topctl commands create-many --from commands.ndjson",
    "path": {},
    "fields": {
      "batch_id": {
        "kind": "text",
        "description": "Id of the batch: a UUID of your choice. Send the same id with several requests to make one batch of more than 500 commands. By default, the platform derives the id from the idempotency keys, so a repeated request gets the same id."
      },
      "commands": {
        "kind": "list",
        "description": "1 to 500 commands, each with the fields and rules of topctl commands create.",
        "isRequired": true
      }
    }
  },
  "commands.get": {
    "summary": "Get a command",
    "description": "Returns one command of the tenant, with status, adapter_status, device_execution_status and public_status. With wait_seconds, the platform waits until the status is final. With wait_seconds and seen_updated_at, it waits until updated_at differs from seen_updated_at, or the status is final. After wait_seconds, it returns the command as it is.",
    "scope": "open:command:read",
    "tenant": "own",
    "isKeyed": false,
    "example": "topctl commands get 019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d",
    "path": {
      "command_id": "Id of the command: a UUID version 7."
    },
    "fields": {
      "wait_seconds": {
        "kind": "integer",
        "description": "Long polling: maximum waiting time in seconds, 0 to 30. By default 0: the platform responds immediately."
      },
      "seen_updated_at": {
        "kind": "instant",
        "description": "`updated_at` of the command in the last response that you received. With wait_seconds, the platform waits until `updated_at` has another value."
      }
    }
  },
  "commands.summary": {
    "summary": "Count commands by status",
    "description": "Returns how many commands of a batch or of a time range have each status. With group_by, it also counts them by vendor, adapter status or reason. The 20 most frequent reasons of a response have groups of their own. One request counts at most 10,000 commands, newest first. To count older commands, send `next_older_than` of the response as `older_than`.",
    "scope": "open:command:read",
    "tenant": "own",
    "isKeyed": false,
    "example": "topctl commands summary",
    "path": {},
    "fields": {
      "batch_id": {
        "kind": "text",
        "description": "Only commands of this batch."
      },
      "accepted_after": {
        "kind": "instant",
        "description": "Only commands accepted at or after this time."
      },
      "accepted_before": {
        "kind": "instant",
        "description": "Only commands accepted before this time."
      },
      "older_than": {
        "kind": "text",
        "description": "Only commands that are older than the command with this id. Send `next_older_than` of the previous response with the same filters."
      },
      "group_by": {
        "kind": "list",
        "description": "Count the commands also in `groups`: one group for each combination of these properties.",
        "choices": [
          "vendor",
          "adapter_status",
          "reason"
        ]
      }
    }
  },
  "commands.figures": {
    "summary": "Count ended commands over time",
    "description": "Returns how many commands ended in each minute, hour or day of a time range, by status, and how long they took. A point counts a minute if `completed_after` is at most 3 hours ago, an hour if it is at most 3 days ago, otherwise a day. Figures are deleted after 31 days. With batch_id, the platform reads the commands of the batch: then the length of the range decides.",
    "scope": "open:command:read",
    "tenant": "own",
    "isKeyed": false,
    "example": "topctl commands figures",
    "path": {},
    "fields": {
      "completed_after": {
        "kind": "instant",
        "description": "Only commands that ended at or after this time, rounded down to the interval. By default one hour ago; with batch_id the acceptance of the batch."
      },
      "completed_before": {
        "kind": "instant",
        "description": "Only commands that ended before this time, rounded up to the interval. By default now."
      },
      "vendor": {
        "kind": "text",
        "description": "Only commands for this vendor."
      },
      "batch_id": {
        "kind": "text",
        "description": "Only commands of this batch."
      },
      "group_by": {
        "kind": "text",
        "description": "Count the commands also in `groups`, by this property.",
        "choices": [
          "status",
          "vendor",
          "reason"
        ]
      }
    }
  },
  "commands.cancel": {
    "summary": "Cancel a command",
    "description": "Cancels a command that the platform has not sent to the adapter yet (status ACCEPTED). A command that is already CANCELED is returned unchanged. If the command has another status, the request is refused with COMMAND_NOT_CANCELABLE.",
    "scope": "open:command:cancel",
    "tenant": "own",
    "isKeyed": false,
    "example": "topctl commands cancel 019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d",
    "path": {
      "command_id": "Id of the command: a UUID version 7."
    },
    "fields": {}
  },
  "deviceRequests.list": {
    "summary": "List device requests",
    "description": "Lists the requests from devices of the tenant, newest first by default. With wait_seconds, the platform waits at most that many seconds for a request that matches. Then it returns a page, which can be empty. With order=desc, the platform waits only if you send no cursor. To follow new requests, send order=asc and wait_seconds, and send each next_cursor as cursor. With order=asc, next_cursor is never null.",
    "scope": "open:device-request:read",
    "tenant": "own",
    "isKeyed": false,
    "example": "topctl device-requests list",
    "path": {},
    "fields": {
      "order": {
        "kind": "text",
        "description": "desc: newest first. asc: oldest first; use it to follow new requests. By default desc.",
        "choices": [
          "asc",
          "desc"
        ]
      },
      "status": {
        "kind": "text",
        "description": "Only requests with this status.",
        "choices": [
          "PENDING",
          "REPLIED",
          "EXPIRED"
        ]
      },
      "vendor": {
        "kind": "text",
        "description": "Only requests from devices of this vendor."
      },
      "device_id": {
        "kind": "text",
        "description": "Only requests from this device."
      },
      "request_type": {
        "kind": "text",
        "description": "Only requests of this type."
      },
      "received_after": {
        "kind": "instant",
        "description": "Only requests received at or after this time."
      },
      "received_before": {
        "kind": "instant",
        "description": "Only requests received before this time."
      },
      "changed_after": {
        "kind": "instant",
        "description": "Only requests that were received or replied to at or after this time. With wait_seconds and no cursor, the platform waits for the next request or the next reply. A page after a cursor does not have the requests before the cursor, even if they get a reply. To follow replies, send a later changed_after instead of a cursor."
      },
      "wait_seconds": {
        "kind": "integer",
        "description": "Long polling: maximum waiting time in seconds, 0 to 30. By default 0: the platform responds immediately."
      }
    }
  },
  "deviceRequests.get": {
    "summary": "Get a device request",
    "description": "Returns one device request and its reply. The path parameter request_id is the device_request_id, not the correlation id.",
    "scope": "open:device-request:read",
    "tenant": "own",
    "isKeyed": false,
    "example": "topctl device-requests get 019bd3a4-5c4e-7e99-8cc8-e18293a4b5c6",
    "path": {
      "request_id": "Id of the device request: a UUID version 7. In responses, the field `device_request_id` has this id. The field `request_id` has the correlation id."
    },
    "fields": {}
  },
  "deviceRequests.reply": {
    "summary": "Reply to a device request",
    "description": "Sends the reply to a device request. The platform accepts only the first reply. 200 means that the reply is stored: the platform sends it to the adapter, but not after `expires_at`. If you send the same reply again, the platform returns the same response. It refuses a different reply with DEVICE_REQUEST_ALREADY_REPLIED. No built-in role has the scope `open:device-request:create`. Grant it with a custom role or a policy.",
    "scope": "open:device-request:create",
    "tenant": "own",
    "isKeyed": false,
    "example": "topctl device-requests reply 019bd3a4-5c4e-7e99-8cc8-e18293a4b5c6 --outcome SUCCESS --payload '{\"version\":\"2.4.1\"}'",
    "path": {
      "request_id": "Id of the device request: a UUID version 7. In responses, the field `device_request_id` has this id. The field `request_id` has the correlation id."
    },
    "fields": {
      "outcome": {
        "kind": "text",
        "description": "SUCCESS: the request succeeded. ERROR: the request failed; see `error`.",
        "choices": [
          "SUCCESS",
          "ERROR"
        ],
        "isRequired": true
      },
      "payload": {
        "kind": "object",
        "description": "Data for the device. At most 32 KiB as JSON in UTF-8."
      },
      "error": {
        "kind": "object",
        "description": "Error for the device. Allowed only with outcome ERROR."
      }
    }
  },
  "events.list": {
    "summary": "Read the event log",
    "description": "Lists the events of the tenant, oldest first by default. To continue the list, send the cursor of the last item. With wait_seconds, the platform waits at most that many seconds for an event that matches. Then it returns a page, which can be empty. With from=now, the platform immediately returns an empty page. To get only new events, send next_cursor of this page as cursor.",
    "scope": "open:event:read",
    "tenant": "own",
    "isKeyed": false,
    "example": "topctl events list",
    "path": {},
    "fields": {
      "from": {
        "kind": "text",
        "description": "Start of the list, if you send no cursor. Allowed only with order=asc. `now`: after the newest event. An RFC 3339 time: the first event logged at or after it. With order=asc and without `from`, the list starts at the oldest event. Omit `from` when you send a cursor."
      },
      "order": {
        "kind": "text",
        "description": "asc: oldest first. desc: newest first. With desc, wait_seconds has no effect. By default asc.",
        "choices": [
          "asc",
          "desc"
        ]
      },
      "event_type": {
        "kind": "text",
        "description": "Only events of this type.",
        "choices": [
          "command.accepted",
          "command.completed"
        ]
      },
      "command_id": {
        "kind": "text",
        "description": "Only events of this command."
      },
      "occurred_after": {
        "kind": "instant",
        "description": "Only events that occurred at or after this time."
      },
      "occurred_before": {
        "kind": "instant",
        "description": "Only events that occurred before this time."
      },
      "wait_seconds": {
        "kind": "integer",
        "description": "Long polling: maximum waiting time in seconds, 0 to 30. By default 0: the platform responds immediately."
      }
    }
  },
  "catalog.get": {
    "summary": "Get the catalog",
    "description": "Returns the vendors that the tenant can use, with their enabled command types and payload schemas.",
    "scope": "open:catalog:read",
    "tenant": "own",
    "isKeyed": false,
    "example": "topctl catalog get",
    "path": {},
    "fields": {}
  },
  "objects.presign": {
    "summary": "Presign an upload or a download",
    "description": "Checks the request against the rules of the object resource, and returns a presigned URL for one upload or download. Upload or download directly with this URL. No other credentials are needed. The store enforces the method, key, type, size and expiry. The platform records that it issued a URL, but does not store the URL.",
    "scope": "open:object:create",
    "tenant": "own",
    "isKeyed": false,
    "example": "topctl objects presign --operation UPLOAD --resource-id 019bd3a4-5c4e-7a55-9e84-ad4e5f607182 --object-key pump-7/2.4.1.bin --content-type application/octet-stream --content-length 1048576",
    "path": {},
    "fields": {
      "operation": {
        "kind": "text",
        "description": "Operation that the presigned URL allows.",
        "choices": [
          "UPLOAD",
          "DOWNLOAD"
        ],
        "isRequired": true
      },
      "resource_id": {
        "kind": "text",
        "description": "Id of the object resource: a UUID that the platform generates.",
        "isRequired": true
      },
      "object_key": {
        "kind": "text",
        "description": "Key of the object, without the key_prefix of the resource. It must not have a leading slash, a `.` or `..` segment, or a control character. With the prefix, it has at most 1,024 bytes of UTF-8.",
        "isRequired": true
      },
      "expires_in_seconds": {
        "kind": "integer",
        "description": "How long the URL is valid, in seconds: from 1 to max_expires_in_seconds of the resource. The default is 900, or max_expires_in_seconds if that is lower."
      },
      "content_type": {
        "kind": "text",
        "description": "Media type of the object. Required for UPLOAD, not allowed for DOWNLOAD. The signature covers it: the store refuses any other value."
      },
      "content_length": {
        "kind": "integer",
        "description": "Size of the object, in bytes. Required for UPLOAD, not allowed for DOWNLOAD. The signature covers it: the store refuses any other size."
      },
      "checksum_sha256": {
        "kind": "text",
        "description": "SHA-256 of the content, in base64. Optional for UPLOAD, not allowed for DOWNLOAD. The signature covers it. Amazon S3 refuses content with another checksum; other stores may not check it."
      },
      "response_content_disposition": {
        "kind": "text",
        "description": "Content-Disposition header in the response of the store, for example `attachment; filename=\"log.txt\"`. Allowed only for DOWNLOAD."
      }
    }
  },
  "objectCredentials.create": {
    "summary": "Create an object credential",
    "description": "Registers an access key of the tenant's own S3-compatible store. The secret access key is stored encrypted and never returned. By default, a tenant can have 50 object credentials, including DISABLED ones.",
    "scope": "open:object-config:create",
    "tenant": "own",
    "isKeyed": true,
    "example": "topctl object-credentials create --name 'Firmware store' --provider minio --endpoint https://objects.example.com --region us-east-1 --force-path-style true --access-key-id ACMEFIRMWARE --secret-access-key-file secret_access_key.txt",
    "path": {},
    "fields": {
      "name": {
        "kind": "text",
        "description": "Display name: 1 to 128 printable characters.",
        "isRequired": true
      },
      "endpoint": {
        "kind": "text",
        "description": "URL of the S3-compatible store, for example `https://objects.example.com` or `https://objects.example.com:9000`. Without a port, the port is 443. Its path, if the store is behind one, such as `/storage/v1/s3`, does not name the bucket. The URL must not have a query, a fragment or a user name. `http://` is allowed only if the operator has enabled it.",
        "isRequired": true
      },
      "region": {
        "kind": "text",
        "description": "Region for the signature, for example `eu-central-1`. Use `us-east-1` for a store without regions.",
        "isRequired": true
      },
      "access_key_id": {
        "kind": "text",
        "description": "Access key id: the public part of the access key.",
        "isRequired": true
      },
      "secret_access_key": {
        "kind": "text",
        "description": "Secret access key. It is stored encrypted and never returned.",
        "isRequired": true
      },
      "session_token": {
        "kind": "text",
        "description": "Session token of temporary access keys. It is stored encrypted, and returned only as part of presigned URLs.",
        "nullWord": "none"
      },
      "provider": {
        "kind": "text",
        "description": "Display label of the provider, for example `minio`: 1 to 128 printable characters.",
        "nullWord": "none"
      },
      "force_path_style": {
        "kind": "boolean",
        "description": "true: the bucket is in the path (host/bucket/key). By default false: the bucket is in the host name (bucket.host/key)."
      },
      "status": {
        "kind": "text",
        "description": "ACTIVE by default.",
        "choices": [
          "ACTIVE",
          "DISABLED"
        ]
      }
    }
  },
  "objectCredentials.list": {
    "summary": "List object credentials",
    "description": "Lists the object credentials of the tenant without their secrets, newest first.",
    "scope": "open:object-config:read",
    "tenant": "own",
    "isKeyed": false,
    "example": "topctl object-credentials list",
    "path": {},
    "fields": {
      "status": {
        "kind": "list",
        "description": "Only credentials with one of these statuses.",
        "choices": [
          "ACTIVE",
          "DISABLED"
        ]
      }
    }
  },
  "objectCredentials.get": {
    "summary": "Get an object credential",
    "description": "Returns one object credential without its secrets.",
    "scope": "open:object-config:read",
    "tenant": "own",
    "isKeyed": false,
    "example": "topctl object-credentials get 019bd3a4-5c4e-7f44-8d73-9c3d4e5f6071",
    "path": {
      "credential_id": "Id of the object credential: a UUID that the platform generates."
    },
    "fields": {}
  },
  "objectCredentials.update": {
    "summary": "Update or rotate an object credential",
    "description": "Updates only the fields in the body. To rotate the access key, send access_key_id and secret_access_key together. A change applies from the next presign request.",
    "scope": "open:object-config:update",
    "tenant": "own",
    "isKeyed": true,
    "example": "topctl object-credentials update 019bd3a4-5c4e-7f44-8d73-9c3d4e5f6071 --status DISABLED",
    "path": {
      "credential_id": "Id of the object credential: a UUID that the platform generates."
    },
    "fields": {
      "name": {
        "kind": "text",
        "description": "Display name: 1 to 128 printable characters."
      },
      "endpoint": {
        "kind": "text",
        "description": "URL of the S3-compatible store, for example `https://objects.example.com` or `https://objects.example.com:9000`. Without a port, the port is 443. Its path, if the store is behind one, such as `/storage/v1/s3`, does not name the bucket. The URL must not have a query, a fragment or a user name. `http://` is allowed only if the operator has enabled it."
      },
      "region": {
        "kind": "text",
        "description": "Region for the signature, for example `eu-central-1`. Use `us-east-1` for a store without regions."
      },
      "access_key_id": {
        "kind": "text",
        "description": "New access key id. Requires secret_access_key."
      },
      "secret_access_key": {
        "kind": "text",
        "description": "New secret access key. Requires access_key_id."
      },
      "session_token": {
        "kind": "text",
        "description": "Session token of temporary access keys; null removes it. If you send a new access key without session_token, the old token is removed.",
        "nullWord": "none"
      },
      "provider": {
        "kind": "text",
        "description": "Display label of the provider, for example `minio`: 1 to 128 printable characters.",
        "nullWord": "none"
      },
      "force_path_style": {
        "kind": "boolean",
        "description": "true: the bucket is in the path (host/bucket/key). false: the bucket is in the host name (bucket.host/key)."
      },
      "status": {
        "kind": "text",
        "description": "ACTIVE: can be used for presigned URLs. DISABLED: presign requests that use this credential or resource are refused until it is ACTIVE again. URLs issued earlier keep working until they expire.",
        "choices": [
          "ACTIVE",
          "DISABLED"
        ]
      }
    }
  },
  "objectCredentials.delete": {
    "summary": "Delete an object credential",
    "description": "Deletes the object credential and its secrets. The platform refuses the request while an object resource uses the object credential, even if the resource is DISABLED. URLs issued earlier keep working until they expire.",
    "scope": "open:object-config:delete",
    "tenant": "own",
    "isKeyed": false,
    "example": "topctl object-credentials delete 019bd3a4-5c4e-7f44-8d73-9c3d4e5f6071",
    "path": {
      "credential_id": "Id of the object credential: a UUID that the platform generates."
    },
    "fields": {}
  },
  "objectResources.create": {
    "summary": "Create an object resource",
    "description": "Allows presigned access to a part of a bucket. The object resource defines the allowed operations, key prefix, content types, size and lifetime of URLs. By default, a tenant can have 200 object resources, including DISABLED ones.",
    "scope": "open:object-config:create",
    "tenant": "own",
    "isKeyed": true,
    "example": "topctl object-resources create --name 'Firmware images' --credential-id 019bd3a4-5c4e-7f44-8d73-9c3d4e5f6071 --bucket acme-firmware --allowed-operations UPLOAD,DOWNLOAD --key-prefix firmware/ --allowed-content-types application/octet-stream",
    "path": {},
    "fields": {
      "name": {
        "kind": "text",
        "description": "Display name: 1 to 128 printable characters.",
        "isRequired": true
      },
      "credential_id": {
        "kind": "text",
        "description": "Id of the object credential: a UUID that the platform generates.",
        "isRequired": true
      },
      "bucket": {
        "kind": "text",
        "description": "Name of the bucket: 3 to 63 lower-case letters, digits, dots and hyphens.",
        "isRequired": true
      },
      "allowed_operations": {
        "kind": "list",
        "description": "Operations that can be presigned.",
        "choices": [
          "UPLOAD",
          "DOWNLOAD"
        ],
        "isRequired": true
      },
      "key_prefix": {
        "kind": "text",
        "description": "Prefix of every key, for example `firmware/`. The platform appends object_key to it. At most 512 bytes, empty by default."
      },
      "allowed_content_types": {
        "kind": "list",
        "description": "Content types that can be uploaded; null if every type is allowed.",
        "nullWord": "none"
      },
      "max_object_bytes": {
        "kind": "integer",
        "description": "Maximum size of an upload, in bytes: 1 to 5368709120 (5 GiB), 5368709120 by default."
      },
      "max_expires_in_seconds": {
        "kind": "integer",
        "description": "Maximum lifetime of a presigned URL, in seconds: 1 to 604800 (7 days), 3600 by default."
      },
      "status": {
        "kind": "text",
        "description": "ACTIVE by default.",
        "choices": [
          "ACTIVE",
          "DISABLED"
        ]
      }
    }
  },
  "objectResources.list": {
    "summary": "List object resources",
    "description": "Lists the object resources of the tenant, newest first.",
    "scope": "open:object-config:read",
    "tenant": "own",
    "isKeyed": false,
    "example": "topctl object-resources list",
    "path": {},
    "fields": {
      "credential_id": {
        "kind": "text",
        "description": "Only resources of this object credential."
      },
      "status": {
        "kind": "list",
        "description": "Only resources with one of these statuses.",
        "choices": [
          "ACTIVE",
          "DISABLED"
        ]
      }
    }
  },
  "objectResources.get": {
    "summary": "Get an object resource",
    "description": "Returns one object resource.",
    "scope": "open:object-config:read",
    "tenant": "own",
    "isKeyed": false,
    "example": "topctl object-resources get 019bd3a4-5c4e-7a55-9e84-ad4e5f607182",
    "path": {
      "resource_id": "Id of the object resource: a UUID that the platform generates."
    },
    "fields": {}
  },
  "objectResources.update": {
    "summary": "Update an object resource",
    "description": "Updates only the fields in the body. A change applies from the next presign request. URLs issued earlier keep working until they expire.",
    "scope": "open:object-config:update",
    "tenant": "own",
    "isKeyed": false,
    "example": "topctl object-resources update 019bd3a4-5c4e-7a55-9e84-ad4e5f607182 --max-expires-in-seconds 900",
    "path": {
      "resource_id": "Id of the object resource: a UUID that the platform generates."
    },
    "fields": {
      "name": {
        "kind": "text",
        "description": "Display name: 1 to 128 printable characters."
      },
      "credential_id": {
        "kind": "text",
        "description": "Id of the object credential: a UUID that the platform generates."
      },
      "bucket": {
        "kind": "text",
        "description": "Name of the bucket: 3 to 63 lower-case letters, digits, dots and hyphens."
      },
      "allowed_operations": {
        "kind": "list",
        "description": "Operations that can be presigned.",
        "choices": [
          "UPLOAD",
          "DOWNLOAD"
        ]
      },
      "key_prefix": {
        "kind": "text",
        "description": "Prefix of every key, for example `firmware/`. The platform appends object_key to it. At most 512 bytes, empty by default."
      },
      "allowed_content_types": {
        "kind": "list",
        "description": "Content types that can be uploaded; null if every type is allowed.",
        "nullWord": "none"
      },
      "max_object_bytes": {
        "kind": "integer",
        "description": "Maximum size of an upload, in bytes: 1 to 5368709120 (5 GiB), 5368709120 by default."
      },
      "max_expires_in_seconds": {
        "kind": "integer",
        "description": "Maximum lifetime of a presigned URL, in seconds: 1 to 604800 (7 days), 3600 by default."
      },
      "status": {
        "kind": "text",
        "description": "ACTIVE: can be used for presigned URLs. DISABLED: presign requests that use this credential or resource are refused until it is ACTIVE again. URLs issued earlier keep working until they expire.",
        "choices": [
          "ACTIVE",
          "DISABLED"
        ]
      }
    }
  },
  "objectResources.delete": {
    "summary": "Delete an object resource",
    "description": "Deletes the object resource. The platform presigns no more URLs for it. URLs issued earlier keep working until they expire. The objects in the bucket are not deleted.",
    "scope": "open:object-config:delete",
    "tenant": "own",
    "isKeyed": false,
    "example": "topctl object-resources delete 019bd3a4-5c4e-7a55-9e84-ad4e5f607182",
    "path": {
      "resource_id": "Id of the object resource: a UUID that the platform generates."
    },
    "fields": {}
  },
  "callbackEndpoints.create": {
    "summary": "Create a callback endpoint",
    "description": "Stores a webhook URL. The platform does not deliver webhooks yet. The secret for signing webhook deliveries is returned only in this response. By default, a tenant can have 50 callback endpoints, including DISABLED ones.",
    "scope": "open:callback:create",
    "tenant": "own",
    "isKeyed": true,
    "example": "topctl callback-endpoints create --name 'Order system' --url https://hooks.acme.example/top",
    "path": {},
    "fields": {
      "name": {
        "kind": "text",
        "description": "Display name: 1 to 128 printable characters.",
        "isRequired": true
      },
      "url": {
        "kind": "text",
        "description": "HTTPS URL of the webhook. The host must be public; user name and fragment are not allowed. At most 2,048 characters. The platform stores the normalized URL.",
        "isRequired": true
      },
      "status": {
        "kind": "text",
        "description": "ACTIVE by default.",
        "choices": [
          "ACTIVE",
          "DISABLED"
        ]
      },
      "timeout_seconds": {
        "kind": "integer",
        "description": "Timeout of a delivery attempt, in seconds: 1 to 30, 15 by default. It has no effect until webhook delivery is available."
      },
      "max_attempts": {
        "kind": "integer",
        "description": "Maximum number of delivery attempts: 1 to 20, 10 by default. It has no effect until webhook delivery is available."
      }
    }
  },
  "callbackEndpoints.list": {
    "summary": "List callback endpoints",
    "description": "Lists the callback endpoints of the tenant without their secrets, newest first.",
    "scope": "open:callback:read",
    "tenant": "own",
    "isKeyed": false,
    "example": "topctl callback-endpoints list",
    "path": {},
    "fields": {
      "status": {
        "kind": "list",
        "description": "Only endpoints with one of these statuses.",
        "choices": [
          "ACTIVE",
          "DISABLED"
        ]
      }
    }
  },
  "callbackEndpoints.get": {
    "summary": "Get a callback endpoint",
    "description": "Returns one callback endpoint without its secret.",
    "scope": "open:callback:read",
    "tenant": "own",
    "isKeyed": false,
    "example": "topctl callback-endpoints get 019bd3a4-5c4e-7c77-8aa6-cf6071829304",
    "path": {
      "endpoint_id": "Id of the callback endpoint: a UUID that the platform generates."
    },
    "fields": {}
  },
  "callbackEndpoints.update": {
    "summary": "Update a callback endpoint",
    "description": "Updates only the fields in the body. With rotate_secret: true, the platform generates a new secret. The secret is returned only in this response.",
    "scope": "open:callback:update",
    "tenant": "own",
    "isKeyed": true,
    "example": "topctl callback-endpoints update 019bd3a4-5c4e-7c77-8aa6-cf6071829304 --status DISABLED",
    "path": {
      "endpoint_id": "Id of the callback endpoint: a UUID that the platform generates."
    },
    "fields": {
      "name": {
        "kind": "text",
        "description": "Display name: 1 to 128 printable characters."
      },
      "url": {
        "kind": "text",
        "description": "HTTPS URL of the webhook. The host must be public; user name and fragment are not allowed. At most 2,048 characters. The platform stores the normalized URL."
      },
      "status": {
        "kind": "text",
        "description": "ACTIVE: events are delivered. DISABLED: nothing is delivered. The status has no effect until webhook delivery is available.",
        "choices": [
          "ACTIVE",
          "DISABLED"
        ]
      },
      "timeout_seconds": {
        "kind": "integer",
        "description": "Timeout of a delivery attempt, in seconds: 1 to 30, 15 by default. It has no effect until webhook delivery is available."
      },
      "max_attempts": {
        "kind": "integer",
        "description": "Maximum number of delivery attempts: 1 to 20, 10 by default. It has no effect until webhook delivery is available."
      },
      "rotate_secret": {
        "kind": "boolean",
        "description": "If true, the platform generates a new secret and returns it only in the response to this request."
      },
      "previous_secret_ttl_seconds": {
        "kind": "integer",
        "description": "How long the previous secret stays valid after the rotation, in seconds: 0 to 604800 (7 days), 0 by default. Requires rotate_secret: true."
      }
    }
  },
  "callbackEndpoints.delete": {
    "summary": "Delete a callback endpoint",
    "description": "Deletes the callback endpoint, its subscriptions and its secrets.",
    "scope": "open:callback:disable",
    "tenant": "own",
    "isKeyed": false,
    "example": "topctl callback-endpoints delete 019bd3a4-5c4e-7c77-8aa6-cf6071829304",
    "path": {
      "endpoint_id": "Id of the callback endpoint: a UUID that the platform generates."
    },
    "fields": {}
  },
  "callbackSubscriptions.create": {
    "summary": "Create a callback subscription",
    "description": "Subscribes the endpoint to an event type. An endpoint can have one subscription per type.",
    "scope": "open:callback:create",
    "tenant": "own",
    "isKeyed": true,
    "example": "topctl callback-subscriptions create 019bd3a4-5c4e-7c77-8aa6-cf6071829304 --event-type command.completed",
    "path": {
      "endpoint_id": "Id of the callback endpoint: a UUID that the platform generates."
    },
    "fields": {
      "event_type": {
        "kind": "text",
        "description": "command.accepted or command.completed. There is no separate type for failures: the event contains the status.",
        "isRequired": true
      },
      "status": {
        "kind": "text",
        "description": "ACTIVE by default.",
        "choices": [
          "ACTIVE",
          "DISABLED"
        ]
      }
    }
  },
  "callbackSubscriptions.list": {
    "summary": "List callback subscriptions",
    "description": "Lists the subscriptions of the endpoint, newest first.",
    "scope": "open:callback:read",
    "tenant": "own",
    "isKeyed": false,
    "example": "topctl callback-subscriptions list 019bd3a4-5c4e-7c77-8aa6-cf6071829304",
    "path": {
      "endpoint_id": "Id of the callback endpoint: a UUID that the platform generates."
    },
    "fields": {
      "status": {
        "kind": "list",
        "description": "Only subscriptions with one of these statuses.",
        "choices": [
          "ACTIVE",
          "DISABLED"
        ]
      }
    }
  },
  "callbackSubscriptions.update": {
    "summary": "Update a callback subscription",
    "description": "Enables or disables the subscription.",
    "scope": "open:callback:update",
    "tenant": "own",
    "isKeyed": false,
    "example": "topctl callback-subscriptions update 019bd3a4-5c4e-7c77-8aa6-cf6071829304 019bd3a4-5c4e-7d88-9bb7-d07182930415 --status ACTIVE",
    "path": {
      "endpoint_id": "Id of the callback endpoint: a UUID that the platform generates.",
      "subscription_id": "Id of the subscription: a UUID that the platform generates."
    },
    "fields": {
      "status": {
        "kind": "text",
        "description": "ACTIVE: events are delivered. DISABLED: nothing is delivered. The status has no effect until webhook delivery is available.",
        "choices": [
          "ACTIVE",
          "DISABLED"
        ],
        "isRequired": true
      }
    }
  },
  "callbackSubscriptions.delete": {
    "summary": "Delete a callback subscription",
    "description": "Deletes the subscription.",
    "scope": "open:callback:disable",
    "tenant": "own",
    "isKeyed": false,
    "example": "topctl callback-subscriptions delete 019bd3a4-5c4e-7c77-8aa6-cf6071829304 019bd3a4-5c4e-7d88-9bb7-d07182930415",
    "path": {
      "endpoint_id": "Id of the callback endpoint: a UUID that the platform generates.",
      "subscription_id": "Id of the subscription: a UUID that the platform generates."
    },
    "fields": {}
  },
  "me.get": {
    "summary": "Get the calling credential",
    "description": "Returns the calling credential with its roles, scopes and limits. Every valid credential may call this operation.",
    "scope": null,
    "tenant": "own",
    "isKeyed": false,
    "example": "topctl me get",
    "path": {},
    "fields": {}
  },
  "tenants.create": {
    "summary": "Create a tenant",
    "description": "Creates a tenant. Create its first credential with topctl credentials create.",
    "scope": "platform:tenant:create",
    "tenant": "platform",
    "isKeyed": true,
    "example": "topctl tenants create --tenant-id acme --name 'Acme Fleet'",
    "path": {},
    "fields": {
      "tenant_id": {
        "kind": "text",
        "description": "Id of the tenant.",
        "isRequired": true
      },
      "name": {
        "kind": "text",
        "description": "Display name: 1 to 128 printable characters.",
        "isRequired": true
      },
      "status": {
        "kind": "text",
        "description": "ACTIVE by default.",
        "choices": [
          "ACTIVE",
          "DISABLED"
        ]
      },
      "vendors": {
        "kind": "list",
        "description": "Vendors that the tenant can use. The list applies to commands, to topctl catalog get and to messaging-bus principals. null: every enabled vendor.",
        "nullWord": "none"
      },
      "requests_per_minute": {
        "kind": "integer",
        "description": "Maximum number of requests of all credentials of the tenant together, per minute and per server instance: 1 to 1000000000. null: the default of the platform, which the operator sets with REQUESTS_PER_MINUTE_PER_TENANT. topctl me get returns the limit in effect. A change applies from the next request of the tenant.",
        "nullWord": "none"
      }
    }
  },
  "tenants.list": {
    "summary": "List tenants",
    "description": "Lists all tenants, newest first.",
    "scope": "platform:tenant:read",
    "tenant": "platform",
    "isKeyed": false,
    "example": "topctl tenants list",
    "path": {},
    "fields": {
      "status": {
        "kind": "list",
        "description": "Only tenants with one of these statuses.",
        "choices": [
          "ACTIVE",
          "DISABLED",
          "MOVING",
          "MOVED",
          "DELETING",
          "DELETED"
        ]
      }
    }
  },
  "tenants.get": {
    "summary": "Get a tenant",
    "description": "Returns one tenant. A tenant administrator can read only its own tenant.",
    "scope": "platform:tenant:read",
    "tenant": "path",
    "isKeyed": false,
    "example": "topctl tenants get demo",
    "path": {
      "tenant_id": "Id of the tenant."
    },
    "fields": {}
  },
  "tenants.update": {
    "summary": "Update a tenant",
    "description": "Updates only the fields in the body. A change applies from the next request of the tenant.",
    "scope": "platform:tenant:update",
    "tenant": "platform",
    "isKeyed": false,
    "example": "topctl tenants update demo --name 'Demo Fleet'",
    "path": {
      "tenant_id": "Id of the tenant."
    },
    "fields": {
      "name": {
        "kind": "text",
        "description": "Display name: 1 to 128 printable characters."
      },
      "status": {
        "kind": "text",
        "description": "ACTIVE: the credentials of the tenant can sign requests. DISABLED: the platform refuses all requests of the tenant. A change applies from the next request of the tenant.",
        "choices": [
          "ACTIVE",
          "DISABLED"
        ]
      },
      "vendors": {
        "kind": "list",
        "description": "Vendors that the tenant can use. The list applies to commands, to topctl catalog get and to messaging-bus principals. null: every enabled vendor.",
        "nullWord": "none"
      },
      "requests_per_minute": {
        "kind": "integer",
        "description": "Maximum number of requests of all credentials of the tenant together, per minute and per server instance: 1 to 1000000000. null: the default of the platform, which the operator sets with REQUESTS_PER_MINUTE_PER_TENANT. topctl me get returns the limit in effect. A change applies from the next request of the tenant.",
        "nullWord": "none"
      }
    }
  },
  "tenants.delete": {
    "summary": "Delete a tenant",
    "description": "Permanently deletes the data of a DISABLED tenant: configuration, secrets, commands, events, device requests, parked messages and audit log. The response has the status DELETING. The platform deletes the data in the background; topctl tenants get shows the progress. The tenant_id and the client ids remain, and can never be used again. The audit event of the deletion remains in the log of the tenant `platform`. The audit event of the creation is deleted. Logs of other tenants do not change. A repeated request changes nothing. Export the tenant first, with topctl tenants export.",
    "scope": "platform:tenant:delete",
    "tenant": "platform",
    "isKeyed": false,
    "example": "topctl tenants delete demo --confirm demo",
    "path": {
      "tenant_id": "Id of the tenant."
    },
    "fields": {
      "confirm": {
        "kind": "text",
        "description": "Repeat the tenant_id to confirm.",
        "isRequired": true
      }
    }
  },
  "tenants.export": {
    "summary": "Export a tenant",
    "description": "Lists all stored data of a DISABLED tenant, except secrets. The order is: configuration, commands, events, device requests, parked messages, audit log. Items of one type are in the order of their ids. Keep the tenant DISABLED until you have read the last page.",
    "scope": "platform:tenant:export",
    "tenant": "platform",
    "isKeyed": false,
    "example": "topctl tenants export demo",
    "path": {
      "tenant_id": "Id of the tenant."
    },
    "fields": {}
  },
  "credentials.create": {
    "summary": "Create a credential, or rotate its secret",
    "description": "Creates a credential of the tenant. Its secret is returned only in this response. With rotate_secret: true and the client_id of an existing credential of the tenant, the platform rotates the secret of that credential and returns 200.",
    "scope": "platform:credential:create",
    "tenant": "path",
    "isKeyed": true,
    "example": "topctl credentials create --tenant demo --client-id demo-backend --name 'Demo backend'",
    "path": {
      "tenant_id": "Id of the tenant."
    },
    "fields": {
      "client_id": {
        "kind": "text",
        "description": "Id of the credential, unique on the whole platform, also without regard to case. Every request that the credential signs has this id in the header X-Api-Id.",
        "isRequired": true
      },
      "name": {
        "kind": "text",
        "description": "Display name: 1 to 128 printable characters.",
        "isRequired": true
      },
      "status": {
        "kind": "text",
        "description": "ACTIVE by default. A credential created as DELETED can never sign requests. It only blocks the client_id, which can never be used again.",
        "choices": [
          "ACTIVE",
          "DISABLED",
          "DELETED"
        ]
      },
      "allowed_clock_skew_seconds": {
        "kind": "integer",
        "description": "Maximum difference between X-Api-Timestamp and the server clock, in seconds: 30 to 900, 300 by default."
      },
      "replay_window_seconds": {
        "kind": "integer",
        "description": "Minimum time before a nonce can be used again, in seconds: 30 to 900, 300 by default."
      },
      "requests_per_minute": {
        "kind": "integer",
        "description": "Maximum number of requests of the credential, per minute and per server instance: 1 to 1000000000. The quota of the tenant applies as well. null: the default of the platform, which the operator sets with REQUESTS_PER_MINUTE. topctl me get returns the limit in effect. A change applies from the next request of the credential.",
        "nullWord": "none"
      },
      "expires_at": {
        "kind": "instant",
        "description": "When the credential expires; null if it does not expire.",
        "nullWord": "never"
      },
      "rotate_secret": {
        "kind": "boolean",
        "description": "If true and the tenant already has a credential with this client_id, the platform rotates the secret of that credential and changes nothing else. If no credential has this client_id, the platform creates it."
      },
      "previous_secret_ttl_seconds": {
        "kind": "integer",
        "description": "How long the previous secret stays valid after the rotation, in seconds: 0 to 604800 (7 days), 0 by default. Requires rotate_secret: true."
      }
    }
  },
  "credentials.list": {
    "summary": "List credentials",
    "description": "Lists the credentials of the tenant, newest first. The body is a JSON array. The header Link has the URL of the next page (rel=\"next\"), and the header X-Next-Cursor has its cursor.",
    "scope": "platform:credential:read",
    "tenant": "path",
    "isKeyed": false,
    "example": "topctl credentials list --tenant demo",
    "path": {
      "tenant_id": "Id of the tenant."
    },
    "fields": {
      "status": {
        "kind": "list",
        "description": "Only credentials with one of these statuses.",
        "choices": [
          "ACTIVE",
          "DISABLED",
          "DELETED"
        ]
      }
    }
  },
  "credentials.get": {
    "summary": "Get a credential",
    "description": "Returns one credential without its secret.",
    "scope": "platform:credential:read",
    "tenant": "path",
    "isKeyed": false,
    "example": "topctl credentials get demo --tenant demo",
    "path": {
      "tenant_id": "Id of the tenant.",
      "client_id": "Id of the credential, unique on the whole platform, also without regard to case. Every request that the credential signs has this id in the header X-Api-Id."
    },
    "fields": {}
  },
  "credentials.update": {
    "summary": "Update a credential",
    "description": "Updates only the fields in the body. A change applies from the next request of the credential.",
    "scope": "platform:credential:update",
    "tenant": "path",
    "isKeyed": true,
    "example": "topctl credentials update demo --tenant demo --name 'Demo backend'",
    "path": {
      "tenant_id": "Id of the tenant.",
      "client_id": "Id of the credential, unique on the whole platform, also without regard to case. Every request that the credential signs has this id in the header X-Api-Id."
    },
    "fields": {
      "name": {
        "kind": "text",
        "description": "Display name: 1 to 128 printable characters."
      },
      "status": {
        "kind": "text",
        "description": "ACTIVE: can sign requests. DISABLED: requests are refused until the status is ACTIVE again. DELETED: final; the client_id can never be used again.",
        "choices": [
          "ACTIVE",
          "DISABLED",
          "DELETED"
        ]
      },
      "allowed_clock_skew_seconds": {
        "kind": "integer",
        "description": "Maximum difference between X-Api-Timestamp and the server clock, in seconds: 30 to 900, 300 by default."
      },
      "replay_window_seconds": {
        "kind": "integer",
        "description": "Minimum time before a nonce can be used again, in seconds: 30 to 900, 300 by default."
      },
      "requests_per_minute": {
        "kind": "integer",
        "description": "Maximum number of requests of the credential, per minute and per server instance: 1 to 1000000000. The quota of the tenant applies as well. null: the default of the platform, which the operator sets with REQUESTS_PER_MINUTE. topctl me get returns the limit in effect. A change applies from the next request of the credential.",
        "nullWord": "none"
      },
      "expires_at": {
        "kind": "instant",
        "description": "When the credential expires; null if it does not expire.",
        "nullWord": "never"
      },
      "rotate_secret": {
        "kind": "boolean",
        "description": "If true, the platform generates a new secret and returns it only in the response to this request."
      },
      "previous_secret_ttl_seconds": {
        "kind": "integer",
        "description": "How long the previous secret stays valid after the rotation, in seconds: 0 to 604800 (7 days), 0 by default. Without rotate_secret: true, only 0 is allowed: it revokes the previous secret immediately. If you send neither, the previous secret stays valid as before."
      }
    }
  },
  "roles.list": {
    "summary": "List roles",
    "description": "Lists the roles of the tenant with their scopes: first the built-in roles, then the custom roles by name.",
    "scope": "platform:access:read",
    "tenant": "path",
    "isKeyed": false,
    "example": "topctl roles list --tenant demo",
    "path": {
      "tenant_id": "Id of the tenant."
    },
    "fields": {}
  },
  "roles.put": {
    "summary": "Create or replace a custom role",
    "description": "Creates a custom role of the tenant, or replaces its scopes. A change applies from the next request of every credential with this role. The caller can grant any open:* scope. The caller can grant a platform:* scope only if the caller has that scope.",
    "scope": "platform:access:update",
    "tenant": "path",
    "isKeyed": false,
    "example": "topctl roles put replier --tenant demo --scopes open:device-request:read,open:device-request:create",
    "path": {
      "tenant_id": "Id of the tenant.",
      "role": "Name of the role, for example `command_reader`."
    },
    "fields": {
      "scopes": {
        "kind": "list",
        "description": "All scopes of the role, without duplicates. A scope that is missing here is revoked.",
        "isRequired": true
      }
    }
  },
  "roles.delete": {
    "summary": "Delete a custom role",
    "description": "Deletes a custom role. A role with bindings cannot be deleted.",
    "scope": "platform:access:delete",
    "tenant": "path",
    "isKeyed": false,
    "example": "topctl roles delete replier --tenant demo",
    "path": {
      "tenant_id": "Id of the tenant.",
      "role": "Name of the role, for example `command_reader`."
    },
    "fields": {}
  },
  "roleBindings.create": {
    "summary": "Bind a credential to a role",
    "description": "Grants the scopes of a role to a credential of the tenant. The caller can grant any open:* scope. The caller can grant a platform:* scope only if the caller has that scope.",
    "scope": "platform:access:create",
    "tenant": "path",
    "isKeyed": true,
    "example": "topctl role-bindings create --tenant demo --client-id demo --role integration_reader",
    "path": {
      "tenant_id": "Id of the tenant."
    },
    "fields": {
      "client_id": {
        "kind": "text",
        "description": "Id of the credential, unique on the whole platform, also without regard to case. Every request that the credential signs has this id in the header X-Api-Id.",
        "isRequired": true
      },
      "role": {
        "kind": "text",
        "description": "Name of the role, for example `command_reader`.",
        "isRequired": true
      }
    }
  },
  "roleBindings.list": {
    "summary": "List role bindings",
    "description": "Lists the role bindings of the tenant, newest first.",
    "scope": "platform:access:read",
    "tenant": "path",
    "isKeyed": false,
    "example": "topctl role-bindings list --tenant demo",
    "path": {
      "tenant_id": "Id of the tenant."
    },
    "fields": {
      "client_id": {
        "kind": "text",
        "description": "Only bindings of this credential."
      },
      "role": {
        "kind": "text",
        "description": "Only bindings to this role."
      },
      "scope": {
        "kind": "text",
        "description": "Only bindings to roles that grant this scope."
      }
    }
  },
  "roleBindings.delete": {
    "summary": "Remove a role from a credential",
    "description": "Removes the role from the credential. A change applies from the next request of the credential.",
    "scope": "platform:access:delete",
    "tenant": "path",
    "isKeyed": false,
    "example": "topctl role-bindings delete demo integration_reader --tenant demo",
    "path": {
      "tenant_id": "Id of the tenant.",
      "client_id": "Id of the credential, unique on the whole platform, also without regard to case. Every request that the credential signs has this id in the header X-Api-Id.",
      "role": "Name of the role, for example `command_reader`."
    },
    "fields": {}
  },
  "policies.create": {
    "summary": "Grant one scope to a credential",
    "description": "Grants one scope directly to a credential of the tenant, without a role. The caller can grant any open:* scope. The caller can grant a platform:* scope only if the caller has that scope.",
    "scope": "platform:access:create",
    "tenant": "path",
    "isKeyed": true,
    "example": "topctl policies create --tenant demo --client-id demo --scope open:device-request:create",
    "path": {
      "tenant_id": "Id of the tenant."
    },
    "fields": {
      "client_id": {
        "kind": "text",
        "description": "Id of the credential, unique on the whole platform, also without regard to case. Every request that the credential signs has this id in the header X-Api-Id.",
        "isRequired": true
      },
      "scope": {
        "kind": "text",
        "description": "Scope in the form object:action. For example, `open:command:read` has the object `open:command` and the action `read`.",
        "isRequired": true
      }
    }
  },
  "policies.list": {
    "summary": "List policies",
    "description": "Lists the scopes that are granted directly to credentials of the tenant, newest first. topctl roles list shows the scopes of roles.",
    "scope": "platform:access:read",
    "tenant": "path",
    "isKeyed": false,
    "example": "topctl policies list --tenant demo",
    "path": {
      "tenant_id": "Id of the tenant."
    },
    "fields": {
      "client_id": {
        "kind": "text",
        "description": "Only policies of this credential."
      },
      "scope": {
        "kind": "text",
        "description": "Only policies that grant this scope."
      }
    }
  },
  "policies.revoke": {
    "summary": "Delete a policy by credential and scope",
    "description": "Deletes the policy that grants this scope to this credential. A change applies from the next request of the credential. The credential keeps the scope if one of its roles grants it.",
    "scope": "platform:access:delete",
    "tenant": "path",
    "isKeyed": false,
    "example": "topctl policies revoke --tenant demo --client-id demo --scope open:device-request:create",
    "path": {
      "tenant_id": "Id of the tenant."
    },
    "fields": {
      "client_id": {
        "kind": "text",
        "description": "Id of the credential, unique on the whole platform, also without regard to case. Every request that the credential signs has this id in the header X-Api-Id.",
        "isRequired": true
      },
      "scope": {
        "kind": "text",
        "description": "Scope in the form object:action. For example, `open:command:read` has the object `open:command` and the action `read`.",
        "isRequired": true
      }
    }
  },
  "policies.delete": {
    "summary": "Delete a policy",
    "description": "Deletes the policy. A change applies from the next request of the credential. The credential keeps the scope if one of its roles grants it.",
    "scope": "platform:access:delete",
    "tenant": "path",
    "isKeyed": false,
    "example": "topctl policies delete 019bd3a4-5c4e-7b11-8a40-6f0e5d4c3b2a --tenant demo",
    "path": {
      "tenant_id": "Id of the tenant.",
      "policy_id": "Id of the policy: a UUID that the platform generates."
    },
    "fields": {}
  },
  "access.explain": {
    "summary": "Explain the access of a credential",
    "description": "Returns whether a credential of the tenant can call an operation, and which role bindings and policies of the credential grant the scope of the operation. granting_roles lists the roles of the tenant that grant the scope. Even if `granted` is true, the credential cannot grant or revoke a platform:* scope that it does not have. It also cannot change a credential that has such a scope.",
    "scope": "platform:access:read",
    "tenant": "path",
    "isKeyed": false,
    "example": "topctl access explain demo --tenant demo --operation commands.create",
    "path": {
      "tenant_id": "Id of the tenant.",
      "client_id": "Id of the credential, unique on the whole platform, also without regard to case. Every request that the credential signs has this id in the header X-Api-Id."
    },
    "fields": {
      "operation": {
        "kind": "text",
        "description": "Operation id, for example `commands.create`.",
        "isRequired": true
      }
    }
  },
  "access.list": {
    "summary": "List credentials with their access",
    "description": "Lists the credentials of the tenant that have a role binding or a policy, the newest credential first. With `scope`: only credentials that have this scope, by a role or by a policy. With `role`: only credentials with this role. `limit` counts credentials. Each credential has all its role bindings and policies that match.",
    "scope": "platform:access:read",
    "tenant": "path",
    "isKeyed": false,
    "example": "topctl access list --tenant demo",
    "path": {
      "tenant_id": "Id of the tenant."
    },
    "fields": {
      "scope": {
        "kind": "text",
        "description": "Only role bindings and policies that grant this scope."
      },
      "role": {
        "kind": "text",
        "description": "Only bindings to this role."
      }
    }
  },
  "busPrincipals.create": {
    "summary": "Create a messaging-bus principal",
    "description": "Registers a NATS user with two public nkeys: one of the user and one of its account. Do not send private seeds, which begin with S: the platform refuses them. The principal can connect after the operator has reloaded the NATS configuration.",
    "scope": "platform:bus-principal:create",
    "tenant": "path",
    "isKeyed": true,
    "example": "topctl bus-principals create --tenant demo --bus-user demo-adapter --bus-account-public-key ADYSJFV2GIA47RD3QP5QPMPDBGTUNARA42G6M6DGTYBBFEGVEBYWQTGS --bus-user-public-key UBFACL7G5BDSX62SOYKJPYURQNEOUHCZDGYBKYHS6DHEMDZU3YONWOHX --principal-type SERVICE --service-name demo-adapter --vendors vendor_a",
    "path": {
      "tenant_id": "Id of the tenant."
    },
    "fields": {
      "bus_user": {
        "kind": "text",
        "description": "Name of the user on the bus: 1 to 128 visible ASCII characters without spaces.",
        "isRequired": true
      },
      "bus_account_public_key": {
        "kind": "text",
        "description": "Public nkey of the NATS account: 56 characters, beginning with A. An account belongs to one tenant.",
        "isRequired": true
      },
      "bus_user_public_key": {
        "kind": "text",
        "description": "Public nkey of the NATS user: 56 characters, beginning with U. The user key of a DELETED principal cannot be registered again until its tenant is deleted.",
        "isRequired": true
      },
      "principal_type": {
        "kind": "text",
        "description": "SERVICE: an adapter, which delivers commands to devices. CLIENT: a reader of the events of the tenant. The platform publishes events on the bus only for tenants with a CLIENT principal that is not DELETED.",
        "choices": [
          "SERVICE",
          "CLIENT"
        ],
        "isRequired": true
      },
      "client_id": {
        "kind": "text",
        "description": "Credential that the principal belongs to. It must be in the same tenant."
      },
      "service_name": {
        "kind": "text",
        "description": "Name of the service that uses the principal: 1 to 128 visible ASCII characters without spaces."
      },
      "vendors": {
        "kind": "list",
        "description": "Vendors that a SERVICE principal serves. It can read, acknowledge and publish only messages of these vendors. null: all vendors of its tenant.",
        "nullWord": "none"
      },
      "status": {
        "kind": "text",
        "description": "ACTIVE by default. A principal created as DELETED can never connect. It only blocks the user key until the tenant is deleted.",
        "choices": [
          "ACTIVE",
          "DISABLED",
          "DELETED"
        ]
      },
      "expires_at": {
        "kind": "instant",
        "description": "When the principal expires; null if it does not expire.",
        "nullWord": "never"
      }
    }
  },
  "busPrincipals.list": {
    "summary": "List messaging-bus principals",
    "description": "Lists the principals of the tenant, newest first.",
    "scope": "platform:bus-principal:read",
    "tenant": "path",
    "isKeyed": false,
    "example": "topctl bus-principals list --tenant demo",
    "path": {
      "tenant_id": "Id of the tenant."
    },
    "fields": {
      "client_id": {
        "kind": "text",
        "description": "Only principals of this credential."
      },
      "status": {
        "kind": "text",
        "description": "Only principals with this status.",
        "choices": [
          "ACTIVE",
          "DISABLED",
          "DELETED"
        ]
      }
    }
  },
  "busPrincipals.get": {
    "summary": "Get a messaging-bus principal",
    "description": "Returns one principal.",
    "scope": "platform:bus-principal:read",
    "tenant": "path",
    "isKeyed": false,
    "example": "topctl bus-principals get 019bd3a4-5c4e-7d22-9b51-7a1b2c3d4e5f --tenant demo",
    "path": {
      "tenant_id": "Id of the tenant.",
      "principal_id": "Id of the principal: a UUID that the platform generates."
    },
    "fields": {}
  },
  "busPrincipals.update": {
    "summary": "Update a messaging-bus principal",
    "description": "Updates only the fields in the body. The change applies on the bus after the operator has reloaded the NATS configuration. DELETED is final.",
    "scope": "platform:bus-principal:update",
    "tenant": "path",
    "isKeyed": false,
    "example": "topctl bus-principals update 019bd3a4-5c4e-7d22-9b51-7a1b2c3d4e5f --tenant demo --status DISABLED",
    "path": {
      "tenant_id": "Id of the tenant.",
      "principal_id": "Id of the principal: a UUID that the platform generates."
    },
    "fields": {
      "status": {
        "kind": "text",
        "description": "ACTIVE: can connect to the bus. DISABLED: cannot connect until the status is ACTIVE again. DELETED: final; the user key cannot be used again until the tenant is deleted. To replace a CLIENT principal, create the new one before you delete the old one: events that are logged while the tenant has none are not published.",
        "choices": [
          "ACTIVE",
          "DISABLED",
          "DELETED"
        ]
      },
      "vendors": {
        "kind": "list",
        "description": "Vendors that a SERVICE principal serves. It can read, acknowledge and publish only messages of these vendors. null: all vendors of its tenant.",
        "nullWord": "none"
      },
      "expires_at": {
        "kind": "instant",
        "description": "When the principal expires; null if it does not expire.",
        "nullWord": "never"
      }
    }
  },
  "vendors.list": {
    "summary": "List the vendors of the catalog",
    "description": "Lists all vendors, including disabled ones, newest first.",
    "scope": "platform:catalog:read",
    "tenant": "platform",
    "isKeyed": false,
    "example": "topctl vendors list",
    "path": {},
    "fields": {}
  },
  "vendors.put": {
    "summary": "Add, enable or disable a vendor",
    "description": "Adds a vendor to the catalog, or updates it. Commands for a disabled vendor are refused immediately. The platform still processes the commands that it accepted earlier.",
    "scope": "platform:catalog:update",
    "tenant": "platform",
    "isKeyed": false,
    "example": "topctl vendors put vendor_a --enabled true",
    "path": {
      "vendor": "Vendor in the platform catalog, for example `vendor_a`."
    },
    "fields": {
      "enabled": {
        "kind": "boolean",
        "description": "Whether the platform accepts commands for devices of this vendor.",
        "isRequired": true
      }
    }
  },
  "commandTypes.list": {
    "summary": "List the command types of a vendor",
    "description": "Lists all command types of the vendor, including disabled ones, newest first.",
    "scope": "platform:catalog:read",
    "tenant": "platform",
    "isKeyed": false,
    "example": "topctl command-types list vendor_a",
    "path": {
      "vendor": "Vendor in the platform catalog, for example `vendor_a`."
    },
    "fields": {}
  },
  "commandTypes.put": {
    "summary": "Add or change a command type",
    "description": "Adds a command type to the catalog, or updates only the fields in the body. A changed payload_schema increments `revision` and applies from the next command.",
    "scope": "platform:catalog:update",
    "tenant": "platform",
    "isKeyed": false,
    "example": "topctl command-types put vendor_a set_power --description 'Switches the device on or off.' --payload-schema '{\"type\":\"object\",\"properties\":{\"power\":{\"enum\":[\"on\",\"off\"]}},\"required\":[\"power\"],\"additionalProperties\":false}'",
    "path": {
      "vendor": "Vendor in the platform catalog, for example `vendor_a`.",
      "command_type": "Command type of the vendor, for example `reboot`."
    },
    "fields": {
      "enabled": {
        "kind": "boolean",
        "description": "Whether the platform accepts commands of this type. By default true for a new command type."
      },
      "description": {
        "kind": "text",
        "description": "What the command does. Required for a new command type."
      },
      "payload_schema": {
        "kind": "object",
        "description": "JSON Schema 2020-12 for the payload of the command. Required for a new command type. With `$schema` of draft 4, 6 or 7, that draft. Notes of other programs, such as `x-…`, `comment` or `javaType`, change nothing. At most 16 KiB of JSON and 16 levels deep. A `$ref` is `#` and the JSON Pointer of a schema in this one, without `%`, `#` and spaces, and must not lead to itself. `$anchor`, `$dynamicAnchor` and `$dynamicRef` are not supported. Patterns use the RE2 syntax, without look-around and back-references. At most 200 subschemas may apply to one value; each alternative of an `anyOf` counts as one."
      }
    }
  },
  "auditEvents.list": {
    "summary": "List audit events",
    "description": "Lists the audit events of the tenant, newest first: administrative changes to the tenant, and denied requests for changes. An audit event has the calling credential, its IP address, the operation, and the values before and after the change. You see the values only if you may read the resource. A change and its audit event are stored in one transaction. Audit events are immutable.",
    "scope": "platform:audit:read",
    "tenant": "path",
    "isKeyed": false,
    "example": "topctl audit-events list --tenant demo",
    "path": {
      "tenant_id": "Id of the tenant."
    },
    "fields": {
      "client_id": {
        "kind": "text",
        "description": "Only audit events of requests that this credential sent."
      },
      "operation": {
        "kind": "text",
        "description": "Only audit events of this operation."
      },
      "outcome": {
        "kind": "text",
        "description": "Only audit events with this outcome.",
        "choices": [
          "DONE",
          "DENIED"
        ]
      },
      "target": {
        "kind": "text",
        "description": "Only audit events of this resource, for example `platform/tenants/demo/credentials/demo`."
      },
      "source_address": {
        "kind": "text",
        "description": "Only audit events of requests from this IP address."
      },
      "occurred_after": {
        "kind": "instant",
        "description": "Only audit events at or after this time."
      },
      "occurred_before": {
        "kind": "instant",
        "description": "Only audit events before this time."
      }
    }
  },
  "parkedMessages.list": {
    "summary": "List parked messages",
    "description": "Lists the tenant's refused messages, with the reason, newest first. Messages that belong to no tenant are in the list of the tenant `platform`.",
    "scope": "platform:parked-message:read",
    "tenant": "path",
    "isKeyed": false,
    "example": "topctl parked-messages list --tenant demo",
    "path": {
      "tenant_id": "Id of the tenant."
    },
    "fields": {
      "kind": {
        "kind": "text",
        "description": "Only messages of this kind.",
        "choices": [
          "COMMAND",
          "COMMAND_UPDATE",
          "DEVICE_REQUEST",
          "DEVICE_REPLY",
          "EVENT"
        ]
      },
      "vendor": {
        "kind": "text",
        "description": "Only messages of this vendor."
      },
      "parked_after": {
        "kind": "instant",
        "description": "Only messages parked at or after this time."
      },
      "parked_before": {
        "kind": "instant",
        "description": "Only messages parked before this time."
      }
    }
  },
  "parkedMessages.get": {
    "summary": "Get a parked message",
    "description": "Returns one parked message with its body.",
    "scope": "platform:parked-message:read",
    "tenant": "path",
    "isKeyed": false,
    "example": "topctl parked-messages get 019bd3a4-5c4e-7f01-8a42-3c4d5e6f7081 --tenant demo",
    "path": {
      "tenant_id": "Id of the tenant.",
      "parked_message_id": "Id of the parked message: a UUID version 7."
    },
    "fields": {}
  },
  "parkedMessages.delete": {
    "summary": "Delete a parked message",
    "description": "Permanently deletes the parked message.",
    "scope": "platform:parked-message:delete",
    "tenant": "path",
    "isKeyed": false,
    "example": "topctl parked-messages delete 019bd3a4-5c4e-7f01-8a42-3c4d5e6f7081 --tenant demo",
    "path": {
      "tenant_id": "Id of the tenant.",
      "parked_message_id": "Id of the parked message: a UUID version 7."
    },
    "fields": {}
  },
  "parkedMessages.retry": {
    "summary": "Publish a parked message again",
    "description": "Publishes the message again on its subject. When the bus acknowledges a DEVICE_REPLY or EVENT, the platform removes the parked message. When the platform has processed a COMMAND_UPDATE or DEVICE_REQUEST, it removes the parked message, usually within a second. If the platform refuses the message again, it is parked under a new id with the new reason. If a repeated request returns NOT_FOUND, the message is no longer parked under this id. Usually, the first request published it. Otherwise, the message was deleted.",
    "scope": "platform:parked-message:retry",
    "tenant": "path",
    "isKeyed": false,
    "example": "topctl parked-messages retry 019bd3a4-5c4e-7f01-8a42-3c4d5e6f7081 --tenant demo",
    "path": {
      "tenant_id": "Id of the tenant.",
      "parked_message_id": "Id of the parked message: a UUID version 7."
    },
    "fields": {}
  },
  "platform.get": {
    "summary": "Get the state of the platform",
    "description": "Returns what waits to be published, when adapters last read commands of each vendor, how many messages are parked, and which workers are alive. It contains no data of a tenant.",
    "scope": "platform:state:read",
    "tenant": "platform",
    "isKeyed": false,
    "example": "topctl platform get",
    "path": {},
    "fields": {}
  }
} as const;
