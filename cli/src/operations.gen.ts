// Generated from contract/openapi.json by `pnpm golden`.
export const resources = {
  "tenants": "Tenants, the boundary of data isolation. Platform administrators manage them.",
  "credentials": "Credentials, which sign requests. Each belongs to one tenant.",
  "roles": "Roles: named sets of permissions.",
  "roleBindings": "Role bindings: which credential has which role.",
  "policies": "Policies: permissions that a credential holds directly, without a role.",
  "busPrincipals": "Messaging-bus principals: users of the bus, identified by a public nkey.",
  "vendors": "Vendors of the platform catalog. Platform administrators manage them.",
  "commandTypes": "Command types that the devices of a vendor support. Platform administrators manage them.",
  "auditEvents": "Audit events: who changed what, and who was refused.",
  "parkedMessages": "Parked messages: what the platform or the messaging bus refused, and why.",
  "commands": "Commands to devices, and their outcomes.",
  "deviceRequests": "Requests of devices, and the replies to them.",
  "events": "Events of the tenant's commands, in order.",
  "catalog": "The catalog: vendors and command types that the tenant can use.",
  "objects": "Presigned access to objects in the tenant's own stores.",
  "objectCredentials": "Object credentials: access keys of the tenant's own S3-compatible stores.",
  "objectResources": "Object resources: policies that say which objects may be presigned.",
  "callbackEndpoints": "Callback endpoints, to which a later delivery service sends events. The platform delivers nothing.",
  "callbackSubscriptions": "Callback subscriptions: the events that an endpoint receives.",
  "me": "The credential that signs the request."
} as const;

export const operations = {
  "commands.create": {
    "summary": "Create a command",
    "description": "Accepts and persists a command for a device. ACCEPTED does not mean that the device executed it. A used idempotency_key returns the existing command, with the header Idempotent-Replayed: true, and makes nothing new; where the request differs from the original, Idempotency-Mismatch names the fields.",
    "scope": "open:command:create",
    "tenant": "own",
    "path": {},
    "fields": {
      "vendor": {
        "kind": "text",
        "description": "A vendor of the platform catalog, for example `vendor_a`.",
        "isRequired": true
      },
      "device_id": {
        "kind": "text",
        "description": "The device in the vendor's naming: 1 to 128 printable characters.",
        "isRequired": true
      },
      "command_type": {
        "kind": "text",
        "description": "A command type of the vendor's catalog, for example `reboot`.",
        "isRequired": true
      },
      "payload": {
        "kind": "object",
        "description": "What to do: satisfies the command type's payload schema; at most 32 KiB as JSON in UTF-8.",
        "isRequired": true
      },
      "idempotency_key": {
        "kind": "text",
        "description": "1 to 128 visible ASCII characters. Within a tenant, one key is one command, for ever.",
        "isRequired": true
      },
      "timeout_seconds": {
        "kind": "integer",
        "description": "How long the command may take, in seconds: 1 to 300, 30 by default."
      }
    }
  },
  "commands.list": {
    "summary": "List commands",
    "description": "Lists the commands of the tenant, newest first.",
    "scope": "open:command:read",
    "tenant": "own",
    "path": {},
    "fields": {
      "status": {
        "kind": "list",
        "description": "Only commands of these statuses.",
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
        "description": "true: only commands that have ended. false: only ACCEPTED and DISPATCHED ones, which are on the way."
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
        "description": "Only the command of this key."
      },
      "accepted_after": {
        "kind": "instant",
        "description": "Only commands accepted at this time or later."
      },
      "accepted_before": {
        "kind": "instant",
        "description": "Only commands accepted before this time."
      }
    }
  },
  "commands.get": {
    "summary": "Get a command",
    "description": "Reads one command of the tenant with its four statuses. With wait_seconds it answers as soon as the command is final, or with seen_updated_at as soon as it differs from what the caller has seen.",
    "scope": "open:command:read",
    "tenant": "own",
    "path": {
      "command_id": "The command (UUID version 7)."
    },
    "fields": {
      "wait_seconds": {
        "kind": "integer",
        "description": "Wait up to so many seconds, 0 to 30, for something to happen; 0 by default answers at once."
      },
      "seen_updated_at": {
        "kind": "instant",
        "description": "updated_at of the record that the caller has: wait_seconds then waits for the next change."
      }
    }
  },
  "commands.cancel": {
    "summary": "Cancel a command",
    "description": "Takes back a command that was not handed to the adapter yet. One that is canceled already answers the same; any other is refused with its status.",
    "scope": "open:command:cancel",
    "tenant": "own",
    "path": {
      "command_id": "The command (UUID version 7)."
    },
    "fields": {}
  },
  "deviceRequests.list": {
    "summary": "List device requests",
    "description": "Lists the requests that devices of the tenant sent, newest first. With wait_seconds it answers as soon as the page is not empty; newest first, only the first page waits. To follow what devices ask, use order=asc with wait_seconds, and go on from the cursor of the last item.",
    "scope": "open:device-request:read",
    "tenant": "own",
    "path": {},
    "fields": {
      "order": {
        "kind": "text",
        "description": "desc, by default: newest first. asc: oldest first; behind its cursor comes what devices ask later.",
        "choices": [
          "asc",
          "desc"
        ]
      },
      "status": {
        "kind": "text",
        "description": "Only requests of this status.",
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
        "description": "Only requests of this device."
      },
      "request_type": {
        "kind": "text",
        "description": "Only requests of this type."
      },
      "received_after": {
        "kind": "instant",
        "description": "Only requests received at this time or later."
      },
      "received_before": {
        "kind": "instant",
        "description": "Only requests received before this time."
      },
      "wait_seconds": {
        "kind": "integer",
        "description": "Wait up to so many seconds, 0 to 30, for something to happen; 0 by default answers at once."
      }
    }
  },
  "deviceRequests.get": {
    "summary": "Get a device request",
    "description": "Reads one request of a device and its reply. request_id in the path is the device_request_id.",
    "scope": "open:device-request:read",
    "tenant": "own",
    "path": {
      "request_id": "The request of the device (UUID version 7). In bodies it is device_request_id, for request_id is the correlation id."
    },
    "fields": {}
  },
  "deviceRequests.reply": {
    "summary": "Reply to a device request",
    "description": "Gives the one reply. The first wins: the same reply again answers as before, another one is refused. No built-in role may reply: grant open:device-request:create by a role of your own or a policy.",
    "scope": "open:device-request:create",
    "tenant": "own",
    "path": {
      "request_id": "The request of the device (UUID version 7). In bodies it is device_request_id, for request_id is the correlation id."
    },
    "fields": {
      "outcome": {
        "kind": "text",
        "description": "Whether the request is granted or refused.",
        "choices": [
          "SUCCESS",
          "ERROR"
        ],
        "isRequired": true
      },
      "payload": {
        "kind": "object",
        "description": "What the device gets; at most 32 KiB as JSON in UTF-8."
      },
      "error": {
        "kind": "object",
        "description": "Why it is refused; with outcome ERROR only."
      }
    }
  },
  "events.list": {
    "summary": "Read the event log",
    "description": "Reads the tenant's events, oldest first, from the cursor on. With wait_seconds it answers as soon as there is one. from=now answers no events but a next_cursor: pass it as cursor to get the events that come after it.",
    "scope": "open:event:read",
    "tenant": "own",
    "path": {},
    "fields": {
      "from": {
        "kind": "text",
        "description": "Where to begin without a cursor: `now`, or at an instant with the first event that was logged then or later. From the beginning by default. Not a filter: a cursor goes on without it."
      },
      "order": {
        "kind": "text",
        "description": "asc, by default: oldest first. desc: newest first; such a page waits for nothing.",
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
        "description": "Only events that occurred at this time or later."
      },
      "occurred_before": {
        "kind": "instant",
        "description": "Only events that occurred before this time."
      },
      "wait_seconds": {
        "kind": "integer",
        "description": "Wait up to so many seconds, 0 to 30, for something to happen; 0 by default answers at once."
      }
    }
  },
  "catalog.get": {
    "summary": "Get the catalog",
    "description": "Reads the enabled vendors, their enabled command types and the schema of each payload.",
    "scope": "open:catalog:read",
    "tenant": "own",
    "path": {},
    "fields": {}
  },
  "objects.presign": {
    "summary": "Presign an upload or a download",
    "description": "Checks the resource's policy and signs one request to the tenant's store, which its bearer sends without further credentials. The store enforces what was signed: method, key, type, size and expiry. The grant is recorded, the URL is not.",
    "scope": "open:object:create",
    "tenant": "own",
    "path": {},
    "fields": {
      "operation": {
        "kind": "text",
        "description": "What a presigned URL is good for.",
        "choices": [
          "UPLOAD",
          "DOWNLOAD"
        ],
        "isRequired": true
      },
      "resource_id": {
        "kind": "text",
        "description": "The object resource: a UUID made by the platform.",
        "isRequired": true
      },
      "object_key": {
        "kind": "text",
        "description": "The key below the resource's key_prefix: no leading slash, no `.` or `..` segment, no control character; with the prefix at most 1,024 bytes of UTF-8.",
        "isRequired": true
      },
      "expires_in_seconds": {
        "kind": "integer",
        "description": "How long the URL is good, in seconds: 1 to the resource's maximum; 900 by default, or that maximum if it is less."
      },
      "content_type": {
        "kind": "text",
        "description": "UPLOAD, required: the media type. It is signed: the store refuses another."
      },
      "content_length": {
        "kind": "integer",
        "description": "UPLOAD, required: the size in bytes. It is signed: the store refuses another."
      },
      "checksum_sha256": {
        "kind": "text",
        "description": "UPLOAD: SHA-256 of the content in base64. It is signed, for the store to compare with the content, as S3 does."
      },
      "response_content_disposition": {
        "kind": "text",
        "description": "DOWNLOAD: the Content-Disposition that the store answers with, for example `attachment; filename=\"log.txt\"`."
      }
    }
  },
  "objectCredentials.create": {
    "summary": "Create an object credential",
    "description": "Registers access to one of the tenant's own S3-compatible stores. The secret half is sealed and never returned. At most 50 a tenant by default, those that are DISABLED included.",
    "scope": "open:object-config:create",
    "tenant": "own",
    "path": {},
    "fields": {
      "name": {
        "kind": "text",
        "description": "A name for people: 1 to 128 printable characters.",
        "isRequired": true
      },
      "endpoint": {
        "kind": "text",
        "description": "The URL of the S3-compatible store: https, host and port, no path, query or user. http only where the operator allows it.",
        "isRequired": true
      },
      "region": {
        "kind": "text",
        "description": "The region that goes into the signature, for example `eu-central-1`; `us-east-1` for stores without regions.",
        "isRequired": true
      },
      "access_key_id": {
        "kind": "text",
        "description": "The public half of the access key.",
        "isRequired": true
      },
      "secret_access_key": {
        "kind": "text",
        "description": "The secret half of the access key. Sealed at rest, never returned.",
        "isRequired": true
      },
      "session_token": {
        "kind": "text",
        "description": "The token of temporary access keys. Sealed at rest, never returned but inside presigned URLs, which carry it.",
        "nullWord": "none"
      },
      "provider": {
        "kind": "text",
        "description": "A label for people, for example `minio`: 1 to 128 printable characters.",
        "nullWord": "none"
      },
      "force_path_style": {
        "kind": "boolean",
        "description": "False by default: the bucket goes into the host name."
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
    "description": "Lists the object credentials of the tenant, newest first, never their secrets.",
    "scope": "open:object-config:read",
    "tenant": "own",
    "path": {},
    "fields": {}
  },
  "objectCredentials.get": {
    "summary": "Get an object credential",
    "description": "Reads one object credential, never its secrets.",
    "scope": "open:object-config:read",
    "tenant": "own",
    "path": {
      "credential_id": "The object credential: a UUID made by the platform."
    },
    "fields": {}
  },
  "objectCredentials.update": {
    "summary": "Update or rotate an object credential",
    "description": "Changes the fields that the body names and leaves the others. access_key_id and secret_access_key together rotate the access key from the next presign on.",
    "scope": "open:object-config:update",
    "tenant": "own",
    "path": {
      "credential_id": "The object credential: a UUID made by the platform."
    },
    "fields": {
      "name": {
        "kind": "text",
        "description": "A name for people: 1 to 128 printable characters."
      },
      "endpoint": {
        "kind": "text",
        "description": "The URL of the S3-compatible store: https, host and port, no path, query or user. http only where the operator allows it."
      },
      "region": {
        "kind": "text",
        "description": "The region that goes into the signature, for example `eu-central-1`; `us-east-1` for stores without regions."
      },
      "access_key_id": {
        "kind": "text",
        "description": "With secret_access_key: rotates the access key."
      },
      "secret_access_key": {
        "kind": "text",
        "description": "With access_key_id: rotates the access key."
      },
      "session_token": {
        "kind": "text",
        "description": "The token of temporary access keys; null for none. New access keys without it have none.",
        "nullWord": "none"
      },
      "provider": {
        "kind": "text",
        "description": "A label for people, for example `minio`: 1 to 128 printable characters.",
        "nullWord": "none"
      },
      "force_path_style": {
        "kind": "boolean",
        "description": "True puts the bucket into the path (host/bucket/key), false into the host name (bucket.host/key)."
      },
      "status": {
        "kind": "text",
        "description": "DISABLED refuses every presign that needs it, until ACTIVE again. URLs issued before go on until they expire.",
        "choices": [
          "ACTIVE",
          "DISABLED"
        ]
      }
    }
  },
  "objectCredentials.delete": {
    "summary": "Delete an object credential",
    "description": "Removes the object credential and its secrets from the database. It is refused while object resources use the credential, DISABLED ones included. URLs issued before go on until they expire.",
    "scope": "open:object-config:delete",
    "tenant": "own",
    "path": {
      "credential_id": "The object credential: a UUID made by the platform."
    },
    "fields": {}
  },
  "objectResources.create": {
    "summary": "Create an object resource",
    "description": "Allows presigned access to a part of a bucket: which operations, below which prefix, of which types and sizes, for how long. At most 200 a tenant by default, those that are DISABLED included.",
    "scope": "open:object-config:create",
    "tenant": "own",
    "path": {},
    "fields": {
      "name": {
        "kind": "text",
        "description": "A name for people: 1 to 128 printable characters.",
        "isRequired": true
      },
      "credential_id": {
        "kind": "text",
        "description": "The object credential: a UUID made by the platform.",
        "isRequired": true
      },
      "bucket": {
        "kind": "text",
        "description": "The bucket: 3 to 63 lower-case letters, digits, dots and hyphens.",
        "isRequired": true
      },
      "allowed_operations": {
        "kind": "list",
        "description": "What may be presigned.",
        "choices": [
          "UPLOAD",
          "DOWNLOAD"
        ],
        "isRequired": true
      },
      "key_prefix": {
        "kind": "text",
        "description": "What every key begins with, for example `firmware/`: object_key is joined behind it. At most 512 bytes."
      },
      "allowed_content_types": {
        "kind": "list",
        "description": "The content types that may be uploaded; null for any.",
        "nullWord": "none"
      },
      "max_object_bytes": {
        "kind": "integer",
        "description": "The largest upload, in bytes: 1 to 5368709120, which is also the default."
      },
      "max_expires_in_seconds": {
        "kind": "integer",
        "description": "The longest life of a presigned URL, in seconds: 1 to 604800, 3600 by default."
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
    "path": {},
    "fields": {
      "credential_id": {
        "kind": "text",
        "description": "Only resources of this object credential."
      }
    }
  },
  "objectResources.get": {
    "summary": "Get an object resource",
    "description": "Reads one object resource.",
    "scope": "open:object-config:read",
    "tenant": "own",
    "path": {
      "resource_id": "The object resource: a UUID made by the platform."
    },
    "fields": {}
  },
  "objectResources.update": {
    "summary": "Update an object resource",
    "description": "Changes the fields that the body names and leaves the others, from the next presign on.",
    "scope": "open:object-config:update",
    "tenant": "own",
    "path": {
      "resource_id": "The object resource: a UUID made by the platform."
    },
    "fields": {
      "name": {
        "kind": "text",
        "description": "A name for people: 1 to 128 printable characters."
      },
      "credential_id": {
        "kind": "text",
        "description": "The object credential: a UUID made by the platform."
      },
      "bucket": {
        "kind": "text",
        "description": "The bucket: 3 to 63 lower-case letters, digits, dots and hyphens."
      },
      "allowed_operations": {
        "kind": "list",
        "description": "What may be presigned.",
        "choices": [
          "UPLOAD",
          "DOWNLOAD"
        ]
      },
      "key_prefix": {
        "kind": "text",
        "description": "What every key begins with, for example `firmware/`: object_key is joined behind it. At most 512 bytes."
      },
      "allowed_content_types": {
        "kind": "list",
        "description": "The content types that may be uploaded; null for any.",
        "nullWord": "none"
      },
      "max_object_bytes": {
        "kind": "integer",
        "description": "The largest upload, in bytes: 1 to 5368709120, which is also the default."
      },
      "max_expires_in_seconds": {
        "kind": "integer",
        "description": "The longest life of a presigned URL, in seconds: 1 to 604800, 3600 by default."
      },
      "status": {
        "kind": "text",
        "description": "DISABLED refuses every presign that needs it, until ACTIVE again. URLs issued before go on until they expire.",
        "choices": [
          "ACTIVE",
          "DISABLED"
        ]
      }
    }
  },
  "objectResources.delete": {
    "summary": "Delete an object resource",
    "description": "Removes the object resource. No request is presigned for it any more; URLs issued before go on until they expire. The objects in the bucket stay.",
    "scope": "open:object-config:delete",
    "tenant": "own",
    "path": {
      "resource_id": "The object resource: a UUID made by the platform."
    },
    "fields": {}
  },
  "callbackEndpoints.create": {
    "summary": "Create a callback endpoint",
    "description": "Stores where a later delivery service sends events, and returns the secret that it signs them with, this once. The platform itself delivers nothing. At most 50 a tenant by default, those that are DISABLED included.",
    "scope": "open:callback:create",
    "tenant": "own",
    "path": {},
    "fields": {
      "name": {
        "kind": "text",
        "description": "A name for people: 1 to 128 printable characters.",
        "isRequired": true
      },
      "url": {
        "kind": "text",
        "description": "The HTTPS webhook URL: a public host, no user, no fragment. Stored in its canonical spelling. At most 2,048 characters.",
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
        "description": "How long a delivery may take, in seconds: 1 to 30, 15 by default. Kept for the later delivery service."
      },
      "max_attempts": {
        "kind": "integer",
        "description": "How often a delivery is tried: 1 to 20, 10 by default. Kept for the later delivery service."
      }
    }
  },
  "callbackEndpoints.list": {
    "summary": "List callback endpoints",
    "description": "Lists the callback endpoints of the tenant, newest first, never their secrets.",
    "scope": "open:callback:read",
    "tenant": "own",
    "path": {},
    "fields": {}
  },
  "callbackEndpoints.get": {
    "summary": "Get a callback endpoint",
    "description": "Reads one callback endpoint, never its secret.",
    "scope": "open:callback:read",
    "tenant": "own",
    "path": {
      "endpoint_id": "The callback endpoint: a UUID made by the platform."
    },
    "fields": {}
  },
  "callbackEndpoints.update": {
    "summary": "Update a callback endpoint",
    "description": "Changes the fields that the body names and leaves the others. rotate_secret: true makes a new secret and returns it, this once.",
    "scope": "open:callback:update",
    "tenant": "own",
    "path": {
      "endpoint_id": "The callback endpoint: a UUID made by the platform."
    },
    "fields": {
      "name": {
        "kind": "text",
        "description": "A name for people: 1 to 128 printable characters."
      },
      "url": {
        "kind": "text",
        "description": "The HTTPS webhook URL: a public host, no user, no fragment. Stored in its canonical spelling. At most 2,048 characters."
      },
      "status": {
        "kind": "text",
        "description": "Kept for the later delivery service: DISABLED is not delivered to.",
        "choices": [
          "ACTIVE",
          "DISABLED"
        ]
      },
      "timeout_seconds": {
        "kind": "integer",
        "description": "How long a delivery may take, in seconds: 1 to 30, 15 by default. Kept for the later delivery service."
      },
      "max_attempts": {
        "kind": "integer",
        "description": "How often a delivery is tried: 1 to 20, 10 by default. Kept for the later delivery service."
      },
      "rotate_secret": {
        "kind": "boolean",
        "description": "True makes a new secret and returns it, this once."
      },
      "previous_secret_ttl_seconds": {
        "kind": "integer",
        "description": "With rotate_secret: how long the previous secret stays valid beside the new one, in seconds: 0 to 604800, 0 by default."
      }
    }
  },
  "callbackEndpoints.delete": {
    "summary": "Delete a callback endpoint",
    "description": "Removes the callback endpoint with its subscriptions, and its secrets from the database.",
    "scope": "open:callback:disable",
    "tenant": "own",
    "path": {
      "endpoint_id": "The callback endpoint: a UUID made by the platform."
    },
    "fields": {}
  },
  "callbackSubscriptions.create": {
    "summary": "Create a callback subscription",
    "description": "Subscribes the endpoint to an event type, once for each type.",
    "scope": "open:callback:create",
    "tenant": "own",
    "path": {
      "endpoint_id": "The callback endpoint: a UUID made by the platform."
    },
    "fields": {
      "event_type": {
        "kind": "text",
        "description": "command.accepted or command.completed. The outcome is in the event, not in its type.",
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
    "path": {
      "endpoint_id": "The callback endpoint: a UUID made by the platform."
    },
    "fields": {}
  },
  "callbackSubscriptions.update": {
    "summary": "Update a callback subscription",
    "description": "Switches the subscription on or off.",
    "scope": "open:callback:update",
    "tenant": "own",
    "path": {
      "endpoint_id": "The callback endpoint: a UUID made by the platform.",
      "subscription_id": "The subscription: a UUID made by the platform."
    },
    "fields": {
      "status": {
        "kind": "text",
        "description": "Kept for the later delivery service: DISABLED is not delivered.",
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
    "description": "Ends the subscription.",
    "scope": "open:callback:disable",
    "tenant": "own",
    "path": {
      "endpoint_id": "The callback endpoint: a UUID made by the platform.",
      "subscription_id": "The subscription: a UUID made by the platform."
    },
    "fields": {}
  },
  "me.get": {
    "summary": "Get the calling credential",
    "description": "Tells who the caller is, what it may do and which limits apply. Any live credential may call it.",
    "scope": null,
    "tenant": "own",
    "path": {},
    "fields": {}
  },
  "tenants.create": {
    "summary": "Create a tenant",
    "description": "Creates a tenant. Its first credential is made with topctl credentials create.",
    "scope": "platform:tenant:create",
    "tenant": "platform",
    "path": {},
    "fields": {
      "tenant_id": {
        "kind": "text",
        "description": "The tenant, the boundary of data isolation.",
        "isRequired": true
      },
      "name": {
        "kind": "text",
        "description": "A name for people: 1 to 128 printable characters.",
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
        "description": "The vendors to which the tenant is limited: commands, the catalog and messaging-bus principals obey. null: every vendor that is enabled.",
        "nullWord": "none"
      }
    }
  },
  "tenants.list": {
    "summary": "List tenants",
    "description": "Lists all tenants, newest first.",
    "scope": "platform:tenant:read",
    "tenant": "platform",
    "path": {},
    "fields": {}
  },
  "tenants.get": {
    "summary": "Get a tenant",
    "description": "Reads one tenant. A tenant administrator reads its own.",
    "scope": "platform:tenant:read",
    "tenant": "path",
    "path": {
      "tenant_id": "The tenant, the boundary of data isolation."
    },
    "fields": {}
  },
  "tenants.update": {
    "summary": "Update a tenant",
    "description": "Changes the fields that the body names and leaves the others.",
    "scope": "platform:tenant:update",
    "tenant": "path",
    "path": {
      "tenant_id": "The tenant, the boundary of data isolation."
    },
    "fields": {
      "name": {
        "kind": "text",
        "description": "A name for people: 1 to 128 printable characters."
      },
      "status": {
        "kind": "text",
        "description": "DISABLED refuses every request of the tenant's credentials from the next one on.",
        "choices": [
          "ACTIVE",
          "DISABLED"
        ]
      },
      "vendors": {
        "kind": "list",
        "description": "The vendors to which the tenant is limited: commands, the catalog and messaging-bus principals obey. null: every vendor that is enabled.",
        "nullWord": "none"
      }
    }
  },
  "tenants.delete": {
    "summary": "Delete a tenant",
    "description": "Removes everything of a DISABLED tenant, forever: its configuration, secrets, commands, events, device requests and audit log. The answer shows DELETING; the removal goes on in the background, and topctl tenants get shows its progress. The id of the tenant, its client ids and one entry in the audit log of tenant `platform` stay. A repetition changes nothing. Export the tenant first: topctl tenants export.",
    "scope": "platform:tenant:delete",
    "tenant": "platform",
    "path": {
      "tenant_id": "The tenant, the boundary of data isolation."
    },
    "fields": {
      "confirm": {
        "kind": "text",
        "description": "The tenant_id once more, so that no slip deletes another tenant.",
        "isRequired": true
      }
    }
  },
  "tenants.export": {
    "summary": "Export a tenant",
    "description": "Lists everything that the database keeps of a DISABLED tenant, except secrets: first its configuration, then commands, events, device requests, parked messages and the audit log, each in the order of its ids. The tenant must stay DISABLED until the last page.",
    "scope": "platform:tenant:export",
    "tenant": "platform",
    "path": {
      "tenant_id": "The tenant, the boundary of data isolation."
    },
    "fields": {}
  },
  "credentials.create": {
    "summary": "Create a credential, or rotate its secret",
    "description": "Creates a credential of the tenant and returns its secret, this once. With rotate_secret: true and a client_id that exists in the tenant, it makes a new secret instead and answers 200.",
    "scope": "platform:credential:create",
    "tenant": "path",
    "path": {
      "tenant_id": "The tenant, the boundary of data isolation."
    },
    "fields": {
      "client_id": {
        "kind": "text",
        "description": "The credential id, unique on the whole platform; the value of X-Api-Id.",
        "isRequired": true
      },
      "name": {
        "kind": "text",
        "description": "A name for people: 1 to 128 printable characters.",
        "isRequired": true
      },
      "status": {
        "kind": "text",
        "description": "ACTIVE by default. DELETED reserves the client_id without ever working.",
        "choices": [
          "ACTIVE",
          "DISABLED",
          "DELETED"
        ]
      },
      "allowed_clock_skew_seconds": {
        "kind": "integer",
        "description": "How far X-Api-Timestamp may be from the server clock, in seconds: 30 to 900, 300 by default."
      },
      "replay_window_seconds": {
        "kind": "integer",
        "description": "How long a nonce stays used at least, in seconds: 30 to 900, 300 by default."
      },
      "expires_at": {
        "kind": "instant",
        "description": "When the credential stops working; null for never.",
        "nullWord": "never"
      },
      "rotate_secret": {
        "kind": "boolean",
        "description": "True on a client_id that exists in the tenant rotates its secret and changes nothing else."
      },
      "previous_secret_ttl_seconds": {
        "kind": "integer",
        "description": "With rotate_secret: how long the previous secret stays valid beside the new one, in seconds: 0 to 604800, 0 by default."
      }
    }
  },
  "credentials.list": {
    "summary": "List credentials",
    "description": "Lists the credentials of the tenant, newest first, as a bare JSON array. The next page is in the Link header (rel=\"next\") and its cursor in X-Next-Cursor.",
    "scope": "platform:credential:read",
    "tenant": "path",
    "path": {
      "tenant_id": "The tenant, the boundary of data isolation."
    },
    "fields": {
      "status": {
        "kind": "list",
        "description": "Only credentials of these statuses.",
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
    "description": "Reads one credential, never its secret.",
    "scope": "platform:credential:read",
    "tenant": "path",
    "path": {
      "tenant_id": "The tenant, the boundary of data isolation.",
      "client_id": "The credential id, unique on the whole platform; the value of X-Api-Id."
    },
    "fields": {}
  },
  "credentials.update": {
    "summary": "Update a credential",
    "description": "Changes the fields that the body names and leaves the others. It takes effect on the very next request, on every node.",
    "scope": "platform:credential:update",
    "tenant": "path",
    "path": {
      "tenant_id": "The tenant, the boundary of data isolation.",
      "client_id": "The credential id, unique on the whole platform; the value of X-Api-Id."
    },
    "fields": {
      "name": {
        "kind": "text",
        "description": "A name for people: 1 to 128 printable characters."
      },
      "status": {
        "kind": "text",
        "description": "DISABLED refuses requests until ACTIVE again. DELETED is final; its client_id is never free again.",
        "choices": [
          "ACTIVE",
          "DISABLED",
          "DELETED"
        ]
      },
      "allowed_clock_skew_seconds": {
        "kind": "integer",
        "description": "How far X-Api-Timestamp may be from the server clock, in seconds: 30 to 900, 300 by default."
      },
      "replay_window_seconds": {
        "kind": "integer",
        "description": "How long a nonce stays used at least, in seconds: 30 to 900, 300 by default."
      },
      "expires_at": {
        "kind": "instant",
        "description": "When the credential stops working; null for never.",
        "nullWord": "never"
      },
      "rotate_secret": {
        "kind": "boolean",
        "description": "True makes a new secret and returns it, this once."
      },
      "previous_secret_ttl_seconds": {
        "kind": "integer",
        "description": "With rotate_secret: how long the previous secret stays valid beside the new one, in seconds: 0 to 604800, 0 by default. Without rotate_secret, 0 ends the previous secret now."
      }
    }
  },
  "roles.list": {
    "summary": "List roles",
    "description": "Lists the roles that credentials of the tenant can be bound to, and what each grants: the built-in ones, then its own by name.",
    "scope": "platform:access:read",
    "tenant": "path",
    "path": {
      "tenant_id": "The tenant, the boundary of data isolation."
    },
    "fields": {}
  },
  "roles.put": {
    "summary": "Create or replace a tenant's own role",
    "description": "Makes a role of the tenant, or replaces what it grants, for every credential bound to it from its very next request on. The caller may put any open:* scope into it, and those platform:* scopes that it holds itself.",
    "scope": "platform:access:update",
    "tenant": "path",
    "path": {
      "tenant_id": "The tenant, the boundary of data isolation.",
      "role": "The name of a role, for example `tenant_admin`."
    },
    "fields": {
      "scopes": {
        "kind": "list",
        "description": "All permissions of the role, each once. What is not named is no longer granted.",
        "isRequired": true
      }
    }
  },
  "roles.delete": {
    "summary": "Delete a tenant's own role",
    "description": "Removes a role that no credential is bound to.",
    "scope": "platform:access:delete",
    "tenant": "path",
    "path": {
      "tenant_id": "The tenant, the boundary of data isolation.",
      "role": "The name of a role, for example `tenant_admin`."
    },
    "fields": {}
  },
  "roleBindings.create": {
    "summary": "Bind a credential to a role",
    "description": "Grants a credential of the tenant what the role grants. The caller may grant any open:* scope, and those platform:* scopes that it holds itself.",
    "scope": "platform:access:create",
    "tenant": "path",
    "path": {
      "tenant_id": "The tenant, the boundary of data isolation."
    },
    "fields": {
      "client_id": {
        "kind": "text",
        "description": "The credential id, unique on the whole platform; the value of X-Api-Id.",
        "isRequired": true
      },
      "role": {
        "kind": "text",
        "description": "The name of a role, for example `tenant_admin`.",
        "isRequired": true
      }
    }
  },
  "roleBindings.list": {
    "summary": "List role bindings",
    "description": "Lists the role bindings of the tenant, newest first.",
    "scope": "platform:access:read",
    "tenant": "path",
    "path": {
      "tenant_id": "The tenant, the boundary of data isolation."
    },
    "fields": {
      "client_id": {
        "kind": "text",
        "description": "Only bindings of this client."
      }
    }
  },
  "roleBindings.delete": {
    "summary": "Unbind a credential from a role",
    "description": "Takes the role away from the credential, from its very next request on.",
    "scope": "platform:access:delete",
    "tenant": "path",
    "path": {
      "tenant_id": "The tenant, the boundary of data isolation.",
      "client_id": "The credential id, unique on the whole platform; the value of X-Api-Id.",
      "role": "The name of a role, for example `tenant_admin`."
    },
    "fields": {}
  },
  "policies.create": {
    "summary": "Grant a credential one permission",
    "description": "Grants a credential of the tenant one scope directly, without a role. The caller may grant any open:* scope, and those platform:* scopes that it holds itself.",
    "scope": "platform:access:create",
    "tenant": "path",
    "path": {
      "tenant_id": "The tenant, the boundary of data isolation."
    },
    "fields": {
      "client_id": {
        "kind": "text",
        "description": "The credential id, unique on the whole platform; the value of X-Api-Id.",
        "isRequired": true
      },
      "scope": {
        "kind": "text",
        "description": "A permission as object:action, for example `open:command:read`.",
        "isRequired": true
      }
    }
  },
  "policies.list": {
    "summary": "List direct policies",
    "description": "Lists the permissions that credentials of the tenant hold directly, newest first. What a role grants is shown by topctl roles list.",
    "scope": "platform:access:read",
    "tenant": "path",
    "path": {
      "tenant_id": "The tenant, the boundary of data isolation."
    },
    "fields": {
      "client_id": {
        "kind": "text",
        "description": "Only policies of this client."
      }
    }
  },
  "policies.revoke": {
    "summary": "Take a direct permission away, by credential and scope",
    "description": "Deletes the policy that grants this credential this scope, from its very next request on. A role may still grant the scope.",
    "scope": "platform:access:delete",
    "tenant": "path",
    "path": {
      "tenant_id": "The tenant, the boundary of data isolation."
    },
    "fields": {
      "client_id": {
        "kind": "text",
        "description": "The credential id, unique on the whole platform; the value of X-Api-Id.",
        "isRequired": true
      },
      "scope": {
        "kind": "text",
        "description": "A permission as object:action, for example `open:command:read`.",
        "isRequired": true
      }
    }
  },
  "policies.delete": {
    "summary": "Take a direct permission away",
    "description": "Takes the permission away from the credential, from its very next request on.",
    "scope": "platform:access:delete",
    "tenant": "path",
    "path": {
      "tenant_id": "The tenant, the boundary of data isolation.",
      "policy_id": "The policy: a UUID made by the platform."
    },
    "fields": {}
  },
  "busPrincipals.create": {
    "summary": "Create a messaging-bus principal",
    "description": "Registers a user of the messaging bus by its public nkeys. Keep the private seeds, which begin with S, to yourself: they are refused.",
    "scope": "platform:bus-principal:create",
    "tenant": "path",
    "path": {
      "tenant_id": "The tenant, the boundary of data isolation."
    },
    "fields": {
      "bus_user": {
        "kind": "text",
        "description": "The name of the user on the bus: 1 to 128 printable ASCII characters, no space.",
        "isRequired": true
      },
      "bus_account_public_key": {
        "kind": "text",
        "description": "The public nkey of the account on the bus: 56 characters that begin with A. It belongs to one tenant.",
        "isRequired": true
      },
      "bus_user_public_key": {
        "kind": "text",
        "description": "The public nkey of the user on the bus: 56 characters that begin with U. It belongs to one principal, for ever.",
        "isRequired": true
      },
      "principal_type": {
        "kind": "text",
        "description": "SERVICE carries out commands (a vendor adapter); CLIENT reads the events of the tenant.",
        "choices": [
          "SERVICE",
          "CLIENT"
        ],
        "isRequired": true
      },
      "client_id": {
        "kind": "text",
        "description": "A credential of the tenant that the principal belongs to."
      },
      "service_name": {
        "kind": "text",
        "description": "The service that uses the principal: 1 to 128 printable ASCII characters, no space."
      },
      "vendors": {
        "kind": "list",
        "description": "The vendors to which a SERVICE principal is limited: it reads, acknowledges and answers nothing of another vendor. null: all vendors of its tenant.",
        "nullWord": "none"
      },
      "status": {
        "kind": "text",
        "description": "ACTIVE by default. DELETED reserves the user key.",
        "choices": [
          "ACTIVE",
          "DISABLED",
          "DELETED"
        ]
      },
      "expires_at": {
        "kind": "instant",
        "description": "When the principal stops working; null for never.",
        "nullWord": "never"
      }
    }
  },
  "busPrincipals.list": {
    "summary": "List messaging-bus principals",
    "description": "Lists the principals of the tenant, newest first.",
    "scope": "platform:bus-principal:read",
    "tenant": "path",
    "path": {
      "tenant_id": "The tenant, the boundary of data isolation."
    },
    "fields": {
      "client_id": {
        "kind": "text",
        "description": "Only principals of this client."
      },
      "status": {
        "kind": "text",
        "description": "Only principals of this status.",
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
    "description": "Reads one principal.",
    "scope": "platform:bus-principal:read",
    "tenant": "path",
    "path": {
      "tenant_id": "The tenant, the boundary of data isolation.",
      "principal_id": "The principal: a UUID made by the platform."
    },
    "fields": {}
  },
  "busPrincipals.update": {
    "summary": "Update a messaging-bus principal",
    "description": "Changes the fields that the body names and leaves the others. DELETED is final.",
    "scope": "platform:bus-principal:update",
    "tenant": "path",
    "path": {
      "tenant_id": "The tenant, the boundary of data isolation.",
      "principal_id": "The principal: a UUID made by the platform."
    },
    "fields": {
      "status": {
        "kind": "text",
        "description": "Only ACTIVE principals reach the bus. DELETED is final; its user key is never free again.",
        "choices": [
          "ACTIVE",
          "DISABLED",
          "DELETED"
        ]
      },
      "vendors": {
        "kind": "list",
        "description": "The vendors to which a SERVICE principal is limited: it reads, acknowledges and answers nothing of another vendor. null: all vendors of its tenant.",
        "nullWord": "none"
      },
      "expires_at": {
        "kind": "instant",
        "description": "When the principal stops working; null for never.",
        "nullWord": "never"
      }
    }
  },
  "vendors.list": {
    "summary": "List the vendors of the catalog",
    "description": "Lists all vendors, disabled ones included, newest first.",
    "scope": "platform:catalog:read",
    "tenant": "platform",
    "path": {},
    "fields": {}
  },
  "vendors.put": {
    "summary": "Add, enable or disable a vendor",
    "description": "Puts the vendor into the catalog, or changes it there. A disabled vendor takes no new commands, from the next one on; those accepted before go on.",
    "scope": "platform:catalog:update",
    "tenant": "platform",
    "path": {
      "vendor": "A vendor of the platform catalog, for example `vendor_a`."
    },
    "fields": {
      "enabled": {
        "kind": "boolean",
        "description": "Whether commands for its devices are accepted.",
        "isRequired": true
      }
    }
  },
  "commandTypes.list": {
    "summary": "List the command types of a vendor",
    "description": "Lists all command types of the vendor, disabled ones included, newest first.",
    "scope": "platform:catalog:read",
    "tenant": "platform",
    "path": {
      "vendor": "A vendor of the platform catalog, for example `vendor_a`."
    },
    "fields": {}
  },
  "commandTypes.put": {
    "summary": "Add or change a command type",
    "description": "Puts the command type into the catalog, or changes the fields that the body names. A changed payload_schema counts up revision and holds from the next command on, on every node.",
    "scope": "platform:catalog:update",
    "tenant": "platform",
    "path": {
      "vendor": "A vendor of the platform catalog, for example `vendor_a`.",
      "command_type": "A command type of the vendor's catalog, for example `reboot`."
    },
    "fields": {
      "enabled": {
        "kind": "boolean",
        "description": "Whether commands of this type are accepted; true for a new one by default."
      },
      "description": {
        "kind": "text",
        "description": "What the command does; required for a new one."
      },
      "payload_schema": {
        "kind": "object",
        "description": "JSON Schema 2020-12 that the payload of a command must satisfy; required for a new one. At most 16 KiB of JSON, 16 levels deep, no $ref to elsewhere or to itself; patterns as RE2 has them, without look-around and back-references. At most 200 schemas and characters of patterns together may apply to the same value; `a{1,64}` counts as 64 characters or more, so use maxLength for long texts."
      }
    }
  },
  "auditEvents.list": {
    "summary": "List audit events",
    "description": "Lists who changed what in the tenant, from which values to which, and who was refused, newest first. Entries are written together with the change and never altered.",
    "scope": "platform:audit:read",
    "tenant": "path",
    "path": {
      "tenant_id": "The tenant, the boundary of data isolation."
    },
    "fields": {
      "client_id": {
        "kind": "text",
        "description": "Only what this client asked for."
      },
      "operation": {
        "kind": "text",
        "description": "Only this operation."
      },
      "outcome": {
        "kind": "text",
        "description": "Only this outcome.",
        "choices": [
          "DONE",
          "DENIED"
        ]
      },
      "occurred_after": {
        "kind": "instant",
        "description": "Only at or after this instant."
      },
      "occurred_before": {
        "kind": "instant",
        "description": "Only before this instant."
      }
    }
  },
  "parkedMessages.list": {
    "summary": "List parked messages",
    "description": "Lists the messages of the tenant that the platform or the bus refused, newest first, each with the reason. Messages that belong to no tenant are in the list of tenant `platform`.",
    "scope": "platform:parked-message:read",
    "tenant": "path",
    "path": {
      "tenant_id": "The tenant, the boundary of data isolation."
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
        "description": "Only messages parked at or after this instant."
      },
      "parked_before": {
        "kind": "instant",
        "description": "Only messages parked before this instant."
      }
    }
  },
  "parkedMessages.get": {
    "summary": "Get a parked message",
    "description": "Reads one parked message with its body.",
    "scope": "platform:parked-message:read",
    "tenant": "path",
    "path": {
      "tenant_id": "The tenant, the boundary of data isolation.",
      "parked_message_id": "The parked message: a UUID version 7 made by the platform."
    },
    "fields": {}
  },
  "parkedMessages.delete": {
    "summary": "Delete a parked message",
    "description": "Removes the message from the database.",
    "scope": "platform:parked-message:delete",
    "tenant": "path",
    "path": {
      "tenant_id": "The tenant, the boundary of data isolation.",
      "parked_message_id": "The parked message: a UUID version 7 made by the platform."
    },
    "fields": {}
  },
  "parkedMessages.retry": {
    "summary": "Publish a parked message again",
    "description": "Publishes the message again under its subject. A DEVICE_REPLY or EVENT is no longer parked once the bus has acknowledged it. A COMMAND_UPDATE or DEVICE_REQUEST stays parked until the platform has taken it, usually within a second. If the platform refuses it once more, it is parked under another id, with the new reason.",
    "scope": "platform:parked-message:retry",
    "tenant": "path",
    "path": {
      "tenant_id": "The tenant, the boundary of data isolation.",
      "parked_message_id": "The parked message: a UUID version 7 made by the platform."
    },
    "fields": {}
  }
} as const;
