// Generated from contract/openapi.json by `pnpm golden`.
export interface AccessExplanation {
  /** Id of the credential, unique on the whole platform, also without regard to case. Every request that the credential signs has this id in the header X-Api-Id. */
  client_id: string;
  /** Status of the credential. Only an ACTIVE credential can call operations. */
  status: CredentialStatus;
  /** When the credential expires; null if it does not expire. */
  expires_at: string | null;
  /** Operation id, for example `credentials.update`. */
  operation: string;
  /** Scope that the operation needs; null if it needs none. */
  scope: Scope | null;
  /** Whether the credential may call the operation on its own tenant. If false, the platform refuses the call with FORBIDDEN. If the credential has expired or is not ACTIVE, the platform refuses every call with UNAUTHENTICATED, even if `granted` is true. */
  granted: boolean;
  reason: AccessReason;
  /** The role bindings and policies of the credential that grant the scope. */
  grants: Grant[];
  /** Roles of the tenant that grant the scope: the built-in roles from the most to the least powerful, then the custom roles by name. */
  granting_roles: string[];
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
/** GRANTED: a role binding or a policy grants the scope. NO_SCOPE_NEEDED: every credential can call the operation. SCOPE_MISSING: no role binding and no policy grants the scope. TENANT_PLATFORM_ONLY: only credentials of the tenant `platform` can call the operation. */
export type AccessReason = "GRANTED" | "NO_SCOPE_NEEDED" | "SCOPE_MISSING" | "TENANT_PLATFORM_ONLY" | (string & {});
/** Delivery of the command to the device by the adapter of the vendor. PENDING: not sent yet. SENT: handed to the messaging bus. DELIVERED: the adapter delivered the command to the device. REJECTED: the adapter refused the command. UNSUPPORTED: the adapter does not support the command. UNREACHABLE: the adapter cannot reach the device. FAILED: the adapter failed, or the bus refused the command. TIMED_OUT: the adapter reported a timeout, or reported nothing before the deadline. */
export type AdapterStatus = "PENDING" | "SENT" | "DELIVERED" | "REJECTED" | "UNSUPPORTED" | "UNREACHABLE" | "FAILED" | "TIMED_OUT" | (string & {});
export interface AuditEvent {
  /** Id of the audit event: a UUID version 7. */
  audit_event_id: string;
  /** When the change was made or refused. */
  occurred_at: string;
  /** Tenant whose log contains the audit event. A change is in the log of the changed tenant. A change to the catalog is in the log of the tenant `platform`. The creation of a tenant is there, too, and the steps of its move to another platform. A denied request is in the log of the caller's tenant. */
  tenant_id: string;
  /** Credential that sent the request. It can belong to the tenant `platform`, whose administrators can change every tenant. `move-tenant` is the command of an operator that moves a tenant to another platform, and `platform` is an upgrade of the platform. A credential can have one of these names, but its requests have a source_address. */
  client_id: string;
  /** Operation id, for example `credentials.update`. */
  operation: string;
  /** Path of the resource without the leading /api/v1/, for example `platform/tenants/demo/credentials/demo`. */
  target: string;
  /** Names of the fields in the request. */
  changes: string[];
  /** Previous values of the changed fields; null if the operation created the resource or was denied. If a value is larger than 2 KiB, the audit event has an object instead. `bytes` is the size of the value, and `sha256` is the hash of its canonical JSON (RFC 8785). */
  before: {
    [key: string]: unknown;
  } | null;
  /** New values of the changed fields; null if the operation deleted the resource or was denied. A secret appears only as `set`, `rotated` or `removed`. The audit event of a role binding also has the `scopes` that the role granted at that time. */
  after: {
    [key: string]: unknown;
  } | null;
  /** Scope that reads the changed resource, if you lack it: `before` and `after` are then null. An `open:*` scope shows only the resources of your own tenant. null: nothing is hidden. */
  hidden_without: Scope | null;
  outcome: AuditOutcome;
  /** Correlation id of the audited request. */
  request_id: string;
  /** IP address of the client that connected to the outermost trusted proxy, or to the platform if there is no proxy. null if the platform itself made the change. */
  source_address: string | null;
}
/** DONE: the change was made. DENIED: the request was refused with FORBIDDEN, and nothing changed. */
export type AuditOutcome = "DONE" | "DENIED" | (string & {});
/** DONE: the change was made. DENIED: the request was refused with FORBIDDEN, and nothing changed. */
export type AuditOutcomeInput = "DONE" | "DENIED";
export interface BusPrincipal {
  /** Id of the principal: a UUID that the platform generates. */
  principal_id: string;
  /** Id of the tenant. */
  tenant_id: string;
  /** Name of the user on the bus: 1 to 128 visible ASCII characters without spaces. */
  bus_user: string;
  /** Public nkey of the NATS account: 56 characters, beginning with A. An account belongs to one tenant. */
  bus_account_public_key: string;
  /** Public nkey of the NATS user: 56 characters, beginning with U. The user key of a DELETED principal cannot be registered again until its tenant is deleted. */
  bus_user_public_key: string;
  principal_type: BusPrincipalType;
  /** Credential that the principal belongs to; null if there is none. */
  client_id: string | null;
  /** Name of the service that uses the principal; null if there is none. */
  service_name: string | null;
  /** Vendors that a SERVICE principal serves. It can read, acknowledge and publish only messages of these vendors. null: all vendors of its tenant. */
  vendors: string[] | null;
  status: BusPrincipalStatus;
  /** When the principal expires; null if it does not expire. */
  expires_at: string | null;
  /** What is wrong with the principal on the bus; null if there is no problem. NATS refuses to keep messages for it, for example because of a limit; or a principal of tenant `platform` serves the same vendor, so that each command is executed twice. The platform looks again every minute. */
  problem: string | null;
  /** When the principal was created. */
  created_at: string;
  /** When the principal was last changed. */
  updated_at: string;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
export interface BusPrincipalCreate {
  /** Name of the user on the bus: 1 to 128 visible ASCII characters without spaces. */
  bus_user: string;
  /** Public nkey of the NATS account: 56 characters, beginning with A. An account belongs to one tenant. */
  bus_account_public_key: string;
  /** Public nkey of the NATS user: 56 characters, beginning with U. The user key of a DELETED principal cannot be registered again until its tenant is deleted. */
  bus_user_public_key: string;
  principal_type: BusPrincipalTypeInput;
  /** Credential that the principal belongs to. It must be in the same tenant. */
  client_id?: string;
  /** Name of the service that uses the principal: 1 to 128 visible ASCII characters without spaces. */
  service_name?: string;
  /** Vendors that a SERVICE principal serves. It can read, acknowledge and publish only messages of these vendors. null: all vendors of its tenant. */
  vendors?: string[] | null;
  /** ACTIVE by default. A principal created as DELETED can never connect. It only blocks the user key until the tenant is deleted. */
  status?: BusPrincipalStatusInput;
  /** When the principal expires; null if it does not expire. */
  expires_at?: string | null;
}
/** ACTIVE: can connect to the bus. DISABLED: cannot connect until the status is ACTIVE again. DELETED: final; the user key cannot be used again until the tenant is deleted. To replace a CLIENT principal, create the new one before you delete the old one: events that are logged while the tenant has none are not published. */
export type BusPrincipalStatus = "ACTIVE" | "DISABLED" | "DELETED" | (string & {});
/** ACTIVE: can connect to the bus. DISABLED: cannot connect until the status is ACTIVE again. DELETED: final; the user key cannot be used again until the tenant is deleted. To replace a CLIENT principal, create the new one before you delete the old one: events that are logged while the tenant has none are not published. */
export type BusPrincipalStatusInput = "ACTIVE" | "DISABLED" | "DELETED";
/** SERVICE: an adapter, which delivers commands to devices. CLIENT: a reader of the events of the tenant. The platform publishes events on the bus only for tenants with a CLIENT principal that is not DELETED. */
export type BusPrincipalType = "SERVICE" | "CLIENT" | (string & {});
/** SERVICE: an adapter, which delivers commands to devices. CLIENT: a reader of the events of the tenant. The platform publishes events on the bus only for tenants with a CLIENT principal that is not DELETED. */
export type BusPrincipalTypeInput = "SERVICE" | "CLIENT";
export interface BusPrincipalUpdate {
  status?: BusPrincipalStatusInput;
  /** Vendors that a SERVICE principal serves. It can read, acknowledge and publish only messages of these vendors. null: all vendors of its tenant. */
  vendors?: string[] | null;
  /** When the principal expires; null if it does not expire. */
  expires_at?: string | null;
}
export interface CallbackEndpoint {
  /** Id of the callback endpoint: a UUID that the platform generates. */
  endpoint_id: string;
  /** Display name: 1 to 128 printable characters. */
  name: string;
  /** Normalized HTTPS URL of the webhook. */
  url: string;
  status: CallbackEndpointStatus;
  /** Timeout of a delivery attempt, in seconds: 1 to 30, 15 by default. It has no effect until webhook delivery is available. */
  timeout_seconds: number;
  /** Maximum number of delivery attempts: 1 to 20, 10 by default. It has no effect until webhook delivery is available. */
  max_attempts: number;
  /** Version number of the current secret: starts at 1 and increases by 1 with each rotation. */
  secret_version: number;
  /** When the previous secret expires; null if there is no valid previous secret. Before this time, each delivery has two signatures: one made with each secret. The platform does not deliver webhooks yet. */
  previous_secret_expires_at: string | null;
  /** When the endpoint was created. */
  created_at: string;
  /** When the endpoint was last changed. */
  updated_at: string;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
export interface CallbackEndpointCreate {
  /** Display name: 1 to 128 printable characters. */
  name: string;
  /** HTTPS URL of the webhook. The host must be public; user name and fragment are not allowed. At most 2,048 characters. The platform stores the normalized URL. */
  url: string;
  /** ACTIVE by default. */
  status?: CallbackEndpointStatusInput;
  /** Timeout of a delivery attempt, in seconds: 1 to 30, 15 by default. It has no effect until webhook delivery is available. */
  timeout_seconds?: number;
  /** Maximum number of delivery attempts: 1 to 20, 10 by default. It has no effect until webhook delivery is available. */
  max_attempts?: number;
}
export interface CallbackEndpointDeleted {
  /** Id of the callback endpoint: a UUID that the platform generates. */
  endpoint_id: string;
  /** Always true. */
  deleted: boolean;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
/** ACTIVE: events are delivered. DISABLED: nothing is delivered. The status has no effect until webhook delivery is available. */
export type CallbackEndpointStatus = "ACTIVE" | "DISABLED" | (string & {});
/** ACTIVE: events are delivered. DISABLED: nothing is delivered. The status has no effect until webhook delivery is available. */
export type CallbackEndpointStatusInput = "ACTIVE" | "DISABLED";
export interface CallbackEndpointUpdate {
  /** Display name: 1 to 128 printable characters. */
  name?: string;
  /** HTTPS URL of the webhook. The host must be public; user name and fragment are not allowed. At most 2,048 characters. The platform stores the normalized URL. */
  url?: string;
  status?: CallbackEndpointStatusInput;
  /** Timeout of a delivery attempt, in seconds: 1 to 30, 15 by default. It has no effect until webhook delivery is available. */
  timeout_seconds?: number;
  /** Maximum number of delivery attempts: 1 to 20, 10 by default. It has no effect until webhook delivery is available. */
  max_attempts?: number;
  /** If true, the platform generates a new secret and returns it only in the response to this request. */
  rotate_secret?: boolean;
  /** How long the previous secret stays valid after the rotation, in seconds: 0 to 604800 (7 days), 0 by default. Requires rotate_secret: true. */
  previous_secret_ttl_seconds?: number;
}
export interface CallbackEndpointUpdated extends CallbackEndpoint {
  /** The new secret, returned only in this response. Present only if the request contains rotate_secret: true. */
  secret?: string;
}
export interface CallbackEndpointWithSecret extends CallbackEndpoint {
  /** Secret for signing webhook deliveries, returned only in this response. It consists of `whsec_` and 32 bytes in base64, as in Standard Webhooks. */
  secret: string;
}
export interface CallbackSubscription {
  /** Id of the subscription: a UUID that the platform generates. */
  subscription_id: string;
  /** Id of the callback endpoint: a UUID that the platform generates. */
  endpoint_id: string;
  /** Subscribed event type. */
  event_type: EventType;
  status: CallbackSubscriptionStatus;
  /** When the subscription was created. */
  created_at: string;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
export interface CallbackSubscriptionCreate {
  /** command.accepted or command.completed. There is no separate type for failures: the event contains the status. */
  event_type: string;
  /** ACTIVE by default. */
  status?: CallbackSubscriptionStatusInput;
}
export interface CallbackSubscriptionDeleted {
  /** Id of the subscription: a UUID that the platform generates. */
  subscription_id: string;
  /** Always true. */
  deleted: boolean;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
/** ACTIVE: events are delivered. DISABLED: nothing is delivered. The status has no effect until webhook delivery is available. */
export type CallbackSubscriptionStatus = "ACTIVE" | "DISABLED" | (string & {});
/** ACTIVE: events are delivered. DISABLED: nothing is delivered. The status has no effect until webhook delivery is available. */
export type CallbackSubscriptionStatusInput = "ACTIVE" | "DISABLED";
export interface CallbackSubscriptionUpdate {
  status: CallbackSubscriptionStatusInput;
}
export interface Catalog {
  /** Enabled vendors that the tenant can use. */
  vendors: {
    /** Vendor in the platform catalog, for example `vendor_a`. */
    vendor: string;
    /** When an adapter last read commands of this tenant and vendor; null if no adapter has ever read them. While it is null, no command reaches a device. Updated about once a minute. */
    last_read_at: string | null;
    /** Enabled command types of the vendor. */
    command_types: {
      /** Command type of the vendor, for example `reboot`. */
      command_type: string;
      /** What the command does. */
      description: string;
      /** JSON Schema 2020-12 for the payload of the command. */
      payload_schema: {
        [key: string]: unknown;
      };
    }[];
  }[];
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
export interface CatalogCommandType {
  /** Vendor in the platform catalog, for example `vendor_a`. */
  vendor: string;
  /** Command type of the vendor, for example `reboot`. */
  command_type: string;
  /** Whether the platform accepts commands of this type. */
  enabled: boolean;
  /** What the command does. */
  description: string;
  /** JSON Schema 2020-12 for the payload of the command. With `$schema` of draft 4, 6 or 7, that draft. Notes of other programs, such as `x-…`, `comment` or `javaType`, change nothing. At most 16 KiB of JSON and 16 levels deep. A `$ref` is `#` and the JSON Pointer of a schema in this one, without `%`, `#` and spaces, and must not lead to itself. `$anchor`, `$dynamicAnchor` and `$dynamicRef` are not supported. Patterns use the RE2 syntax, without look-around and back-references. At most 200 subschemas may apply to one value; each alternative of an `anyOf` counts as one. */
  payload_schema: {
    [key: string]: unknown;
  };
  /** Revision of payload_schema: starts at 1 and increases by 1 with each change. */
  revision: number;
  /** When the command type was added to the catalog. */
  created_at: string;
  /** When the command type was last changed. */
  updated_at: string;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
export interface CatalogVendor {
  /** Vendor in the platform catalog, for example `vendor_a`. */
  vendor: string;
  /** Whether the platform accepts commands for devices of this vendor. */
  enabled: boolean;
  /** When an adapter of any tenant last read commands of the vendor; null if no adapter has ever read them. Updated about once a minute. */
  last_read_at: string | null;
  /** When the vendor was added to the catalog. */
  created_at: string;
  /** When the vendor was last changed. */
  updated_at: string;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
export interface Command {
  /** Id of the command: a UUID version 7. */
  command_id: string;
  /** Id of the batch, if commands.createMany created the command. null if commands.create created it. */
  batch_id: string | null;
  /** Vendor in the platform catalog, for example `vendor_a`. */
  vendor: string;
  /** Id that the vendor uses for the device: 1 to 128 printable characters. */
  device_id: string;
  /** Command type of the vendor, for example `reboot`. */
  command_type: string;
  /** Parameters of the command, valid for the payload schema of the command type. At most 32 KiB as JSON in UTF-8. */
  payload: {
    [key: string]: unknown;
  };
  /** Identifies the command within the tenant: a second request with the same key returns the existing command. 1 to 128 visible ASCII characters. */
  idempotency_key: string;
  /** Time limit of the command, counted from accepted_at, in seconds: 1 to 300, 30 by default. */
  timeout_seconds: number;
  status: CommandStatus;
  adapter_status: AdapterStatus;
  device_execution_status: DeviceExecutionStatus;
  public_status: PublicStatus;
  /** Reason for the status; null if no reason was reported. */
  status_reason: {
    /** Machine-readable code, from the adapter or from the platform. NO_ADAPTER: the platform sent the command to the messaging bus, but no adapter has ever read commands of this tenant and vendor. RESTORED: the database of the platform was restored while the command was open, and no result arrived since. */
    code: string;
    /** Human-readable explanation. */
    message: string;
  } | null;
  /** Last step of the execution that the adapter reported; null if it reported none. It changes at most once per second. It is not part of the history. */
  progress: Progress | null;
  /** Result from the device; null until there is one. */
  result: {
    [key: string]: unknown;
  } | null;
  /** First report of an outcome that arrived after the status became final; null if there is none. It does not change the status. */
  late_result: {
    /** When the platform received this report. */
    received_at: string;
    /** Adapter status in this report; null if the report did not contain one. */
    adapter_status: AdapterStatus | null;
    /** Device execution status in this report; null if the report did not contain one. */
    device_execution_status: DeviceExecutionStatus | null;
    /** Reason for the status; null if no reason was reported. */
    status_reason: {
      /** Machine-readable code, from the adapter or from the platform. NO_ADAPTER: the platform sent the command to the messaging bus, but no adapter has ever read commands of this tenant and vendor. RESTORED: the database of the platform was restored while the command was open, and no result arrived since. */
      code: string;
      /** Human-readable explanation. */
      message: string;
    } | null;
    /** Result in this report; null if the report did not contain one. */
    result: {
      [key: string]: unknown;
    } | null;
  } | null;
  /** When the platform accepted the command. */
  accepted_at: string;
  /** When the platform sent the command to the adapter; null until then. */
  dispatched_at: string | null;
  /** accepted_at plus timeout_seconds. A command without an outcome at this time ends as EXPIRED if it was never sent, and as TIMED_OUT if it was sent. */
  deadline_at: string;
  /** When the status became final; null until then. */
  completed_at: string | null;
  /** When the command last changed. */
  updated_at: string;
  /** Credential that created the command. */
  created_by_client_id: string;
  /** All status changes and late reports, oldest first. Repeated reports are not added. The list has fewer than 100 items. */
  history: HistoryEntry[];
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
export interface CommandAccepted {
  /** Id of the command: a UUID version 7. */
  command_id: string;
  /** Always ACCEPTED, even if the command has another status by now. */
  status: "ACCEPTED";
  /** When the platform accepted the command. A repeated request returns the original time. */
  accepted_at: string;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
export interface CommandBatch {
  /** Id of the batch of commands: a UUID, unique within the tenant. */
  batch_id: string;
  /** One item for each command, in the order of the request. */
  items: CommandBatchItem[];
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
export interface CommandBatchCreate {
  /** Id of the batch: a UUID of your choice. Send the same id with several requests to make one batch of more than 500 commands. By default, the platform derives the id from the idempotency keys, so a repeated request gets the same id. */
  batch_id?: string;
  /** 1 to 500 commands, each with the fields and rules of commands.create. */
  commands: CommandCreate[];
}
export interface CommandBatchItem {
  /** Identifies the command within the tenant: a second request with the same key returns the existing command. 1 to 128 visible ASCII characters. */
  idempotency_key: string;
  /** Id of the command: a UUID version 7. */
  command_id?: string;
  /** Always ACCEPTED. Absent if the command was refused. */
  status?: "ACCEPTED";
  /** When the platform accepted the command. Absent if it was refused. */
  accepted_at?: string;
  /** true if the idempotency_key was used before: command_id is the id of the existing command. Otherwise absent. */
  idempotent_replayed?: boolean;
  /** Names of the fields that differ from the existing command. Absent if no field differs. */
  idempotency_mismatch?: string[];
  /** Why the command was refused: the error that commands.create would return. The locations in `details` are within this command, for example `body/payload/speed`. Absent if the command was accepted. */
  error?: CommandBatchItemError;
}
export interface CommandBatchItemError {
  code: ErrorCode;
  /** Human-readable message: what happened and what to do. */
  message: string;
  /** Every problem in the request, with its location. */
  details?: {
    /** Location of the problem: the part of the request and a JSON Pointer (RFC 6901) into it, for example `body/payload/speed` or `query/limit`. For a header: `header/` and its name. */
    location: string;
    /** Machine-readable code of the problem. */
    code: string;
    /** Human-readable description of the problem. */
    message: string;
  }[];
  /** Additional data for the code, for example `required_scope` with FORBIDDEN. */
  metadata?: {
    [key: string]: unknown;
  };
  /** HTTP status of this error in a response of commands.create. */
  status: number;
  /** With 429 and 503: how long to wait before you send this command again, in seconds. */
  retry_after_seconds?: number;
}
export type CommandCancel = Record<string, never>;
/** Number of commands with each status. */
export interface CommandCounts {
  /** Commands with the status ACCEPTED. */
  ACCEPTED: number;
  /** Commands with the status DISPATCHED. */
  DISPATCHED: number;
  /** Commands with the status SUCCEEDED. */
  SUCCEEDED: number;
  /** Commands with the status FAILED. */
  FAILED: number;
  /** Commands with the status REJECTED. */
  REJECTED: number;
  /** Commands with the status UNSUPPORTED. */
  UNSUPPORTED: number;
  /** Commands with the status TIMED_OUT. */
  TIMED_OUT: number;
  /** Commands with the status EXPIRED. */
  EXPIRED: number;
  /** Commands with the status CANCELED. */
  CANCELED: number;
}
export interface CommandCreate {
  /** Vendor in the platform catalog, for example `vendor_a`. */
  vendor: string;
  /** Id that the vendor uses for the device: 1 to 128 printable characters. */
  device_id: string;
  /** Command type of the vendor, for example `reboot`. */
  command_type: string;
  /** Parameters of the command, valid for the payload schema of the command type. At most 32 KiB as JSON in UTF-8. */
  payload: {
    [key: string]: unknown;
  };
  /** Identifies the command within the tenant: a second request with the same key returns the existing command. 1 to 128 visible ASCII characters. */
  idempotency_key: string;
  /** Time limit of the command, counted from accepted_at, in seconds: 1 to 300, 30 by default. */
  timeout_seconds?: number;
}
/** Time from acceptance to end, whatever the status. Each value is at most 5 % or 1 ms from the exact one. */
export interface CommandDurations {
  /** 50 % took at most this long, in milliseconds. */
  p50: number;
  /** 95 % took at most this long, in milliseconds. */
  p95: number;
  /** 99 % took at most this long, in milliseconds. */
  p99: number;
}
/** Ended commands with the same value of the property in `group_by`. */
export interface CommandFigureGroup {
  /** Status of the commands. Absent unless grouped by status. */
  status?: CommandStatus;
  /** Vendor of the commands. Absent unless grouped by vendor. */
  vendor?: string;
  /** `code` of status_reason. null: no reason was reported. Absent unless grouped by reason. */
  reason?: string | null;
  /** true: all commands that are in no other group. 20 groups have a name, and so have the first 20 reasons of each hour. Otherwise absent. */
  is_other?: boolean;
  counts: CommandFinalCounts;
  /** Number of ended commands. */
  total: number;
  /** null if no command ended, and in groups by reason. */
  duration_ms: CommandDurations | null;
  /** Intervals in which a command ended, the earliest first. */
  points: CommandFigurePoint[];
}
/** Property by which figures are grouped. reason: `code` of status_reason. */
export type CommandFigureGroupingInput = "status" | "vendor" | "reason";
/** Length of the interval that a point counts. Hours and days begin in UTC. */
export type CommandFigureInterval = "MINUTE" | "HOUR" | "DAY" | (string & {});
/** The commands that ended in one interval. */
export interface CommandFigurePoint {
  /** Begin of the interval. */
  at: string;
  counts: CommandFinalCounts;
  /** Number of ended commands. */
  total: number;
  /** null if no command ended, and in groups by reason. */
  duration_ms: CommandDurations | null;
}
export interface CommandFigures {
  /** Begin of the first interval that was counted. */
  from: string;
  /** End of the last interval that was counted. */
  to: string;
  interval: CommandFigureInterval;
  /** Commands that ended before this time were not counted, or their figures were deleted. */
  counted_since: string;
  counts: CommandFinalCounts;
  /** Number of ended commands. */
  total: number;
  /** null if no command ended, and in groups by reason. */
  duration_ms: CommandDurations | null;
  /** Intervals in which a command ended, the earliest first. */
  points: CommandFigurePoint[];
  /** The same commands in groups, the largest group first. Absent without `group_by`. */
  groups?: CommandFigureGroup[];
  /** true: only the newest 10,000 commands of the batch were counted. */
  is_partial: boolean;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
/** Ended commands by status. */
export interface CommandFinalCounts {
  /** Ended as SUCCEEDED. */
  SUCCEEDED: number;
  /** Ended as FAILED. */
  FAILED: number;
  /** Ended as REJECTED. */
  REJECTED: number;
  /** Ended as UNSUPPORTED. */
  UNSUPPORTED: number;
  /** Ended as TIMED_OUT. */
  TIMED_OUT: number;
  /** Ended as EXPIRED. */
  EXPIRED: number;
  /** Ended as CANCELED. */
  CANCELED: number;
}
/** Commands with the same values of the properties in `group_by`. */
export interface CommandGroup {
  /** Vendor of the commands. Absent if the summary is not grouped by vendor. */
  vendor?: string;
  /** Adapter status of the commands. UNREACHABLE: the adapter did not reach the device. Absent if the summary is not grouped by adapter_status. */
  adapter_status?: AdapterStatus;
  /** `code` of status_reason. null: the commands have no final status, or no reason was reported, or other_reasons is true. Absent if the summary is not grouped by reason. */
  reason?: string | null;
  /** true if the commands have other reasons than the 20 most frequent reasons of this response. Otherwise absent. */
  other_reasons?: boolean;
  counts: CommandCounts;
  /** Number of commands in this group. */
  total: number;
}
/** Property by which a summary groups commands. reason: `code` of status_reason. */
export type CommandGroupingInput = "vendor" | "adapter_status" | "reason";
/** Status of the command. ACCEPTED: stored, not sent yet. DISPATCHED: handed to the messaging bus for the adapter. Every other status is final. SUCCEEDED: the device executed the command. FAILED: the device or the adapter failed, the device is unreachable, or the bus refused the command. REJECTED: the device or the adapter refused the command. UNSUPPORTED: the adapter does not support the command. TIMED_OUT: the command was sent and its outcome is unknown, so the device may have executed it. EXPIRED: the command was never sent, so you can safely send another one. CANCELED: a caller canceled the command before it was sent. */
export type CommandStatus = "ACCEPTED" | "DISPATCHED" | "SUCCEEDED" | "FAILED" | "REJECTED" | "UNSUPPORTED" | "TIMED_OUT" | "EXPIRED" | "CANCELED" | (string & {});
/** Status of the command. ACCEPTED: stored, not sent yet. DISPATCHED: handed to the messaging bus for the adapter. Every other status is final. SUCCEEDED: the device executed the command. FAILED: the device or the adapter failed, the device is unreachable, or the bus refused the command. REJECTED: the device or the adapter refused the command. UNSUPPORTED: the adapter does not support the command. TIMED_OUT: the command was sent and its outcome is unknown, so the device may have executed it. EXPIRED: the command was never sent, so you can safely send another one. CANCELED: a caller canceled the command before it was sent. */
export type CommandStatusInput = "ACCEPTED" | "DISPATCHED" | "SUCCEEDED" | "FAILED" | "REJECTED" | "UNSUPPORTED" | "TIMED_OUT" | "EXPIRED" | "CANCELED";
export interface CommandSummary {
  counts: CommandCounts;
  /** Number of commands that were counted: at most 10,000. */
  total: number;
  /** The same commands in groups, the largest group first. Every command is in one group. Absent without `group_by`. */
  groups?: CommandGroup[];
  /** Send as `older_than` to count the older commands, then add the counts of all responses. null if no older commands are left. */
  next_older_than: string | null;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
export interface CommandTypePut {
  /** Whether the platform accepts commands of this type. By default true for a new command type. */
  enabled?: boolean;
  /** What the command does. Required for a new command type. */
  description?: string;
  /** JSON Schema 2020-12 for the payload of the command. Required for a new command type. With `$schema` of draft 4, 6 or 7, that draft. Notes of other programs, such as `x-…`, `comment` or `javaType`, change nothing. At most 16 KiB of JSON and 16 levels deep. A `$ref` is `#` and the JSON Pointer of a schema in this one, without `%`, `#` and spaces, and must not lead to itself. `$anchor`, `$dynamicAnchor` and `$dynamicRef` are not supported. Patterns use the RE2 syntax, without look-around and back-references. At most 200 subschemas may apply to one value; each alternative of an `anyOf` counts as one. */
  payload_schema?: {
    [key: string]: unknown;
  };
}
export interface Credential {
  /** Id of the credential, unique on the whole platform, also without regard to case. Every request that the credential signs has this id in the header X-Api-Id. */
  client_id: string;
  /** Id of the tenant. */
  tenant_id: string;
  /** Display name: 1 to 128 printable characters. */
  name: string;
  status: CredentialStatus;
  /** Maximum difference between X-Api-Timestamp and the server clock, in seconds: 30 to 900, 300 by default. */
  allowed_clock_skew_seconds: number;
  /** Minimum time before a nonce can be used again, in seconds: 30 to 900, 300 by default. */
  replay_window_seconds: number;
  /** Maximum number of requests of the credential, per minute and per server instance: 1 to 1000000000. The quota of the tenant applies as well. null: the default of the platform, which the operator sets with REQUESTS_PER_MINUTE. me.get returns the limit in effect. A change applies from the next request of the credential. */
  requests_per_minute: number | null;
  /** Version number of the current secret: starts at 1 and increases by 1 with each rotation. */
  secret_version: number;
  /** When the previous secret expires; null if there is no valid previous secret. */
  previous_secret_expires_at: string | null;
  /** When the credential expires; null if it does not expire. */
  expires_at: string | null;
  /** Time of the last valid request that was signed with any secret of the credential; null if there was none. Updated with a delay of up to 90 seconds. */
  last_used_at: string | null;
  /** Like last_used_at, but only for the current secret. */
  secret_last_used_at: string | null;
  /** Like last_used_at, but only for the previous secret. Also null after the previous secret has expired. */
  previous_secret_last_used_at: string | null;
  /** When the credential was created. */
  created_at: string;
  /** When the credential was last changed. */
  updated_at: string;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
export interface CredentialCreate {
  /** Id of the credential, unique on the whole platform, also without regard to case. Every request that the credential signs has this id in the header X-Api-Id. */
  client_id: string;
  /** Display name: 1 to 128 printable characters. */
  name: string;
  /** ACTIVE by default. A credential created as DELETED can never sign requests. It only blocks the client_id, which can never be used again. */
  status?: CredentialStatusInput;
  /** Maximum difference between X-Api-Timestamp and the server clock, in seconds: 30 to 900, 300 by default. */
  allowed_clock_skew_seconds?: number;
  /** Minimum time before a nonce can be used again, in seconds: 30 to 900, 300 by default. */
  replay_window_seconds?: number;
  /** Maximum number of requests of the credential, per minute and per server instance: 1 to 1000000000. The quota of the tenant applies as well. null: the default of the platform, which the operator sets with REQUESTS_PER_MINUTE. me.get returns the limit in effect. A change applies from the next request of the credential. */
  requests_per_minute?: number | null;
  /** When the credential expires; null if it does not expire. */
  expires_at?: string | null;
  /** If true and the tenant already has a credential with this client_id, the platform rotates the secret of that credential and changes nothing else. If no credential has this client_id, the platform creates it. */
  rotate_secret?: boolean;
  /** How long the previous secret stays valid after the rotation, in seconds: 0 to 604800 (7 days), 0 by default. Requires rotate_secret: true. */
  previous_secret_ttl_seconds?: number;
}
/** ACTIVE: can sign requests. DISABLED: requests are refused until the status is ACTIVE again. DELETED: final; the client_id can never be used again. */
export type CredentialStatus = "ACTIVE" | "DISABLED" | "DELETED" | (string & {});
/** ACTIVE: can sign requests. DISABLED: requests are refused until the status is ACTIVE again. DELETED: final; the client_id can never be used again. */
export type CredentialStatusInput = "ACTIVE" | "DISABLED" | "DELETED";
export interface CredentialUpdate {
  /** Display name: 1 to 128 printable characters. */
  name?: string;
  status?: CredentialStatusInput;
  /** Maximum difference between X-Api-Timestamp and the server clock, in seconds: 30 to 900, 300 by default. */
  allowed_clock_skew_seconds?: number;
  /** Minimum time before a nonce can be used again, in seconds: 30 to 900, 300 by default. */
  replay_window_seconds?: number;
  /** Maximum number of requests of the credential, per minute and per server instance: 1 to 1000000000. The quota of the tenant applies as well. null: the default of the platform, which the operator sets with REQUESTS_PER_MINUTE. me.get returns the limit in effect. A change applies from the next request of the credential. */
  requests_per_minute?: number | null;
  /** When the credential expires; null if it does not expire. */
  expires_at?: string | null;
  /** If true, the platform generates a new secret and returns it only in the response to this request. */
  rotate_secret?: boolean;
  /** How long the previous secret stays valid after the rotation, in seconds: 0 to 604800 (7 days), 0 by default. Without rotate_secret: true, only 0 is allowed: it revokes the previous secret immediately. If you send neither, the previous secret stays valid as before. */
  previous_secret_ttl_seconds?: number;
}
export interface CredentialUpdated extends Credential {
  /** The new secret, returned only in this response. Present only if the request contains rotate_secret: true. */
  secret?: string;
}
export interface CredentialWithSecret extends Credential {
  /** The secret, returned only in this response. It consists of `osk_` and 49 base62 characters; the last 6 are a checksum. */
  secret: string;
}
/** Execution on the device. NOT_STARTED: no report from the device yet. IN_PROGRESS: the device is executing the command. SUCCEEDED, FAILED, REJECTED and TIMED_OUT: the outcome that the adapter reported. UNKNOWN: the deadline passed without an outcome, or the adapter ended the command without knowing its outcome. */
export type DeviceExecutionStatus = "NOT_STARTED" | "IN_PROGRESS" | "SUCCEEDED" | "FAILED" | "REJECTED" | "TIMED_OUT" | "UNKNOWN" | (string & {});
export interface DeviceReply {
  outcome: ReplyOutcome;
  /** Data for the device; null if there is none. */
  payload: {
    [key: string]: unknown;
  } | null;
  /** Error for the device; null if there is none. */
  error: {
    /** Machine-readable code. */
    code: string;
    /** Human-readable explanation. */
    message: string;
  } | null;
  /** When the platform received the reply. */
  replied_at: string;
  /** Credential that sent the reply. */
  replied_by_client_id: string;
}
export interface DeviceRequest {
  /** Id of the device request: a UUID version 7. */
  device_request_id: string;
  /** Vendor in the platform catalog, for example `vendor_a`. */
  vendor: string;
  /** Id that the vendor uses for the device: 1 to 128 printable characters. */
  device_id: string;
  /** Type of the request, defined by the vendor, for example `firmware_check`. */
  request_type: string;
  /** Data from the device. */
  payload: {
    [key: string]: unknown;
  };
  status: DeviceRequestStatus;
  /** When the platform received the request. */
  received_at: string;
  /** Deadline for the reply. A later reply is refused. */
  expires_at: string;
  /** The reply; null until there is one. */
  reply: DeviceReply | null;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
export interface DeviceRequestReply {
  outcome: ReplyOutcomeInput;
  /** Data for the device. At most 32 KiB as JSON in UTF-8. */
  payload?: {
    [key: string]: unknown;
  };
  /** Error for the device. Allowed only with outcome ERROR. */
  error?: {
    /** Machine-readable code. */
    code: string;
    /** Human-readable explanation. */
    message: string;
  };
}
/** PENDING: waits for a reply. REPLIED: has a reply. EXPIRED: got no reply before expires_at. */
export type DeviceRequestStatus = "PENDING" | "REPLIED" | "EXPIRED" | (string & {});
/** PENDING: waits for a reply. REPLIED: has a reply. EXPIRED: got no reply before expires_at. */
export type DeviceRequestStatusInput = "PENDING" | "REPLIED" | "EXPIRED";
export interface ErrorBody {
  code: ErrorCode;
  /** Human-readable message: what happened and what to do. */
  message: string;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
  /** Every problem in the request, with its location. */
  details?: {
    /** Location of the problem: the part of the request and a JSON Pointer (RFC 6901) into it, for example `body/payload/speed` or `query/limit`. For a header: `header/` and its name. */
    location: string;
    /** Machine-readable code of the problem. */
    code: string;
    /** Human-readable description of the problem. */
    message: string;
  }[];
  /** Additional data for the code, for example `required_scope` with FORBIDDEN. */
  metadata?: {
    [key: string]: unknown;
  };
}
/** Machine-readable error code. For an unknown error code, use the HTTP status of the response. */
export type ErrorCode = "MALFORMED_HTTP" | "INVALID_TARGET" | "MALFORMED_JSON" | "VALIDATION_FAILED" | "INVALID_CURSOR" | "REQUEST_TIMEOUT" | "EXPECTATION_FAILED" | "HEADERS_TOO_LARGE" | "UNAUTHENTICATED" | "CLOCK_SKEW" | "NONCE_REUSED" | "FORBIDDEN" | "OBJECT_POLICY_DENIED" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "TENANT_ALREADY_EXISTS" | "TENANT_NOT_DISABLED" | "TENANT_DELETED" | "CREDENTIAL_ALREADY_EXISTS" | "CREDENTIAL_DELETED" | "ROLE_BINDING_ALREADY_EXISTS" | "ROLE_BUILT_IN" | "ROLE_IN_USE" | "POLICY_ALREADY_EXISTS" | "BUS_PRINCIPAL_ALREADY_EXISTS" | "BUS_PRINCIPAL_DELETED" | "RESOURCE_LIMIT_REACHED" | "OBJECT_CREDENTIAL_IN_USE" | "SUBSCRIPTION_ALREADY_EXISTS" | "COMMAND_NOT_CANCELABLE" | "DEVICE_REQUEST_ALREADY_REPLIED" | "DEVICE_REQUEST_EXPIRED" | "PARKED_MESSAGE_NOT_RETRYABLE" | "LAST_PLATFORM_ADMINISTRATOR" | "TENANT_MOVED" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "IDEMPOTENCY_KEY_REUSED" | "VENDOR_NOT_ENABLED" | "COMMAND_TYPE_UNKNOWN" | "COMMAND_PAYLOAD_INVALID" | "TENANT_ID_RESERVED" | "SCOPE_UNKNOWN" | "BUS_KEY_INVALID" | "BUS_SEED_NOT_ALLOWED" | "PAYLOAD_SCHEMA_INVALID" | "EVENT_TYPE_NOT_SUBSCRIBABLE" | "CALLBACK_URL_NOT_ALLOWED" | "RATE_LIMITED" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE" | "TENANT_MOVING" | (string & {});
/** The command at the time of the event. */
export interface EventData {
  /** Id of the command. */
  command_id: string;
  /** Vendor in the platform catalog, for example `vendor_a`. */
  vendor: string;
  /** Id that the vendor uses for the device: 1 to 128 printable characters. */
  device_id: string;
  /** Command type of the vendor, for example `reboot`. */
  command_type: string;
  status: CommandStatus;
  adapter_status: AdapterStatus;
  device_execution_status: DeviceExecutionStatus;
  public_status: PublicStatus;
  /** Reason for the status; null if no reason was reported. */
  status_reason: {
    /** Machine-readable code, from the adapter or from the platform. NO_ADAPTER: the platform sent the command to the messaging bus, but no adapter has ever read commands of this tenant and vendor. RESTORED: the database of the platform was restored while the command was open, and no result arrived since. */
    code: string;
    /** Human-readable explanation. */
    message: string;
  } | null;
  /** Result from the device; null if there is none. */
  result: {
    [key: string]: unknown;
  } | null;
  /** When the platform accepted the command. */
  accepted_at: string;
  /** When the status became final; null until then. */
  completed_at: string | null;
}
/** Request that created the command. */
export interface EventRequest {
  /** Correlation id of the request that created the command. */
  request_id: string;
  /** Id of the credential, unique on the whole platform, also without regard to case. Every request that the credential signs has this id in the header X-Api-Id. */
  client_id: string;
  /** Idempotency key of the command. */
  idempotency_key: string;
}
/** command.accepted: the platform stored a command. command.completed: the status of a command became final, whatever the outcome. */
export type EventType = "command.accepted" | "command.completed" | (string & {});
/** command.accepted: the platform stored a command. command.completed: the status of a command became final, whatever the outcome. */
export type EventTypeInput = "command.accepted" | "command.completed";
/** A role binding or a policy of a credential. */
export interface Grant {
  /** Role that a binding gives to the credential; null if this is a policy. */
  role: string | null;
  /** Id of the policy; null if this is a role binding. */
  policy_id: string | null;
  /** Scope of the policy; null if this is a role binding. */
  scope: Scope | null;
  /** When the role was bound or the policy was created. */
  created_at: string;
}
/** A change to the status of the command, or a late report. */
export interface HistoryEntry {
  /** When the change happened, by the clock of the platform. */
  at: string;
  source: HistorySource;
  status: CommandStatus;
  adapter_status: AdapterStatus;
  device_execution_status: DeviceExecutionStatus;
  /** Reason for the status; null if no reason was reported. */
  reason: {
    /** Machine-readable code, from the adapter or from the platform. NO_ADAPTER: the platform sent the command to the messaging bus, but no adapter has ever read commands of this tenant and vendor. RESTORED: the database of the platform was restored while the command was open, and no result arrived since. */
    code: string;
    /** Human-readable explanation. */
    message: string;
  } | null;
}
/** Source of the change: the platform, the adapter, or the device (reported by the adapter). */
export type HistorySource = "PLATFORM" | "ADAPTER" | "DEVICE" | (string & {});
export interface Holder {
  /** Id of the credential, unique on the whole platform, also without regard to case. Every request that the credential signs has this id in the header X-Api-Id. */
  client_id: string;
  /** Status of the credential. Only an ACTIVE credential can call operations. */
  status: CredentialStatus;
  /** When the credential expires; null if it does not expire. */
  expires_at: string | null;
  /** The role bindings and policies of the credential that match the filters. */
  grants: Grant[];
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
export interface ListedDeviceRequest extends DeviceRequest {
  /** Position of this item in the list. To continue after the item, send it as `cursor` with the same filters. The cursor is opaque and does not expire. */
  cursor: string;
}
export interface ListedEvent extends PlatformEvent {
  /** Position of this item in the list. To continue after the item, send it as `cursor` with the same filters. The cursor is opaque and does not expire. */
  cursor: string;
}
export interface Me {
  /** Id of the tenant. */
  tenant_id: string;
  /** Id of the credential, unique on the whole platform, also without regard to case. Every request that the credential signs has this id in the header X-Api-Id. */
  client_id: string;
  /** Display name: 1 to 128 printable characters. */
  name: string;
  /** Roles of the credential. */
  roles: string[];
  /** Scopes of the credential, from its roles and its policies. */
  scopes: Scope[];
  /** Maximum difference between X-Api-Timestamp and the server clock, in seconds. */
  allowed_clock_skew_seconds: number;
  /** Minimum time before a nonce can be used again, in seconds. */
  replay_window_seconds: number;
  /** When the credential expires; null if it does not expire. */
  expires_at: string | null;
  /** Limits of this credential and of its tenant. */
  limits: {
    /** Maximum size of a request body, in bytes. */
    body_bytes: number;
    /** Maximum size of the body of commands.createMany, in bytes. */
    batch_body_bytes: number;
    /** Maximum size of a command payload as JSON in UTF-8, in bytes. */
    payload_bytes: number;
    /** Maximum number of requests of this credential per minute and per server instance. */
    requests_per_minute: number;
    /** Maximum number of requests of all credentials of the tenant together, per minute and per server instance. */
    requests_per_minute_per_tenant: number;
    /** Maximum number of concurrent long-polling requests (wait_seconds) of the tenant. Each process of each server instance counts separately. */
    waiting_requests: number;
    /** Maximum number of bytes that changes to the tenant add to its audit log per day (UTC). The responses that are stored for Idempotency-Key count, too. Changes by the tenant `platform` do not count. */
    change_bytes_per_day: number;
    /** Maximum number of resources of each kind in the tenant. DISABLED resources count. DELETED credentials and DELETED principals count, too. */
    per_tenant: {
      /** Credentials, including DELETED ones. */
      credentials: number;
      /** Custom roles. */
      roles: number;
      /** Role bindings. */
      role_bindings: number;
      /** Policies. */
      policies: number;
      /** Messaging-bus principals, including DELETED ones. */
      bus_principals: number;
      /** Callback endpoints, including DISABLED ones. */
      callback_endpoints: number;
      /** Callback subscriptions, including DISABLED ones. */
      callback_subscriptions: number;
      /** Object credentials, including DISABLED ones. */
      object_credentials: number;
      /** Object resources, including DISABLED ones. */
      object_resources: number;
    };
  };
  /** Current time of the server clock. */
  server_time: string;
  /** Version of the platform. */
  platform_version: string;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
/** ACTIVE: can be used for presigned URLs. DISABLED: presign requests that use this credential or resource are refused until it is ACTIVE again. URLs issued earlier keep working until they expire. */
export type ObjectConfigStatus = "ACTIVE" | "DISABLED" | (string & {});
/** ACTIVE: can be used for presigned URLs. DISABLED: presign requests that use this credential or resource are refused until it is ACTIVE again. URLs issued earlier keep working until they expire. */
export type ObjectConfigStatusInput = "ACTIVE" | "DISABLED";
export interface ObjectCredential {
  /** Id of the object credential: a UUID that the platform generates. */
  credential_id: string;
  /** Display name: 1 to 128 printable characters. */
  name: string;
  /** Display label of the provider; null if there is none. */
  provider: string | null;
  /** URL of the store. */
  endpoint: string;
  /** Region for the signature, for example `eu-central-1`. Use `us-east-1` for a store without regions. */
  region: string;
  /** true: the bucket is in the path (host/bucket/key). false: the bucket is in the host name (bucket.host/key). */
  force_path_style: boolean;
  /** Access key id: the public part of the access key. */
  access_key_id: string;
  /** Version number of the current access key: starts at 1 and increases by 1 with each rotation. */
  secret_version: number;
  status: ObjectConfigStatus;
  /** When the credential was created. */
  created_at: string;
  /** When the credential was last changed. */
  updated_at: string;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
export interface ObjectCredentialCreate {
  /** Display name: 1 to 128 printable characters. */
  name: string;
  /** URL of the S3-compatible store, for example `https://objects.example.com` or `https://objects.example.com:9000`. Without a port, the port is 443. Its path, if the store is behind one, such as `/storage/v1/s3`, does not name the bucket. The URL must not have a query, a fragment or a user name. `http://` is allowed only if the operator has enabled it. */
  endpoint: string;
  /** Region for the signature, for example `eu-central-1`. Use `us-east-1` for a store without regions. */
  region: string;
  /** Access key id: the public part of the access key. */
  access_key_id: string;
  /** Secret access key. It is stored encrypted and never returned. */
  secret_access_key: string;
  /** Session token of temporary access keys. It is stored encrypted, and returned only as part of presigned URLs. */
  session_token?: string | null;
  /** Display label of the provider, for example `minio`: 1 to 128 printable characters. */
  provider?: string | null;
  /** true: the bucket is in the path (host/bucket/key). By default false: the bucket is in the host name (bucket.host/key). */
  force_path_style?: boolean;
  /** ACTIVE by default. */
  status?: ObjectConfigStatusInput;
}
export interface ObjectCredentialDeleted {
  /** Id of the object credential: a UUID that the platform generates. */
  credential_id: string;
  /** Always true. */
  deleted: boolean;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
export interface ObjectCredentialUpdate {
  /** Display name: 1 to 128 printable characters. */
  name?: string;
  /** URL of the S3-compatible store, for example `https://objects.example.com` or `https://objects.example.com:9000`. Without a port, the port is 443. Its path, if the store is behind one, such as `/storage/v1/s3`, does not name the bucket. The URL must not have a query, a fragment or a user name. `http://` is allowed only if the operator has enabled it. */
  endpoint?: string;
  /** Region for the signature, for example `eu-central-1`. Use `us-east-1` for a store without regions. */
  region?: string;
  /** New access key id. Requires secret_access_key. */
  access_key_id?: string;
  /** New secret access key. Requires access_key_id. */
  secret_access_key?: string;
  /** Session token of temporary access keys; null removes it. If you send a new access key without session_token, the old token is removed. */
  session_token?: string | null;
  /** Display label of the provider, for example `minio`: 1 to 128 printable characters. */
  provider?: string | null;
  /** true: the bucket is in the path (host/bucket/key). false: the bucket is in the host name (bucket.host/key). */
  force_path_style?: boolean;
  status?: ObjectConfigStatusInput;
}
/** Operation that the presigned URL allows. */
export type ObjectOperation = "UPLOAD" | "DOWNLOAD" | (string & {});
/** Operation that the presigned URL allows. */
export type ObjectOperationInput = "UPLOAD" | "DOWNLOAD";
export interface ObjectResource {
  /** Id of the object resource: a UUID that the platform generates. */
  resource_id: string;
  /** Display name: 1 to 128 printable characters. */
  name: string;
  /** Id of the object credential: a UUID that the platform generates. */
  credential_id: string;
  /** Name of the bucket: 3 to 63 lower-case letters, digits, dots and hyphens. */
  bucket: string;
  /** Operations that can be presigned. */
  allowed_operations: ObjectOperation[];
  /** Prefix of every key, for example `firmware/`. The platform appends object_key to it. At most 512 bytes, empty by default. */
  key_prefix: string;
  /** Content types that can be uploaded; null if every type is allowed. */
  allowed_content_types: string[] | null;
  /** Maximum size of an upload, in bytes: 1 to 5368709120 (5 GiB), 5368709120 by default. */
  max_object_bytes: number;
  /** Maximum lifetime of a presigned URL, in seconds: 1 to 604800 (7 days), 3600 by default. */
  max_expires_in_seconds: number;
  status: ObjectConfigStatus;
  /** When the resource was created. */
  created_at: string;
  /** When the resource was last changed. */
  updated_at: string;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
export interface ObjectResourceCreate {
  /** Display name: 1 to 128 printable characters. */
  name: string;
  /** Id of the object credential: a UUID that the platform generates. */
  credential_id: string;
  /** Name of the bucket: 3 to 63 lower-case letters, digits, dots and hyphens. */
  bucket: string;
  /** Operations that can be presigned. */
  allowed_operations: ObjectOperationInput[];
  /** Prefix of every key, for example `firmware/`. The platform appends object_key to it. At most 512 bytes, empty by default. */
  key_prefix?: string;
  /** Content types that can be uploaded; null if every type is allowed. */
  allowed_content_types?: string[] | null;
  /** Maximum size of an upload, in bytes: 1 to 5368709120 (5 GiB), 5368709120 by default. */
  max_object_bytes?: number;
  /** Maximum lifetime of a presigned URL, in seconds: 1 to 604800 (7 days), 3600 by default. */
  max_expires_in_seconds?: number;
  /** ACTIVE by default. */
  status?: ObjectConfigStatusInput;
}
export interface ObjectResourceDeleted {
  /** Id of the object resource: a UUID that the platform generates. */
  resource_id: string;
  /** Always true. */
  deleted: boolean;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
export interface ObjectResourceUpdate {
  /** Display name: 1 to 128 printable characters. */
  name?: string;
  /** Id of the object credential: a UUID that the platform generates. */
  credential_id?: string;
  /** Name of the bucket: 3 to 63 lower-case letters, digits, dots and hyphens. */
  bucket?: string;
  /** Operations that can be presigned. */
  allowed_operations?: ObjectOperationInput[];
  /** Prefix of every key, for example `firmware/`. The platform appends object_key to it. At most 512 bytes, empty by default. */
  key_prefix?: string;
  /** Content types that can be uploaded; null if every type is allowed. */
  allowed_content_types?: string[] | null;
  /** Maximum size of an upload, in bytes: 1 to 5368709120 (5 GiB), 5368709120 by default. */
  max_object_bytes?: number;
  /** Maximum lifetime of a presigned URL, in seconds: 1 to 604800 (7 days), 3600 by default. */
  max_expires_in_seconds?: number;
  status?: ObjectConfigStatusInput;
}
export interface ParkedMessage {
  /** Id of the parked message: a UUID version 7. */
  parked_message_id: string;
  /** Tenant in the subject; `platform` if the subject contains no existing tenant. */
  tenant_id: string;
  /** When the message was refused. */
  parked_at: string;
  /** Subject of the message on the bus. */
  subject: string;
  /** Kind of the message; null if the subject is not a subject of the platform. */
  kind: ParkedMessageKind | null;
  /** Vendor in the subject; null if there is none. */
  vendor: string | null;
  /** Why the message was refused. */
  reason: string;
  /** Invalid fields of the message, at most 20. `location` is the location of the field in `body`. Empty if the reason concerns the message as a whole. */
  details: {
    /** Location of the problem: the part of the request and a JSON Pointer (RFC 6901) into it, for example `body/payload/speed` or `query/limit`. For a header: `header/` and its name. */
    location: string;
    /** Machine-readable code of the problem. */
    code: string;
    /** Human-readable description of the problem. */
    message: string;
  }[];
  /** Whether parkedMessages.retry can publish the message again. false if only a part of the message is stored, because it is larger than 64 KiB. false if the subject is not a subject of the platform. Also false for a COMMAND, because the command has already ended as FAILED. */
  can_retry: boolean;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
/** Encoding of `body`. UTF-8: text. BASE64: the bytes are not valid UTF-8. */
export type ParkedMessageBodyEncoding = "UTF-8" | "BASE64" | (string & {});
export interface ParkedMessageDeleted {
  /** Id of the parked message: a UUID version 7. */
  parked_message_id: string;
  /** Always true. */
  deleted: boolean;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
/** Kind of the message, derived from its subject. COMMAND_UPDATE and DEVICE_REQUEST: an adapter sent the message, and the platform refused it. COMMAND, DEVICE_REPLY and EVENT: the platform sent the message, and the messaging bus refused it. */
export type ParkedMessageKind = "COMMAND" | "COMMAND_UPDATE" | "DEVICE_REQUEST" | "DEVICE_REPLY" | "EVENT" | (string & {});
/** Kind of the message, derived from its subject. COMMAND_UPDATE and DEVICE_REQUEST: an adapter sent the message, and the platform refused it. COMMAND, DEVICE_REPLY and EVENT: the platform sent the message, and the messaging bus refused it. */
export type ParkedMessageKindInput = "COMMAND" | "COMMAND_UPDATE" | "DEVICE_REQUEST" | "DEVICE_REPLY" | "EVENT";
export interface ParkedMessageRetried {
  /** Id of the parked message: a UUID version 7. */
  parked_message_id: string;
  /** Always true: the message is published. A COMMAND_UPDATE or DEVICE_REQUEST stays parked until the platform has processed it. */
  retried: boolean;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
export type ParkedMessageRetry = Record<string, never>;
export interface ParkedMessageWithBody extends ParkedMessage {
  /** Content of the message. If the message is larger than 64 KiB, only the first 4,096 bytes are stored. */
  body: string;
  body_encoding: ParkedMessageBodyEncoding;
}
export interface PlatformEvent {
  /** Id of the event: a UUID version 7. All copies of an event have the same id. */
  event_id: string;
  event_type: EventType;
  /** Version of the event schema. */
  schema_version: 1;
  /** Id of the tenant. */
  tenant_id: string;
  /** When the event occurred. */
  occurred_at: string;
  request: EventRequest;
  data: EventData;
}
/** A share of the tenants whose messages one worker publishes. */
export interface PlatformSlot {
  /** Number of the slot, 0 to 15. Each tenant belongs to one slot. */
  slot: number;
  /** Worker that holds the slot; null if no worker holds it. */
  worker: string | null;
  /** How long its oldest unpublished event has waited, in seconds. null: none waits. */
  oldest_event_seconds: number | null;
}
export interface PlatformState {
  /** Accepted, and not yet published on the messaging bus. */
  outbox: {
    /** Number of accepted commands and device replies that wait to be published, counted up to 10,000. */
    waiting: number;
    /** How long the oldest has waited, in seconds. null: none waits. */
    oldest_seconds: number | null;
  };
  /** Events that are not yet published. */
  events: {
    /** Number of events that wait to be published, counted up to 10,000. */
    waiting: number;
    /** How long the oldest has waited, in seconds. null: none waits. */
    oldest_seconds: number | null;
  };
  /** Number of parked messages of all tenants, counted up to 10,000. */
  parked_messages: number;
  /** Vendors of the catalog, by name, at most 1,000. */
  vendors: PlatformVendor[];
  /** All slots, by number. */
  slots: PlatformSlot[];
  /** Live workers. A process with `ROLE=api` is not one. */
  workers: PlatformWorker[];
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
export interface PlatformVendor {
  /** Vendor in the platform catalog, for example `vendor_a`. */
  vendor: string;
  /** Whether the platform accepts commands for devices of this vendor. */
  enabled: boolean;
  /** When an adapter of any tenant last read commands of the vendor. null: never. */
  last_read_at: string | null;
}
/** A process that publishes messages and ends overdue commands. */
export interface PlatformWorker {
  /** Id of the worker. */
  worker: string;
  /** false: the worker cannot reach the messaging bus. */
  can_publish: boolean;
}
export interface Policy {
  /** Id of the policy: a UUID that the platform generates. */
  policy_id: string;
  /** Id of the credential, unique on the whole platform, also without regard to case. Every request that the credential signs has this id in the header X-Api-Id. */
  client_id: string;
  /** Scope that the policy grants. */
  scope: Scope;
  /** When the policy was created. */
  created_at: string;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
export interface PolicyCreate {
  /** Id of the credential, unique on the whole platform, also without regard to case. Every request that the credential signs has this id in the header X-Api-Id. */
  client_id: string;
  /** Scope in the form object:action. For example, `open:command:read` has the object `open:command` and the action `read`. */
  scope: Scope;
}
export interface PolicyDeleted {
  /** Id of the policy: a UUID that the platform generates. */
  policy_id: string;
  /** Always true. */
  deleted: boolean;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
export interface PresignRequest {
  operation: ObjectOperationInput;
  /** Id of the object resource: a UUID that the platform generates. */
  resource_id: string;
  /** Key of the object, without the key_prefix of the resource. It must not have a leading slash, a `.` or `..` segment, or a control character. With the prefix, it has at most 1,024 bytes of UTF-8. */
  object_key: string;
  /** How long the URL is valid, in seconds: from 1 to max_expires_in_seconds of the resource. The default is 900, or max_expires_in_seconds if that is lower. */
  expires_in_seconds?: number;
  /** Media type of the object. Required for UPLOAD, not allowed for DOWNLOAD. The signature covers it: the store refuses any other value. */
  content_type?: string;
  /** Size of the object, in bytes. Required for UPLOAD, not allowed for DOWNLOAD. The signature covers it: the store refuses any other size. */
  content_length?: number;
  /** SHA-256 of the content, in base64. Optional for UPLOAD, not allowed for DOWNLOAD. The signature covers it. Amazon S3 refuses content with another checksum; other stores may not check it. */
  checksum_sha256?: string;
  /** Content-Disposition header in the response of the store, for example `attachment; filename="log.txt"`. Allowed only for DOWNLOAD. */
  response_content_disposition?: string;
}
/** HTTP method of the request to the store: PUT for UPLOAD, GET for DOWNLOAD. */
export type PresignedMethod = "PUT" | "GET" | (string & {});
export interface PresignedRequest {
  /** Id of this presign request: a UUID. Quote it when you report a problem. */
  presign_id: string;
  operation: ObjectOperation;
  method: PresignedMethod;
  /** The presigned URL. Anyone with the URL can use it until it expires: treat it as a secret. */
  url: string;
  /** Send these headers unchanged to the store: the signature covers them. You can omit Content-Length if your client sets it automatically. */
  headers: {
    [key: string]: string;
  };
  /** Id of the object resource: a UUID that the platform generates. */
  resource_id: string;
  /** The object_key of the request, without key_prefix. */
  object_key: string;
  /** When the URL expires. It stops working earlier if the access key or its session token becomes invalid. */
  expires_at: string;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
export interface Progress {
  /** Steps done so far: 0 to `of`. */
  step: number;
  /** Number of all steps, for example 100 for percent: 1 to 1000000000. */
  of: number;
  /** When the message with this step reached the messaging bus. */
  reported_at: string;
}
/** Simplified status for end users. PENDING: `status` is ACCEPTED or DISPATCHED. SUCCEEDED: `status` is SUCCEEDED. UNKNOWN: the device may have executed the command, because `status` is TIMED_OUT or `device_execution_status` is UNKNOWN. FAILED: any other final `status`. */
export type PublicStatus = "PENDING" | "SUCCEEDED" | "FAILED" | "UNKNOWN" | (string & {});
/** SUCCESS: the request succeeded. ERROR: the request failed; see `error`. */
export type ReplyOutcome = "SUCCESS" | "ERROR" | (string & {});
/** SUCCESS: the request succeeded. ERROR: the request failed; see `error`. */
export type ReplyOutcomeInput = "SUCCESS" | "ERROR";
export interface Role {
  /** Name of the role, for example `command_reader`. */
  role: string;
  /** Scopes that the role grants. */
  scopes: Scope[];
  /** true for a built-in role, false for a custom role of the tenant. */
  built_in: boolean;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
export interface RoleBinding {
  /** Id of the credential, unique on the whole platform, also without regard to case. Every request that the credential signs has this id in the header X-Api-Id. */
  client_id: string;
  /** Name of the role, for example `command_reader`. */
  role: string;
  /** When the role was bound. */
  created_at: string;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
export interface RoleBindingCreate {
  /** Id of the credential, unique on the whole platform, also without regard to case. Every request that the credential signs has this id in the header X-Api-Id. */
  client_id: string;
  /** Name of the role, for example `command_reader`. */
  role: string;
}
export interface RoleBindingDeleted {
  /** Id of the credential, unique on the whole platform, also without regard to case. Every request that the credential signs has this id in the header X-Api-Id. */
  client_id: string;
  /** Name of the role, for example `command_reader`. */
  role: string;
  /** Always true. */
  deleted: boolean;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
export interface RoleDeleted {
  /** Name of the role, for example `command_reader`. */
  role: string;
  /** Always true. */
  deleted: boolean;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
export interface RolePut {
  /** All scopes of the role, without duplicates. A scope that is missing here is revoked. */
  scopes: Scope[];
}
/** Scope in the form object:action. For example, `open:command:read` has the object `open:command` and the action `read`. */
export type Scope = "open:command:create" | "open:command:read" | "open:object:create" | "open:object-config:create" | "open:object-config:read" | "open:object-config:update" | "open:callback:create" | "open:callback:read" | "open:callback:update" | "open:callback:disable" | "open:device-request:read" | "open:device-request:create" | "open:command:cancel" | "open:object-config:delete" | "open:event:read" | "open:catalog:read" | "platform:tenant:create" | "platform:tenant:read" | "platform:tenant:update" | "platform:tenant:delete" | "platform:tenant:export" | "platform:credential:create" | "platform:credential:read" | "platform:credential:update" | "platform:bus-principal:create" | "platform:bus-principal:read" | "platform:bus-principal:update" | "platform:access:create" | "platform:access:read" | "platform:access:update" | "platform:access:delete" | "platform:catalog:read" | "platform:catalog:update" | "platform:audit:read" | "platform:parked-message:read" | "platform:parked-message:retry" | "platform:parked-message:delete" | "platform:state:read" | (string & {});
export interface Tenant {
  /** Id of the tenant. */
  tenant_id: string;
  /** Display name: 1 to 128 printable characters. The name of a DELETED tenant is its tenant_id. */
  name: string;
  status: TenantStatus;
  /** Vendors that the tenant can use. The list applies to commands, to catalog.get and to messaging-bus principals. null: every enabled vendor. */
  vendors: string[] | null;
  /** Maximum number of requests of all credentials of the tenant together, per minute and per server instance: 1 to 1000000000. null: the default of the platform, which the operator sets with REQUESTS_PER_MINUTE_PER_TENANT. me.get returns the limit in effect. A change applies from the next request of the tenant. */
  requests_per_minute: number | null;
  /** Progress of the deletion; null until it begins. */
  deletion: {
    /** When the deletion was requested. */
    requested_at: string;
    /** Number of rows deleted so far. */
    rows_deleted: number;
    /** When the deletion finished; null until then. */
    finished_at: string | null;
  } | null;
  /** Address of the platform of a MOVED tenant; otherwise null. */
  moved_to?: string | null;
  /** When the tenant was created. */
  created_at: string;
  /** When the tenant was last changed. */
  updated_at: string;
  /** Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem. */
  request_id: string;
}
export interface TenantCreate {
  /** Id of the tenant. */
  tenant_id: string;
  /** Display name: 1 to 128 printable characters. */
  name: string;
  /** ACTIVE by default. */
  status?: TenantStatusToSetInput;
  /** Vendors that the tenant can use. The list applies to commands, to catalog.get and to messaging-bus principals. null: every enabled vendor. */
  vendors?: string[] | null;
  /** Maximum number of requests of all credentials of the tenant together, per minute and per server instance: 1 to 1000000000. null: the default of the platform, which the operator sets with REQUESTS_PER_MINUTE_PER_TENANT. me.get returns the limit in effect. A change applies from the next request of the tenant. */
  requests_per_minute?: number | null;
}
export interface TenantExportItem {
  type: TenantExportType;
  /** Stored fields of the item, without secrets, encrypted values and hashes. */
  data: {
    [key: string]: unknown;
  };
}
/** Type of the exported item. */
export type TenantExportType = "tenant" | "role" | "credential" | "role_binding" | "policy" | "bus_principal" | "callback_endpoint" | "callback_subscription" | "object_credential" | "object_resource" | "object_grant" | "command" | "event" | "device_request" | "parked_message" | "audit_event" | (string & {});
/** ACTIVE: the credentials of the tenant can sign requests. DISABLED: the platform refuses all requests of the tenant. MOVING: its requests get 503 until the operator has moved it. MOVED: it is at `moved_to`. DELETING: the platform is deleting the data of the tenant. DELETED: the data of the tenant is deleted. Its tenant_id and its client ids can never be used again. A deletion cannot be undone. */
export type TenantStatus = "ACTIVE" | "DISABLED" | "MOVING" | "MOVED" | "DELETING" | "DELETED" | (string & {});
/** ACTIVE: the credentials of the tenant can sign requests. DISABLED: the platform refuses all requests of the tenant. MOVING: its requests get 503 until the operator has moved it. MOVED: it is at `moved_to`. DELETING: the platform is deleting the data of the tenant. DELETED: the data of the tenant is deleted. Its tenant_id and its client ids can never be used again. A deletion cannot be undone. */
export type TenantStatusInput = "ACTIVE" | "DISABLED" | "MOVING" | "MOVED" | "DELETING" | "DELETED";
/** ACTIVE: the credentials of the tenant can sign requests. DISABLED: the platform refuses all requests of the tenant. A change applies from the next request of the tenant. */
export type TenantStatusToSetInput = "ACTIVE" | "DISABLED";
export interface TenantUpdate {
  /** Display name: 1 to 128 printable characters. */
  name?: string;
  status?: TenantStatusToSetInput;
  /** Vendors that the tenant can use. The list applies to commands, to catalog.get and to messaging-bus principals. null: every enabled vendor. */
  vendors?: string[] | null;
  /** Maximum number of requests of all credentials of the tenant together, per minute and per server instance: 1 to 1000000000. null: the default of the platform, which the operator sets with REQUESTS_PER_MINUTE_PER_TENANT. me.get returns the limit in effect. A change applies from the next request of the tenant. */
  requests_per_minute?: number | null;
}
export interface VendorPut {
  /** Whether the platform accepts commands for devices of this vendor. */
  enabled: boolean;
}
export interface PageQuery {
  /** Maximum number of items in the page: 1 to 500, 100 by default. A page can have fewer items, even if more follow: it ends after about 1 MiB of data, or after the platform has read 5,000 items that do not match the filters. */
  limit?: number;
  /** `next_cursor` of the previous page. Send the same filters with it. The cursor is opaque. */
  cursor?: string;
}
export interface CommandListQuery extends PageQuery {
  /** desc: newest first. asc: oldest first. By default desc. */
  order?: "asc" | "desc";
  /** Only commands with one of these statuses. */
  status?: CommandStatusInput | CommandStatusInput[];
  /** true: only commands with a final status. false: only ACCEPTED and DISPATCHED commands. */
  is_final?: boolean;
  /** true: only commands with `late_result`: an outcome that came after the final status. false: only commands without one. */
  has_late_result?: boolean;
  /** Only commands for this vendor. */
  vendor?: string;
  /** Only commands for this device. */
  device_id?: string;
  /** Only commands of this type. */
  command_type?: string;
  /** Only the command with this idempotency key. */
  idempotency_key?: string;
  /** Only commands of this batch. */
  batch_id?: string;
  /** Only commands that this credential created. */
  created_by_client_id?: string;
  /** Only commands with this `code` in status_reason, for example UNREACHABLE. 1 to 128 characters. */
  reason?: string;
  /** Only commands accepted at or after this time. */
  accepted_after?: string;
  /** Only commands accepted before this time. */
  accepted_before?: string;
  /** Only commands that ended at or after this time, and were accepted at most 24 hours before it. A command ends within minutes, unless the platform was stopped. */
  completed_after?: string;
  /** Only commands that ended before this time. */
  completed_before?: string;
}
export interface CommandGetQuery {
  /** Long polling: maximum waiting time in seconds, 0 to 30. By default 0: the platform responds immediately. */
  wait_seconds?: number;
  /** `updated_at` of the command in the last response that you received. With wait_seconds, the platform waits until `updated_at` has another value. */
  seen_updated_at?: string;
}
export interface CommandSummaryQuery {
  /** Only commands of this batch. */
  batch_id?: string;
  /** Only commands accepted at or after this time. */
  accepted_after?: string;
  /** Only commands accepted before this time. */
  accepted_before?: string;
  /** Only commands that are older than the command with this id. Send `next_older_than` of the previous response with the same filters. */
  older_than?: string;
  /** Count the commands also in `groups`: one group for each combination of these properties. */
  group_by?: CommandGroupingInput | CommandGroupingInput[];
}
export interface CommandFiguresQuery {
  /** Only commands that ended at or after this time, rounded down to the interval. By default one hour ago; with batch_id the acceptance of the batch. */
  completed_after?: string;
  /** Only commands that ended before this time, rounded up to the interval. By default now. */
  completed_before?: string;
  /** Only commands for this vendor. */
  vendor?: string;
  /** Only commands of this batch. */
  batch_id?: string;
  /** Count the commands also in `groups`, by this property. */
  group_by?: CommandFigureGroupingInput;
}
export interface DeviceRequestListQuery {
  /** Maximum number of items in the page: 1 to 500, 100 by default. A page can have fewer items, even if more follow: it ends after about 1 MiB of data, or after the platform has read 5,000 items that do not match the filters. */
  limit?: number;
  /** `next_cursor` of a page or `cursor` of an item. Send the same filters with it. The cursor is opaque and does not expire. */
  cursor?: string;
  /** desc: newest first. asc: oldest first; use it to follow new requests. By default desc. */
  order?: "asc" | "desc";
  /** Only requests with this status. */
  status?: DeviceRequestStatusInput;
  /** Only requests from devices of this vendor. */
  vendor?: string;
  /** Only requests from this device. */
  device_id?: string;
  /** Only requests of this type. */
  request_type?: string;
  /** Only requests received at or after this time. */
  received_after?: string;
  /** Only requests received before this time. */
  received_before?: string;
  /** Only requests that were received or replied to at or after this time. With wait_seconds and no cursor, the platform waits for the next request or the next reply. A page after a cursor does not have the requests before the cursor, even if they get a reply. To follow replies, send a later changed_after instead of a cursor. */
  changed_after?: string;
  /** Long polling: maximum waiting time in seconds, 0 to 30. By default 0: the platform responds immediately. */
  wait_seconds?: number;
}
export interface EventListQuery {
  /** Maximum number of items in the page: 1 to 500, 100 by default. A page can have fewer items, even if more follow: it ends after about 1 MiB of data, or after the platform has read 5,000 items that do not match the filters. */
  limit?: number;
  /** `next_cursor` of a page or `cursor` of an item. Send the same filters with it. The cursor is opaque and does not expire. */
  cursor?: string;
  /** Start of the list, if you send no cursor. Allowed only with order=asc. `now`: after the newest event. An RFC 3339 time: the first event logged at or after it. With order=asc and without `from`, the list starts at the oldest event. Omit `from` when you send a cursor. */
  from?: string;
  /** asc: oldest first. desc: newest first. With desc, wait_seconds has no effect. By default asc. */
  order?: "asc" | "desc";
  /** Only events of this type. */
  event_type?: EventTypeInput;
  /** Only events of this command. */
  command_id?: string;
  /** Only events that occurred at or after this time. */
  occurred_after?: string;
  /** Only events that occurred before this time. */
  occurred_before?: string;
  /** Long polling: maximum waiting time in seconds, 0 to 30. By default 0: the platform responds immediately. */
  wait_seconds?: number;
}
export interface ObjectCredentialListQuery extends PageQuery {
  /** Only credentials with one of these statuses. */
  status?: ObjectConfigStatusInput | ObjectConfigStatusInput[];
}
export interface ObjectResourceListQuery extends PageQuery {
  /** Only resources of this object credential. */
  credential_id?: string;
  /** Only resources with one of these statuses. */
  status?: ObjectConfigStatusInput | ObjectConfigStatusInput[];
}
export interface CallbackEndpointListQuery extends PageQuery {
  /** Only endpoints with one of these statuses. */
  status?: CallbackEndpointStatusInput | CallbackEndpointStatusInput[];
}
export interface CallbackSubscriptionListQuery extends PageQuery {
  /** Only subscriptions with one of these statuses. */
  status?: CallbackSubscriptionStatusInput | CallbackSubscriptionStatusInput[];
}
export interface TenantListQuery extends PageQuery {
  /** Only tenants with one of these statuses. */
  status?: TenantStatusInput | TenantStatusInput[];
}
export interface TenantDeleteQuery {
  /** Repeat the tenant_id to confirm. */
  confirm: string;
}
export interface TenantExportQuery extends PageQuery {
}
export interface CredentialListQuery extends PageQuery {
  /** Only credentials with one of these statuses. */
  status?: CredentialStatusInput | CredentialStatusInput[];
}
export interface RoleListQuery extends PageQuery {
}
export interface RoleBindingListQuery extends PageQuery {
  /** Only bindings of this credential. */
  client_id?: string;
  /** Only bindings to this role. */
  role?: string;
  /** Only bindings to roles that grant this scope. */
  scope?: Scope;
}
export interface PolicyListQuery extends PageQuery {
  /** Only policies of this credential. */
  client_id?: string;
  /** Only policies that grant this scope. */
  scope?: Scope;
}
export interface PolicyRevokeQuery {
  /** Id of the credential, unique on the whole platform, also without regard to case. Every request that the credential signs has this id in the header X-Api-Id. */
  client_id: string;
  /** Scope in the form object:action. For example, `open:command:read` has the object `open:command` and the action `read`. */
  scope: Scope;
}
export interface AccesExplainQuery {
  /** Operation id, for example `commands.create`. */
  operation: string;
}
export interface AccesListQuery extends PageQuery {
  /** Only role bindings and policies that grant this scope. */
  scope?: Scope;
  /** Only bindings to this role. */
  role?: string;
}
export interface BusPrincipalListQuery extends PageQuery {
  /** Only principals of this credential. */
  client_id?: string;
  /** Only principals with this status. */
  status?: BusPrincipalStatusInput;
}
export interface VendorListQuery extends PageQuery {
}
export interface CommandTypeListQuery extends PageQuery {
}
export interface AuditEventListQuery extends PageQuery {
  /** Only audit events of requests that this credential sent. */
  client_id?: string;
  /** Only audit events of this operation. */
  operation?: string;
  /** Only audit events with this outcome. */
  outcome?: AuditOutcomeInput;
  /** Only audit events of this resource, for example `platform/tenants/demo/credentials/demo`. */
  target?: string;
  /** Only audit events of requests from this IP address. */
  source_address?: string;
  /** Only audit events at or after this time. */
  occurred_after?: string;
  /** Only audit events before this time. */
  occurred_before?: string;
}
export interface ParkedMessageListQuery extends PageQuery {
  /** Only messages of this kind. */
  kind?: ParkedMessageKindInput;
  /** Only messages of this vendor. */
  vendor?: string;
  /** Only messages parked at or after this time. */
  parked_after?: string;
  /** Only messages parked before this time. */
  parked_before?: string;
}

/** The request and the answer of each operation. A list answers pages of its answer. */
export interface Operations {
  'commands.create': { request: { body: CommandCreate }; answer: CommandAccepted };
  'commands.list': { request: { query?: CommandListQuery | undefined }; answer: Command };
  'commands.createMany': { request: { body: CommandBatchCreate }; answer: CommandBatch };
  'commands.get': { request: { path: [command_id: string]; query?: CommandGetQuery | undefined }; answer: Command };
  'commands.summary': { request: { query?: CommandSummaryQuery | undefined }; answer: CommandSummary };
  'commands.figures': { request: { query?: CommandFiguresQuery | undefined }; answer: CommandFigures };
  'commands.cancel': { request: { path: [command_id: string]; body?: CommandCancel }; answer: Command };
  'deviceRequests.list': { request: { query?: DeviceRequestListQuery | undefined }; answer: ListedDeviceRequest };
  'deviceRequests.get': { request: { path: [request_id: string] }; answer: DeviceRequest };
  'deviceRequests.reply': { request: { path: [request_id: string]; body: DeviceRequestReply }; answer: DeviceRequest };
  'events.list': { request: { query?: EventListQuery | undefined }; answer: ListedEvent };
  'catalog.get': { request: {  }; answer: Catalog };
  'objects.presign': { request: { body: PresignRequest }; answer: PresignedRequest };
  'objectCredentials.create': { request: { body: ObjectCredentialCreate }; answer: ObjectCredential };
  'objectCredentials.list': { request: { query?: ObjectCredentialListQuery | undefined }; answer: ObjectCredential };
  'objectCredentials.get': { request: { path: [credential_id: string] }; answer: ObjectCredential };
  'objectCredentials.update': { request: { path: [credential_id: string]; body: ObjectCredentialUpdate }; answer: ObjectCredential };
  'objectCredentials.delete': { request: { path: [credential_id: string] }; answer: ObjectCredentialDeleted };
  'objectResources.create': { request: { body: ObjectResourceCreate }; answer: ObjectResource };
  'objectResources.list': { request: { query?: ObjectResourceListQuery | undefined }; answer: ObjectResource };
  'objectResources.get': { request: { path: [resource_id: string] }; answer: ObjectResource };
  'objectResources.update': { request: { path: [resource_id: string]; body: ObjectResourceUpdate }; answer: ObjectResource };
  'objectResources.delete': { request: { path: [resource_id: string] }; answer: ObjectResourceDeleted };
  'callbackEndpoints.create': { request: { body: CallbackEndpointCreate }; answer: CallbackEndpointWithSecret };
  'callbackEndpoints.list': { request: { query?: CallbackEndpointListQuery | undefined }; answer: CallbackEndpoint };
  'callbackEndpoints.get': { request: { path: [endpoint_id: string] }; answer: CallbackEndpoint };
  'callbackEndpoints.update': { request: { path: [endpoint_id: string]; body: CallbackEndpointUpdate }; answer: CallbackEndpointUpdated };
  'callbackEndpoints.delete': { request: { path: [endpoint_id: string] }; answer: CallbackEndpointDeleted };
  'callbackSubscriptions.create': { request: { path: [endpoint_id: string]; body: CallbackSubscriptionCreate }; answer: CallbackSubscription };
  'callbackSubscriptions.list': { request: { path: [endpoint_id: string]; query?: CallbackSubscriptionListQuery | undefined }; answer: CallbackSubscription };
  'callbackSubscriptions.update': { request: { path: [endpoint_id: string, subscription_id: string]; body: CallbackSubscriptionUpdate }; answer: CallbackSubscription };
  'callbackSubscriptions.delete': { request: { path: [endpoint_id: string, subscription_id: string] }; answer: CallbackSubscriptionDeleted };
  'me.get': { request: {  }; answer: Me };
  'tenants.create': { request: { body: TenantCreate }; answer: Tenant };
  'tenants.list': { request: { query?: TenantListQuery | undefined }; answer: Tenant };
  'tenants.get': { request: { path: [tenant_id: string] }; answer: Tenant };
  'tenants.update': { request: { path: [tenant_id: string]; body: TenantUpdate }; answer: Tenant };
  'tenants.delete': { request: { path: [tenant_id: string]; query: TenantDeleteQuery }; answer: Tenant };
  'tenants.export': { request: { path: [tenant_id: string]; query?: TenantExportQuery | undefined }; answer: TenantExportItem };
  'credentials.create': { request: { path: [tenant_id: string]; body: CredentialCreate }; answer: CredentialWithSecret };
  'credentials.list': { request: { path: [tenant_id: string]; query?: CredentialListQuery | undefined }; answer: Credential };
  'credentials.get': { request: { path: [tenant_id: string, client_id: string] }; answer: Credential };
  'credentials.update': { request: { path: [tenant_id: string, client_id: string]; body: CredentialUpdate }; answer: CredentialUpdated };
  'roles.list': { request: { path: [tenant_id: string]; query?: RoleListQuery | undefined }; answer: Role };
  'roles.put': { request: { path: [tenant_id: string, role: string]; body: RolePut }; answer: Role };
  'roles.delete': { request: { path: [tenant_id: string, role: string] }; answer: RoleDeleted };
  'roleBindings.create': { request: { path: [tenant_id: string]; body: RoleBindingCreate }; answer: RoleBinding };
  'roleBindings.list': { request: { path: [tenant_id: string]; query?: RoleBindingListQuery | undefined }; answer: RoleBinding };
  'roleBindings.delete': { request: { path: [tenant_id: string, client_id: string, role: string] }; answer: RoleBindingDeleted };
  'policies.create': { request: { path: [tenant_id: string]; body: PolicyCreate }; answer: Policy };
  'policies.list': { request: { path: [tenant_id: string]; query?: PolicyListQuery | undefined }; answer: Policy };
  'policies.revoke': { request: { path: [tenant_id: string]; query: PolicyRevokeQuery }; answer: Policy };
  'policies.delete': { request: { path: [tenant_id: string, policy_id: string] }; answer: PolicyDeleted };
  'access.explain': { request: { path: [tenant_id: string, client_id: string]; query: AccesExplainQuery }; answer: AccessExplanation };
  'access.list': { request: { path: [tenant_id: string]; query?: AccesListQuery | undefined }; answer: Holder };
  'busPrincipals.create': { request: { path: [tenant_id: string]; body: BusPrincipalCreate }; answer: BusPrincipal };
  'busPrincipals.list': { request: { path: [tenant_id: string]; query?: BusPrincipalListQuery | undefined }; answer: BusPrincipal };
  'busPrincipals.get': { request: { path: [tenant_id: string, principal_id: string] }; answer: BusPrincipal };
  'busPrincipals.update': { request: { path: [tenant_id: string, principal_id: string]; body: BusPrincipalUpdate }; answer: BusPrincipal };
  'vendors.list': { request: { query?: VendorListQuery | undefined }; answer: CatalogVendor };
  'vendors.put': { request: { path: [vendor: string]; body: VendorPut }; answer: CatalogVendor };
  'commandTypes.list': { request: { path: [vendor: string]; query?: CommandTypeListQuery | undefined }; answer: CatalogCommandType };
  'commandTypes.put': { request: { path: [vendor: string, command_type: string]; body: CommandTypePut }; answer: CatalogCommandType };
  'auditEvents.list': { request: { path: [tenant_id: string]; query?: AuditEventListQuery | undefined }; answer: AuditEvent };
  'parkedMessages.list': { request: { path: [tenant_id: string]; query?: ParkedMessageListQuery | undefined }; answer: ParkedMessage };
  'parkedMessages.get': { request: { path: [tenant_id: string, parked_message_id: string] }; answer: ParkedMessageWithBody };
  'parkedMessages.delete': { request: { path: [tenant_id: string, parked_message_id: string] }; answer: ParkedMessageDeleted };
  'parkedMessages.retry': { request: { path: [tenant_id: string, parked_message_id: string]; body?: ParkedMessageRetry }; answer: ParkedMessageRetried };
  'platform.get': { request: {  }; answer: PlatformState };
}

/** list: the query of a list, which answers pages. keyed body: safe to repeat by the header Idempotency-Key. */
export type Takes = 'body' | 'keyed body' | 'query' | 'list';

/** The method and the path of each operation, and what a call takes after the ids of the path. */
export const operations: { readonly [Name in keyof Operations]: readonly [method: string, path: string, takes?: Takes] } = {
  'commands.create': ['POST', '/api/v1/open/downlink/commands', 'body'],
  'commands.list': ['GET', '/api/v1/open/downlink/commands', 'list'],
  'commands.createMany': ['POST', '/api/v1/open/downlink/command-batches', 'body'],
  'commands.get': ['GET', '/api/v1/open/downlink/commands/{command_id}', 'query'],
  'commands.summary': ['GET', '/api/v1/open/downlink/command-summary', 'query'],
  'commands.figures': ['GET', '/api/v1/open/downlink/command-figures', 'query'],
  'commands.cancel': ['POST', '/api/v1/open/downlink/commands/{command_id}/cancel'],
  'deviceRequests.list': ['GET', '/api/v1/open/device-requests', 'list'],
  'deviceRequests.get': ['GET', '/api/v1/open/device-requests/{request_id}'],
  'deviceRequests.reply': ['POST', '/api/v1/open/device-requests/{request_id}/reply', 'body'],
  'events.list': ['GET', '/api/v1/open/events', 'list'],
  'catalog.get': ['GET', '/api/v1/open/catalog'],
  'objects.presign': ['POST', '/api/v1/open/objects/presign', 'body'],
  'objectCredentials.create': ['POST', '/api/v1/open/objects/credentials', 'keyed body'],
  'objectCredentials.list': ['GET', '/api/v1/open/objects/credentials', 'list'],
  'objectCredentials.get': ['GET', '/api/v1/open/objects/credentials/{credential_id}'],
  'objectCredentials.update': ['PUT', '/api/v1/open/objects/credentials/{credential_id}', 'keyed body'],
  'objectCredentials.delete': ['DELETE', '/api/v1/open/objects/credentials/{credential_id}'],
  'objectResources.create': ['POST', '/api/v1/open/objects/resources', 'keyed body'],
  'objectResources.list': ['GET', '/api/v1/open/objects/resources', 'list'],
  'objectResources.get': ['GET', '/api/v1/open/objects/resources/{resource_id}'],
  'objectResources.update': ['PUT', '/api/v1/open/objects/resources/{resource_id}', 'body'],
  'objectResources.delete': ['DELETE', '/api/v1/open/objects/resources/{resource_id}'],
  'callbackEndpoints.create': ['POST', '/api/v1/open/callbacks/endpoints', 'keyed body'],
  'callbackEndpoints.list': ['GET', '/api/v1/open/callbacks/endpoints', 'list'],
  'callbackEndpoints.get': ['GET', '/api/v1/open/callbacks/endpoints/{endpoint_id}'],
  'callbackEndpoints.update': ['PUT', '/api/v1/open/callbacks/endpoints/{endpoint_id}', 'keyed body'],
  'callbackEndpoints.delete': ['DELETE', '/api/v1/open/callbacks/endpoints/{endpoint_id}'],
  'callbackSubscriptions.create': ['POST', '/api/v1/open/callbacks/endpoints/{endpoint_id}/subscriptions', 'keyed body'],
  'callbackSubscriptions.list': ['GET', '/api/v1/open/callbacks/endpoints/{endpoint_id}/subscriptions', 'list'],
  'callbackSubscriptions.update': ['PUT', '/api/v1/open/callbacks/endpoints/{endpoint_id}/subscriptions/{subscription_id}', 'body'],
  'callbackSubscriptions.delete': ['DELETE', '/api/v1/open/callbacks/endpoints/{endpoint_id}/subscriptions/{subscription_id}'],
  'me.get': ['GET', '/api/v1/open/me'],
  'tenants.create': ['POST', '/api/v1/platform/tenants', 'keyed body'],
  'tenants.list': ['GET', '/api/v1/platform/tenants', 'list'],
  'tenants.get': ['GET', '/api/v1/platform/tenants/{tenant_id}'],
  'tenants.update': ['PUT', '/api/v1/platform/tenants/{tenant_id}', 'body'],
  'tenants.delete': ['DELETE', '/api/v1/platform/tenants/{tenant_id}', 'query'],
  'tenants.export': ['GET', '/api/v1/platform/tenants/{tenant_id}/export', 'list'],
  'credentials.create': ['POST', '/api/v1/platform/tenants/{tenant_id}/credentials', 'keyed body'],
  'credentials.list': ['GET', '/api/v1/platform/tenants/{tenant_id}/credentials', 'list'],
  'credentials.get': ['GET', '/api/v1/platform/tenants/{tenant_id}/credentials/{client_id}'],
  'credentials.update': ['PUT', '/api/v1/platform/tenants/{tenant_id}/credentials/{client_id}', 'keyed body'],
  'roles.list': ['GET', '/api/v1/platform/tenants/{tenant_id}/roles', 'list'],
  'roles.put': ['PUT', '/api/v1/platform/tenants/{tenant_id}/roles/{role}', 'body'],
  'roles.delete': ['DELETE', '/api/v1/platform/tenants/{tenant_id}/roles/{role}'],
  'roleBindings.create': ['POST', '/api/v1/platform/tenants/{tenant_id}/role-bindings', 'keyed body'],
  'roleBindings.list': ['GET', '/api/v1/platform/tenants/{tenant_id}/role-bindings', 'list'],
  'roleBindings.delete': ['DELETE', '/api/v1/platform/tenants/{tenant_id}/role-bindings/{client_id}/{role}'],
  'policies.create': ['POST', '/api/v1/platform/tenants/{tenant_id}/policies', 'keyed body'],
  'policies.list': ['GET', '/api/v1/platform/tenants/{tenant_id}/policies', 'list'],
  'policies.revoke': ['DELETE', '/api/v1/platform/tenants/{tenant_id}/policies', 'query'],
  'policies.delete': ['DELETE', '/api/v1/platform/tenants/{tenant_id}/policies/{policy_id}'],
  'access.explain': ['GET', '/api/v1/platform/tenants/{tenant_id}/access/{client_id}', 'query'],
  'access.list': ['GET', '/api/v1/platform/tenants/{tenant_id}/access', 'list'],
  'busPrincipals.create': ['POST', '/api/v1/platform/tenants/{tenant_id}/bus/principals', 'keyed body'],
  'busPrincipals.list': ['GET', '/api/v1/platform/tenants/{tenant_id}/bus/principals', 'list'],
  'busPrincipals.get': ['GET', '/api/v1/platform/tenants/{tenant_id}/bus/principals/{principal_id}'],
  'busPrincipals.update': ['PUT', '/api/v1/platform/tenants/{tenant_id}/bus/principals/{principal_id}', 'body'],
  'vendors.list': ['GET', '/api/v1/platform/catalog/vendors', 'list'],
  'vendors.put': ['PUT', '/api/v1/platform/catalog/vendors/{vendor}', 'body'],
  'commandTypes.list': ['GET', '/api/v1/platform/catalog/vendors/{vendor}/command-types', 'list'],
  'commandTypes.put': ['PUT', '/api/v1/platform/catalog/vendors/{vendor}/command-types/{command_type}', 'body'],
  'auditEvents.list': ['GET', '/api/v1/platform/tenants/{tenant_id}/audit-events', 'list'],
  'parkedMessages.list': ['GET', '/api/v1/platform/tenants/{tenant_id}/parked-messages', 'list'],
  'parkedMessages.get': ['GET', '/api/v1/platform/tenants/{tenant_id}/parked-messages/{parked_message_id}'],
  'parkedMessages.delete': ['DELETE', '/api/v1/platform/tenants/{tenant_id}/parked-messages/{parked_message_id}'],
  'parkedMessages.retry': ['POST', '/api/v1/platform/tenants/{tenant_id}/parked-messages/{parked_message_id}/retry'],
  'platform.get': ['GET', '/api/v1/platform/state'],
};
