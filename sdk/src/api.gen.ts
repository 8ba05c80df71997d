// Generated from contract/openapi.json by `pnpm golden`.
/** How far the command came with the vendor's adapter. */
export type AdapterStatus = "PENDING" | "SENT" | "DELIVERED" | "REJECTED" | "UNSUPPORTED" | "UNREACHABLE" | "FAILED" | "TIMED_OUT" | (string & {});
export interface AuditEvent {
  /** The entry: a UUID version 7. */
  audit_event_id: string;
  /** When the change was made or refused. */
  occurred_at: string;
  /** The tenant in whose log this is: the one that was changed; `platform` for the catalog and new tenants. What was denied is in the log of the caller. */
  tenant_id: string;
  /** Who asked for the change. A platform administrator may act on any tenant. */
  client_id: string;
  /** The operation by its name, for example `credentials.update`. */
  operation: string;
  /** What was to be changed: its path below /api/v1/, for example `platform/tenants/acme/credentials/acme-backend`. */
  target: string;
  /** The names of the fields that the request set. */
  changes: string[];
  /** The values that changed, by field, as they were before; null for a creation and for what was denied. A value above 2 KiB is replaced by its `bytes` and the `sha256` of its canonical JSON (RFC 8785). */
  before: {
    [key: string]: unknown;
  } | null;
  /** The same fields after the change; null for a deletion and for what was denied. Of a secret only that it was `set`, `rotated` or `removed`. A role binding also says the `scopes` that the role granted at that time. */
  after: {
    [key: string]: unknown;
  } | null;
  outcome: AuditOutcome;
  /** The correlation id of the request that asked for the change. */
  request_id: string;
}
/** DONE: the change was made. DENIED: it was refused with FORBIDDEN, and nothing changed. */
export type AuditOutcome = "DONE" | "DENIED" | (string & {});
/** DONE: the change was made. DENIED: it was refused with FORBIDDEN, and nothing changed. */
export type AuditOutcomeInput = "DONE" | "DENIED";
export interface BusPrincipal {
  /** The principal: a UUID made by the platform. */
  principal_id: string;
  /** The tenant, the boundary of data isolation. */
  tenant_id: string;
  /** The name of the user on the bus: 1 to 128 printable ASCII characters, no space. */
  bus_user: string;
  /** The public nkey of the account on the bus: 56 characters that begin with A. It belongs to one tenant. */
  bus_account_public_key: string;
  /** The public nkey of the user on the bus: 56 characters that begin with U. It belongs to one principal, for ever. */
  bus_user_public_key: string;
  principal_type: BusPrincipalType;
  /** The credential that the principal belongs to; null for none. */
  client_id: string | null;
  /** The service that uses the principal; null for none. */
  service_name: string | null;
  /** The vendors to which a SERVICE principal is limited: it reads, acknowledges and answers nothing of another vendor. null: all vendors of its tenant. */
  vendors: string[] | null;
  status: BusPrincipalStatus;
  /** When the principal stops working; null for never. */
  expires_at: string | null;
  /** When the principal was created. */
  created_at: string;
  /** When the principal was last changed. */
  updated_at: string;
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
export interface BusPrincipalCreate {
  /** The name of the user on the bus: 1 to 128 printable ASCII characters, no space. */
  bus_user: string;
  /** The public nkey of the account on the bus: 56 characters that begin with A. It belongs to one tenant. */
  bus_account_public_key: string;
  /** The public nkey of the user on the bus: 56 characters that begin with U. It belongs to one principal, for ever. */
  bus_user_public_key: string;
  principal_type: BusPrincipalTypeInput;
  /** A credential of the tenant that the principal belongs to. */
  client_id?: string;
  /** The service that uses the principal: 1 to 128 printable ASCII characters, no space. */
  service_name?: string;
  /** The vendors to which a SERVICE principal is limited: it reads, acknowledges and answers nothing of another vendor. null: all vendors of its tenant. */
  vendors?: string[] | null;
  /** ACTIVE by default. DELETED reserves the user key. */
  status?: BusPrincipalStatusInput;
  /** When the principal stops working; null for never. */
  expires_at?: string | null;
}
/** Only ACTIVE principals reach the bus. DELETED is final; its user key is never free again. */
export type BusPrincipalStatus = "ACTIVE" | "DISABLED" | "DELETED" | (string & {});
/** Only ACTIVE principals reach the bus. DELETED is final; its user key is never free again. */
export type BusPrincipalStatusInput = "ACTIVE" | "DISABLED" | "DELETED";
/** SERVICE carries out commands (a vendor adapter); CLIENT reads the events of the tenant. */
export type BusPrincipalType = "SERVICE" | "CLIENT" | (string & {});
/** SERVICE carries out commands (a vendor adapter); CLIENT reads the events of the tenant. */
export type BusPrincipalTypeInput = "SERVICE" | "CLIENT";
export interface BusPrincipalUpdate {
  status?: BusPrincipalStatusInput;
  /** The vendors to which a SERVICE principal is limited: it reads, acknowledges and answers nothing of another vendor. null: all vendors of its tenant. */
  vendors?: string[] | null;
  /** When the principal stops working; null for never. */
  expires_at?: string | null;
}
export interface CallbackEndpoint {
  /** The callback endpoint: a UUID made by the platform. */
  endpoint_id: string;
  /** A name for people: 1 to 128 printable characters. */
  name: string;
  /** The HTTPS webhook URL in its canonical spelling. */
  url: string;
  status: CallbackEndpointStatus;
  /** How long a delivery may take, in seconds: 1 to 30, 15 by default. Kept for the later delivery service. */
  timeout_seconds: number;
  /** How often a delivery is tried: 1 to 20, 10 by default. Kept for the later delivery service. */
  max_attempts: number;
  /** Counts the rotations of the secret: 1 at first. */
  secret_version: number;
  /** Until when deliveries are also signed with the previous secret; null if they are not. */
  previous_secret_expires_at: string | null;
  /** When the endpoint was created. */
  created_at: string;
  /** When the endpoint was last changed. */
  updated_at: string;
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
export interface CallbackEndpointCreate {
  /** A name for people: 1 to 128 printable characters. */
  name: string;
  /** The HTTPS webhook URL: a public host, no user, no fragment. Stored in its canonical spelling. At most 2,048 characters. */
  url: string;
  /** ACTIVE by default. */
  status?: CallbackEndpointStatusInput;
  /** How long a delivery may take, in seconds: 1 to 30, 15 by default. Kept for the later delivery service. */
  timeout_seconds?: number;
  /** How often a delivery is tried: 1 to 20, 10 by default. Kept for the later delivery service. */
  max_attempts?: number;
}
export interface CallbackEndpointDeleted {
  /** The callback endpoint: a UUID made by the platform. */
  endpoint_id: string;
  /** Always true. */
  deleted: boolean;
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
/** Kept for the later delivery service: DISABLED is not delivered to. */
export type CallbackEndpointStatus = "ACTIVE" | "DISABLED" | (string & {});
/** Kept for the later delivery service: DISABLED is not delivered to. */
export type CallbackEndpointStatusInput = "ACTIVE" | "DISABLED";
export interface CallbackEndpointUpdate {
  /** A name for people: 1 to 128 printable characters. */
  name?: string;
  /** The HTTPS webhook URL: a public host, no user, no fragment. Stored in its canonical spelling. At most 2,048 characters. */
  url?: string;
  status?: CallbackEndpointStatusInput;
  /** How long a delivery may take, in seconds: 1 to 30, 15 by default. Kept for the later delivery service. */
  timeout_seconds?: number;
  /** How often a delivery is tried: 1 to 20, 10 by default. Kept for the later delivery service. */
  max_attempts?: number;
  /** True makes a new secret and returns it, this once. */
  rotate_secret?: boolean;
  /** With rotate_secret: how long the previous secret stays valid beside the new one, in seconds: 0 to 604800, 0 by default. */
  previous_secret_ttl_seconds?: number;
}
export interface CallbackEndpointUpdated extends CallbackEndpoint {
  /** The new secret, only where rotate_secret was true. Shown this once. */
  secret?: string;
}
export interface CallbackEndpointWithSecret extends CallbackEndpoint {
  /** The secret that deliveries will be signed with, shown this once and never again: `whsec_` and 32 bytes in base64, as Standard Webhooks has it. */
  secret: string;
}
export interface CallbackSubscription {
  /** The subscription: a UUID made by the platform. */
  subscription_id: string;
  /** The callback endpoint: a UUID made by the platform. */
  endpoint_id: string;
  /** The event that is subscribed. */
  event_type: EventType;
  status: CallbackSubscriptionStatus;
  /** When the subscription was created. */
  created_at: string;
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
export interface CallbackSubscriptionCreate {
  /** command.accepted or command.completed. The outcome is in the event, not in its type. */
  event_type: string;
  /** ACTIVE by default. */
  status?: CallbackSubscriptionStatusInput;
}
export interface CallbackSubscriptionDeleted {
  /** The subscription: a UUID made by the platform. */
  subscription_id: string;
  /** Always true. */
  deleted: boolean;
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
/** Kept for the later delivery service: DISABLED is not delivered. */
export type CallbackSubscriptionStatus = "ACTIVE" | "DISABLED" | (string & {});
/** Kept for the later delivery service: DISABLED is not delivered. */
export type CallbackSubscriptionStatusInput = "ACTIVE" | "DISABLED";
export interface CallbackSubscriptionUpdate {
  status: CallbackSubscriptionStatusInput;
}
export interface Catalog {
  /** The enabled vendors. */
  vendors: {
    /** A vendor of the platform catalog, for example `vendor_a`. */
    vendor: string;
    /** The enabled command types of the vendor. */
    command_types: {
      /** A command type of the vendor's catalog, for example `reboot`. */
      command_type: string;
      /** What the command does. */
      description: string;
      /** JSON Schema 2020-12 that payloads must satisfy. */
      payload_schema: {
        [key: string]: unknown;
      };
    }[];
  }[];
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
export interface CatalogCommandType {
  /** A vendor of the platform catalog, for example `vendor_a`. */
  vendor: string;
  /** A command type of the vendor's catalog, for example `reboot`. */
  command_type: string;
  /** Whether commands of this type are accepted. */
  enabled: boolean;
  /** What the command does. */
  description: string;
  /** JSON Schema 2020-12 that the payload of a command must satisfy. At most 16 KiB of JSON, 16 levels deep, no $ref to elsewhere or to itself; patterns as RE2 has them, without look-around and back-references. At most 200 schemas and characters of patterns together may apply to the same value; `a{1,64}` counts as 64 characters or more, so use maxLength for long texts. */
  payload_schema: {
    [key: string]: unknown;
  };
  /** Counts the changes of payload_schema: 1 at first. */
  revision: number;
  /** When the command type came into the catalog. */
  created_at: string;
  /** When the command type was last changed. */
  updated_at: string;
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
export interface CatalogVendor {
  /** A vendor of the platform catalog, for example `vendor_a`. */
  vendor: string;
  /** Whether commands for its devices are accepted. */
  enabled: boolean;
  /** When the vendor came into the catalog. */
  created_at: string;
  /** When the vendor was last changed. */
  updated_at: string;
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
export interface Command {
  /** The command (UUID version 7). */
  command_id: string;
  /** A vendor of the platform catalog, for example `vendor_a`. */
  vendor: string;
  /** The device in the vendor's naming: 1 to 128 printable characters. */
  device_id: string;
  /** A command type of the vendor's catalog, for example `reboot`. */
  command_type: string;
  /** What to do: satisfies the command type's payload schema; at most 32 KiB as JSON in UTF-8. */
  payload: {
    [key: string]: unknown;
  };
  /** 1 to 128 visible ASCII characters. Within a tenant, one key is one command, for ever. */
  idempotency_key: string;
  /** How long the command may take, in seconds: 1 to 300, 30 by default. */
  timeout_seconds: number;
  status: CommandStatus;
  adapter_status: AdapterStatus;
  device_execution_status: DeviceExecutionStatus;
  public_status: PublicStatus;
  /** Why the command ended as it did; null where nobody said. */
  status_reason: {
    /** A word for programs. */
    code: string;
    /** A sentence for people. */
    message: string;
  } | null;
  /** What the device returned; null before it did. */
  result: {
    [key: string]: unknown;
  } | null;
  /** The first result that came after the status was final; it changed nothing. Null if none came. */
  late_result: {
    /** When it came. */
    received_at: string;
    /** What the adapter said; null if nothing. */
    adapter_status: AdapterStatus | null;
    /** What the device did; null if it was not said. */
    device_execution_status: DeviceExecutionStatus | null;
    /** Why the command ended as it did; null where nobody said. */
    status_reason: {
      /** A word for programs. */
      code: string;
      /** A sentence for people. */
      message: string;
    } | null;
    /** What the device returned; null for nothing. */
    result: {
      [key: string]: unknown;
    } | null;
  } | null;
  /** When the command was accepted. */
  accepted_at: string;
  /** When it was handed to the adapter; null before that. */
  dispatched_at: string | null;
  /** accepted_at and timeout_seconds: when the platform stops waiting. */
  deadline_at: string;
  /** When its status became final; null before that. */
  completed_at: string | null;
  /** When the record last changed. */
  updated_at: string;
  /** The credential that created the command. */
  created_by_client_id: string;
  /** What happened to the command, oldest first; what came too late included, at most 100 entries. */
  history: {
    /** When it happened, by the clock of the platform. */
    at: string;
    source: HistorySource;
    status: CommandStatus;
    adapter_status: AdapterStatus;
    device_execution_status: DeviceExecutionStatus;
    /** Why the command ended as it did; null where nobody said. */
    reason: {
      /** A word for programs. */
      code: string;
      /** A sentence for people. */
      message: string;
    } | null;
  }[];
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
export interface CommandAccepted {
  /** The command (UUID version 7). */
  command_id: string;
  /** Always ACCEPTED, whatever has become of the command since. */
  status: "ACCEPTED";
  /** When the command was first accepted. */
  accepted_at: string;
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
export type CommandCancel = Record<string, never>;
export interface CommandCreate {
  /** A vendor of the platform catalog, for example `vendor_a`. */
  vendor: string;
  /** The device in the vendor's naming: 1 to 128 printable characters. */
  device_id: string;
  /** A command type of the vendor's catalog, for example `reboot`. */
  command_type: string;
  /** What to do: satisfies the command type's payload schema; at most 32 KiB as JSON in UTF-8. */
  payload: {
    [key: string]: unknown;
  };
  /** 1 to 128 visible ASCII characters. Within a tenant, one key is one command, for ever. */
  idempotency_key: string;
  /** How long the command may take, in seconds: 1 to 300, 30 by default. */
  timeout_seconds?: number;
}
/** ACCEPTED and DISPATCHED are on the way, the others final. EXPIRED was never sent and is safe to repeat; TIMED_OUT was sent and its outcome is unknown. */
export type CommandStatus = "ACCEPTED" | "DISPATCHED" | "SUCCEEDED" | "FAILED" | "REJECTED" | "UNSUPPORTED" | "TIMED_OUT" | "EXPIRED" | "CANCELED" | (string & {});
/** ACCEPTED and DISPATCHED are on the way, the others final. EXPIRED was never sent and is safe to repeat; TIMED_OUT was sent and its outcome is unknown. */
export type CommandStatusInput = "ACCEPTED" | "DISPATCHED" | "SUCCEEDED" | "FAILED" | "REJECTED" | "UNSUPPORTED" | "TIMED_OUT" | "EXPIRED" | "CANCELED";
export interface CommandTypePut {
  /** Whether commands of this type are accepted; true for a new one by default. */
  enabled?: boolean;
  /** What the command does; required for a new one. */
  description?: string;
  /** JSON Schema 2020-12 that the payload of a command must satisfy; required for a new one. At most 16 KiB of JSON, 16 levels deep, no $ref to elsewhere or to itself; patterns as RE2 has them, without look-around and back-references. At most 200 schemas and characters of patterns together may apply to the same value; `a{1,64}` counts as 64 characters or more, so use maxLength for long texts. */
  payload_schema?: {
    [key: string]: unknown;
  };
}
export interface Credential {
  /** The credential id, unique on the whole platform; the value of X-Api-Id. */
  client_id: string;
  /** The tenant, the boundary of data isolation. */
  tenant_id: string;
  /** A name for people: 1 to 128 printable characters. */
  name: string;
  status: CredentialStatus;
  /** How far X-Api-Timestamp may be from the server clock, in seconds: 30 to 900, 300 by default. */
  allowed_clock_skew_seconds: number;
  /** How long a nonce stays used at least, in seconds: 30 to 900, 300 by default. */
  replay_window_seconds: number;
  /** Counts the rotations: 1 at first. */
  secret_version: number;
  /** Until when the previous secret is still accepted; null if it is not. */
  previous_secret_expires_at: string | null;
  /** When the credential stops working; null for never. */
  expires_at: string | null;
  /** When a request with any secret of the credential was last admitted, up to 90 seconds late; null for never. */
  last_used_at: string | null;
  /** The same for the current secret; null for never. */
  secret_last_used_at: string | null;
  /** The same for the previous secret. null for never, and once the previous secret is no longer accepted. */
  previous_secret_last_used_at: string | null;
  /** When the credential was created. */
  created_at: string;
  /** When the credential was last changed. */
  updated_at: string;
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
export interface CredentialCreate {
  /** The credential id, unique on the whole platform; the value of X-Api-Id. */
  client_id: string;
  /** A name for people: 1 to 128 printable characters. */
  name: string;
  /** ACTIVE by default. DELETED reserves the client_id without ever working. */
  status?: CredentialStatusInput;
  /** How far X-Api-Timestamp may be from the server clock, in seconds: 30 to 900, 300 by default. */
  allowed_clock_skew_seconds?: number;
  /** How long a nonce stays used at least, in seconds: 30 to 900, 300 by default. */
  replay_window_seconds?: number;
  /** When the credential stops working; null for never. */
  expires_at?: string | null;
  /** True on a client_id that exists in the tenant rotates its secret and changes nothing else. */
  rotate_secret?: boolean;
  /** With rotate_secret: how long the previous secret stays valid beside the new one, in seconds: 0 to 604800, 0 by default. */
  previous_secret_ttl_seconds?: number;
}
/** DISABLED refuses requests until ACTIVE again. DELETED is final; its client_id is never free again. */
export type CredentialStatus = "ACTIVE" | "DISABLED" | "DELETED" | (string & {});
/** DISABLED refuses requests until ACTIVE again. DELETED is final; its client_id is never free again. */
export type CredentialStatusInput = "ACTIVE" | "DISABLED" | "DELETED";
export interface CredentialUpdate {
  /** A name for people: 1 to 128 printable characters. */
  name?: string;
  status?: CredentialStatusInput;
  /** How far X-Api-Timestamp may be from the server clock, in seconds: 30 to 900, 300 by default. */
  allowed_clock_skew_seconds?: number;
  /** How long a nonce stays used at least, in seconds: 30 to 900, 300 by default. */
  replay_window_seconds?: number;
  /** When the credential stops working; null for never. */
  expires_at?: string | null;
  /** True makes a new secret and returns it, this once. */
  rotate_secret?: boolean;
  /** With rotate_secret: how long the previous secret stays valid beside the new one, in seconds: 0 to 604800, 0 by default. Without rotate_secret, 0 ends the previous secret now. */
  previous_secret_ttl_seconds?: number;
}
export interface CredentialUpdated extends Credential {
  /** The new secret, only where rotate_secret was true. Shown this once. */
  secret?: string;
}
export interface CredentialWithSecret extends Credential {
  /** The secret, shown this once and never again: `osk_` and 49 base62 characters, the last 6 a checksum. */
  secret: string;
}
/** What the device did with the command. */
export type DeviceExecutionStatus = "NOT_STARTED" | "IN_PROGRESS" | "SUCCEEDED" | "FAILED" | "REJECTED" | "TIMED_OUT" | "UNKNOWN" | (string & {});
export interface DeviceRequest {
  /** The request of the device (UUID version 7). In bodies it is device_request_id, for request_id is the correlation id. */
  device_request_id: string;
  /** A vendor of the platform catalog, for example `vendor_a`. */
  vendor: string;
  /** The device in the vendor's naming: 1 to 128 printable characters. */
  device_id: string;
  /** What the device asks for, in the naming of the vendor, for example `firmware_check`. */
  request_type: string;
  /** What the device said. */
  payload: {
    [key: string]: unknown;
  };
  status: DeviceRequestStatus;
  /** When the platform received the request. */
  received_at: string;
  /** Until when it waits for a reply. */
  expires_at: string;
  /** The one reply; null before it is given. */
  reply: {
    outcome: ReplyOutcome;
    /** What the device gets; null for nothing. */
    payload: {
      [key: string]: unknown;
    } | null;
    /** Why it is refused; null where it is not. */
    error: {
      /** A word for programs. */
      code: string;
      /** A sentence for people. */
      message: string;
    } | null;
    /** When the reply was given. */
    replied_at: string;
    /** The credential that gave the reply. */
    replied_by_client_id: string;
  } | null;
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
export interface DeviceRequestReply {
  outcome: ReplyOutcomeInput;
  /** What the device gets; at most 32 KiB as JSON in UTF-8. */
  payload?: {
    [key: string]: unknown;
  };
  /** Why it is refused; with outcome ERROR only. */
  error?: {
    /** A word for programs. */
    code: string;
    /** A sentence for people. */
    message: string;
  };
}
/** PENDING waits for a reply, REPLIED has its one reply, EXPIRED got none in time. */
export type DeviceRequestStatus = "PENDING" | "REPLIED" | "EXPIRED" | (string & {});
/** PENDING waits for a reply, REPLIED has its one reply, EXPIRED got none in time. */
export type DeviceRequestStatusInput = "PENDING" | "REPLIED" | "EXPIRED";
export interface ErrorBody {
  code: ErrorCode;
  /** What happened and what to do, in a sentence or two. For people. */
  message: string;
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
  /** Every place in the request that is wrong. */
  details?: {
    /** Where: a JSON Pointer (RFC 6901) behind `body`, `query` or `path`, for example `body/payload/speed`; or `header/` and the name of a header. */
    location: string;
    /** What is wrong there, in a word. */
    code: string;
    /** What is wrong there, in a sentence. */
    message: string;
  }[];
  /** Facts that belong to the code, for example `required_scope` with FORBIDDEN. */
  metadata?: {
    [key: string]: unknown;
  };
}
/** One code of the table of errors. */
export type ErrorCode = "MALFORMED_HTTP" | "INVALID_TARGET" | "INVALID_REQUEST_ID" | "MALFORMED_JSON" | "VALIDATION_FAILED" | "INVALID_CURSOR" | "REQUEST_TIMEOUT" | "EXPECTATION_FAILED" | "HEADERS_TOO_LARGE" | "UNAUTHENTICATED" | "CLOCK_SKEW" | "NONCE_REUSED" | "FORBIDDEN" | "OBJECT_POLICY_DENIED" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "TENANT_ALREADY_EXISTS" | "TENANT_NOT_DISABLED" | "TENANT_DELETED" | "CREDENTIAL_ALREADY_EXISTS" | "CREDENTIAL_DELETED" | "ROLE_BINDING_ALREADY_EXISTS" | "ROLE_BUILT_IN" | "ROLE_IN_USE" | "POLICY_ALREADY_EXISTS" | "BUS_PRINCIPAL_ALREADY_EXISTS" | "BUS_PRINCIPAL_DELETED" | "RESOURCE_LIMIT_REACHED" | "OBJECT_CREDENTIAL_IN_USE" | "SUBSCRIPTION_ALREADY_EXISTS" | "COMMAND_NOT_CANCELABLE" | "DEVICE_REQUEST_ALREADY_REPLIED" | "DEVICE_REQUEST_EXPIRED" | "PARKED_MESSAGE_NOT_RETRYABLE" | "LAST_PLATFORM_ADMINISTRATOR" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "VENDOR_NOT_ENABLED" | "COMMAND_TYPE_UNKNOWN" | "COMMAND_PAYLOAD_INVALID" | "TENANT_ID_RESERVED" | "SCOPE_UNKNOWN" | "BUS_KEY_INVALID" | "BUS_SEED_NOT_ALLOWED" | "PAYLOAD_SCHEMA_INVALID" | "EVENT_TYPE_NOT_SUBSCRIBABLE" | "CALLBACK_URL_NOT_ALLOWED" | "RATE_LIMITED" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE" | (string & {});
/** What happened. */
export type EventType = "command.accepted" | "command.completed" | (string & {});
/** What happened. */
export type EventTypeInput = "command.accepted" | "command.completed";
/** Who reported it. */
export type HistorySource = "PLATFORM" | "ADAPTER" | "DEVICE" | (string & {});
export interface ListedDeviceRequest extends DeviceRequest {
  /** Pass as `cursor`, with the same filters, to go on behind this item. Opaque; it does not expire. */
  cursor: string;
}
export interface ListedEvent extends PlatformEvent {
  /** Pass as `cursor`, with the same filters, to go on behind this item. Opaque; it does not expire. */
  cursor: string;
}
export interface Me {
  /** The tenant, the boundary of data isolation. */
  tenant_id: string;
  /** The credential id, unique on the whole platform; the value of X-Api-Id. */
  client_id: string;
  /** A name for people: 1 to 128 printable characters. */
  name: string;
  /** The roles that the credential is bound to. */
  roles: string[];
  /** What the credential may do. */
  scopes: Scope[];
  /** How far X-Api-Timestamp may be from the server clock, in seconds. */
  allowed_clock_skew_seconds: number;
  /** How long a nonce stays used at least, in seconds. */
  replay_window_seconds: number;
  /** When the credential stops working; null for never. */
  expires_at: string | null;
  /** The limits of this credential and of its tenant. */
  limits: {
    /** The largest request body, in bytes. */
    body_bytes: number;
    /** The largest command payload, in bytes of its JSON in UTF-8. */
    payload_bytes: number;
    /** The most requests of this credential a minute, on each node. */
    requests_per_minute: number;
    /** The most requests of all credentials of the tenant together a minute, on each node. */
    requests_per_minute_per_tenant: number;
    /** The most requests of the tenant that may wait with wait_seconds at the same time, in each process of a node. */
    waiting_requests: number;
    /** The most resources of each kind in the tenant, of every status. */
    per_tenant: {
      /** Credentials, DELETED ones included. */
      credentials: number;
      /** The tenant's own roles. */
      roles: number;
      /** Role bindings. */
      role_bindings: number;
      /** Scopes granted to a credential directly. */
      policies: number;
      /** Bus principals, DELETED ones included. */
      bus_principals: number;
      /** Callback endpoints, DISABLED ones included. */
      callback_endpoints: number;
      /** Callback subscriptions, DISABLED ones included. */
      callback_subscriptions: number;
      /** Object credentials, DISABLED ones included. */
      object_credentials: number;
      /** Object resources, DISABLED ones included. */
      object_resources: number;
    };
  };
  /** The server's clock. */
  server_time: string;
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
/** DISABLED refuses every presign that needs it, until ACTIVE again. URLs issued before go on until they expire. */
export type ObjectConfigStatus = "ACTIVE" | "DISABLED" | (string & {});
/** DISABLED refuses every presign that needs it, until ACTIVE again. URLs issued before go on until they expire. */
export type ObjectConfigStatusInput = "ACTIVE" | "DISABLED";
export interface ObjectCredential {
  /** The object credential: a UUID made by the platform. */
  credential_id: string;
  /** A name for people: 1 to 128 printable characters. */
  name: string;
  /** A label for people; null for none. */
  provider: string | null;
  /** The URL of the store. */
  endpoint: string;
  /** The region that goes into the signature, for example `eu-central-1`; `us-east-1` for stores without regions. */
  region: string;
  /** True puts the bucket into the path (host/bucket/key), false into the host name (bucket.host/key). */
  force_path_style: boolean;
  /** The public half of the access key. */
  access_key_id: string;
  /** Counts the rotations of the access key: 1 at first. */
  secret_version: number;
  status: ObjectConfigStatus;
  /** When the credential was created. */
  created_at: string;
  /** When the credential was last changed. */
  updated_at: string;
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
export interface ObjectCredentialCreate {
  /** A name for people: 1 to 128 printable characters. */
  name: string;
  /** The URL of the S3-compatible store: https, host and port, no path, query or user. http only where the operator allows it. */
  endpoint: string;
  /** The region that goes into the signature, for example `eu-central-1`; `us-east-1` for stores without regions. */
  region: string;
  /** The public half of the access key. */
  access_key_id: string;
  /** The secret half of the access key. Sealed at rest, never returned. */
  secret_access_key: string;
  /** The token of temporary access keys. Sealed at rest, never returned but inside presigned URLs, which carry it. */
  session_token?: string | null;
  /** A label for people, for example `minio`: 1 to 128 printable characters. */
  provider?: string | null;
  /** False by default: the bucket goes into the host name. */
  force_path_style?: boolean;
  /** ACTIVE by default. */
  status?: ObjectConfigStatusInput;
}
export interface ObjectCredentialDeleted {
  /** The object credential: a UUID made by the platform. */
  credential_id: string;
  /** Always true. */
  deleted: boolean;
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
export interface ObjectCredentialUpdate {
  /** A name for people: 1 to 128 printable characters. */
  name?: string;
  /** The URL of the S3-compatible store: https, host and port, no path, query or user. http only where the operator allows it. */
  endpoint?: string;
  /** The region that goes into the signature, for example `eu-central-1`; `us-east-1` for stores without regions. */
  region?: string;
  /** With secret_access_key: rotates the access key. */
  access_key_id?: string;
  /** With access_key_id: rotates the access key. */
  secret_access_key?: string;
  /** The token of temporary access keys; null for none. New access keys without it have none. */
  session_token?: string | null;
  /** A label for people, for example `minio`: 1 to 128 printable characters. */
  provider?: string | null;
  /** True puts the bucket into the path (host/bucket/key), false into the host name (bucket.host/key). */
  force_path_style?: boolean;
  status?: ObjectConfigStatusInput;
}
/** What a presigned URL is good for. */
export type ObjectOperation = "UPLOAD" | "DOWNLOAD" | (string & {});
/** What a presigned URL is good for. */
export type ObjectOperationInput = "UPLOAD" | "DOWNLOAD";
export interface ObjectResource {
  /** The object resource: a UUID made by the platform. */
  resource_id: string;
  /** A name for people: 1 to 128 printable characters. */
  name: string;
  /** The object credential: a UUID made by the platform. */
  credential_id: string;
  /** The bucket: 3 to 63 lower-case letters, digits, dots and hyphens. */
  bucket: string;
  /** What may be presigned. */
  allowed_operations: ObjectOperation[];
  /** What every key begins with, for example `firmware/`: object_key is joined behind it. At most 512 bytes. */
  key_prefix: string;
  /** The content types that may be uploaded; null for any. */
  allowed_content_types: string[] | null;
  /** The largest upload, in bytes: 1 to 5368709120, which is also the default. */
  max_object_bytes: number;
  /** The longest life of a presigned URL, in seconds: 1 to 604800, 3600 by default. */
  max_expires_in_seconds: number;
  status: ObjectConfigStatus;
  /** When the resource was created. */
  created_at: string;
  /** When the resource was last changed. */
  updated_at: string;
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
export interface ObjectResourceCreate {
  /** A name for people: 1 to 128 printable characters. */
  name: string;
  /** The object credential: a UUID made by the platform. */
  credential_id: string;
  /** The bucket: 3 to 63 lower-case letters, digits, dots and hyphens. */
  bucket: string;
  /** What may be presigned. */
  allowed_operations: ObjectOperationInput[];
  /** What every key begins with, for example `firmware/`: object_key is joined behind it. At most 512 bytes. */
  key_prefix?: string;
  /** The content types that may be uploaded; null for any. */
  allowed_content_types?: string[] | null;
  /** The largest upload, in bytes: 1 to 5368709120, which is also the default. */
  max_object_bytes?: number;
  /** The longest life of a presigned URL, in seconds: 1 to 604800, 3600 by default. */
  max_expires_in_seconds?: number;
  /** ACTIVE by default. */
  status?: ObjectConfigStatusInput;
}
export interface ObjectResourceDeleted {
  /** The object resource: a UUID made by the platform. */
  resource_id: string;
  /** Always true. */
  deleted: boolean;
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
export interface ObjectResourceUpdate {
  /** A name for people: 1 to 128 printable characters. */
  name?: string;
  /** The object credential: a UUID made by the platform. */
  credential_id?: string;
  /** The bucket: 3 to 63 lower-case letters, digits, dots and hyphens. */
  bucket?: string;
  /** What may be presigned. */
  allowed_operations?: ObjectOperationInput[];
  /** What every key begins with, for example `firmware/`: object_key is joined behind it. At most 512 bytes. */
  key_prefix?: string;
  /** The content types that may be uploaded; null for any. */
  allowed_content_types?: string[] | null;
  /** The largest upload, in bytes: 1 to 5368709120, which is also the default. */
  max_object_bytes?: number;
  /** The longest life of a presigned URL, in seconds: 1 to 604800, 3600 by default. */
  max_expires_in_seconds?: number;
  status?: ObjectConfigStatusInput;
}
export interface ParkedMessage {
  /** The parked message: a UUID version 7 made by the platform. */
  parked_message_id: string;
  /** The tenant in the subject; `platform` for a message whose subject names no tenant that exists. */
  tenant_id: string;
  /** When the message was refused. */
  parked_at: string;
  /** The subject of the message on the bus. */
  subject: string;
  /** What the message is; null if the subject is none of the platform. */
  kind: ParkedMessageKind | null;
  /** The vendor in the subject; null if it names none. */
  vendor: string | null;
  /** Why the message was refused. */
  reason: string;
  /** Whether parkedMessages.retry can publish the message again: it was kept whole, its subject is one of the platform, and it is no COMMAND. A refused command has ended FAILED, so nothing may carry it out. */
  can_retry: boolean;
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
/** How `body` shows the bytes of the message: as text, or in base64 if they are no valid UTF-8. */
export type ParkedMessageBodyEncoding = "UTF-8" | "BASE64" | (string & {});
export interface ParkedMessageDeleted {
  /** The parked message: a UUID version 7 made by the platform. */
  parked_message_id: string;
  /** Always true. */
  deleted: boolean;
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
/** What the message is, by its subject. An adapter sent a COMMAND_UPDATE or a DEVICE_REQUEST, and the platform refused it. The platform sent any other kind, and the bus refused it. */
export type ParkedMessageKind = "COMMAND" | "COMMAND_UPDATE" | "DEVICE_REQUEST" | "DEVICE_REPLY" | "EVENT" | (string & {});
/** What the message is, by its subject. An adapter sent a COMMAND_UPDATE or a DEVICE_REQUEST, and the platform refused it. The platform sent any other kind, and the bus refused it. */
export type ParkedMessageKindInput = "COMMAND" | "COMMAND_UPDATE" | "DEVICE_REQUEST" | "DEVICE_REPLY" | "EVENT";
export interface ParkedMessageRetried {
  /** The parked message: a UUID version 7 made by the platform. */
  parked_message_id: string;
  /** Always true. The message is published. A COMMAND_UPDATE or DEVICE_REQUEST stays parked until the platform has taken it. */
  retried: boolean;
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
export type ParkedMessageRetry = Record<string, never>;
export interface ParkedMessageWithBody extends ParkedMessage {
  /** The message as it was kept: the whole of it, or its first 4,096 bytes. */
  body: string;
  body_encoding: ParkedMessageBodyEncoding;
}
export interface PlatformEvent {
  /** The event (UUID version 7); the same in every copy. */
  event_id: string;
  event_type: EventType;
  /** The version of this shape. */
  schema_version: 1;
  /** The tenant, the boundary of data isolation. */
  tenant_id: string;
  /** When it happened. */
  occurred_at: string;
  /** The request that created the command. */
  request: {
    /** The correlation id of the request that created the command. */
    request_id: string;
    /** The credential id, unique on the whole platform; the value of X-Api-Id. */
    client_id: string;
    /** The idempotency key of the command. */
    idempotency_key: string;
  };
  /** The command when it happened. */
  data: {
    /** The command. */
    command_id: string;
    /** A vendor of the platform catalog, for example `vendor_a`. */
    vendor: string;
    /** The device in the vendor's naming: 1 to 128 printable characters. */
    device_id: string;
    /** A command type of the vendor's catalog, for example `reboot`. */
    command_type: string;
    status: CommandStatus;
    adapter_status: AdapterStatus;
    device_execution_status: DeviceExecutionStatus;
    public_status: PublicStatus;
    /** Why the command ended as it did; null where nobody said. */
    status_reason: {
      /** A word for programs. */
      code: string;
      /** A sentence for people. */
      message: string;
    } | null;
    /** What the device returned. */
    result: {
      [key: string]: unknown;
    } | null;
    /** When the command was accepted. */
    accepted_at: string;
    /** When its status became final. */
    completed_at: string | null;
  };
}
export interface Policy {
  /** The policy: a UUID made by the platform. */
  policy_id: string;
  /** The credential id, unique on the whole platform; the value of X-Api-Id. */
  client_id: string;
  /** The permission that the policy grants, as object:action. */
  scope: Scope;
  /** When the permission was granted. */
  created_at: string;
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
export interface PolicyCreate {
  /** The credential id, unique on the whole platform; the value of X-Api-Id. */
  client_id: string;
  /** A permission as object:action, for example `open:command:read`. */
  scope: Scope;
}
export interface PolicyDeleted {
  /** The policy: a UUID made by the platform. */
  policy_id: string;
  /** Always true. */
  deleted: boolean;
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
export interface PresignRequest {
  operation: ObjectOperationInput;
  /** The object resource: a UUID made by the platform. */
  resource_id: string;
  /** The key below the resource's key_prefix: no leading slash, no `.` or `..` segment, no control character; with the prefix at most 1,024 bytes of UTF-8. */
  object_key: string;
  /** How long the URL is good, in seconds: 1 to the resource's maximum; 900 by default, or that maximum if it is less. */
  expires_in_seconds?: number;
  /** UPLOAD, required: the media type. It is signed: the store refuses another. */
  content_type?: string;
  /** UPLOAD, required: the size in bytes. It is signed: the store refuses another. */
  content_length?: number;
  /** UPLOAD: SHA-256 of the content in base64. It is signed, for the store to compare with the content, as S3 does. */
  checksum_sha256?: string;
  /** DOWNLOAD: the Content-Disposition that the store answers with, for example `attachment; filename="log.txt"`. */
  response_content_disposition?: string;
}
/** The HTTP method to send. */
export type PresignedMethod = "PUT" | "GET" | (string & {});
export interface PresignedRequest {
  /** The grant, as the platform recorded it: a UUID. Quote it in reports. */
  presign_id: string;
  operation: ObjectOperation;
  method: PresignedMethod;
  /** Where to send it. Whoever has the URL may use it until it expires: treat it as a secret. */
  url: string;
  /** Headers to send exactly as they are: they are signed. A client that sets Content-Length by itself may leave it out. */
  headers: {
    [key: string]: string;
  };
  /** The object resource: a UUID made by the platform. */
  resource_id: string;
  /** The key as it was asked for, below key_prefix. */
  object_key: string;
  /** When the URL stops working at the latest: sooner if the access key or its session token ends. */
  expires_at: string;
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
/** The outcome in one word, for end users; derived from status. */
export type PublicStatus = "PENDING" | "SUCCEEDED" | "FAILED" | "UNKNOWN" | (string & {});
/** Whether the request is granted or refused. */
export type ReplyOutcome = "SUCCESS" | "ERROR" | (string & {});
/** Whether the request is granted or refused. */
export type ReplyOutcomeInput = "SUCCESS" | "ERROR";
export interface Role {
  /** The name of a role, for example `tenant_admin`. */
  role: string;
  /** The permissions that a binding to the role grants. */
  scopes: Scope[];
  /** True for the roles that every tenant has. */
  built_in: boolean;
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
export interface RoleBinding {
  /** The credential id, unique on the whole platform; the value of X-Api-Id. */
  client_id: string;
  /** The name of a role, for example `tenant_admin`. */
  role: string;
  /** When the role was bound. */
  created_at: string;
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
export interface RoleBindingCreate {
  /** The credential id, unique on the whole platform; the value of X-Api-Id. */
  client_id: string;
  /** The name of a role, for example `tenant_admin`. */
  role: string;
}
export interface RoleBindingDeleted {
  /** The credential id, unique on the whole platform; the value of X-Api-Id. */
  client_id: string;
  /** The name of a role, for example `tenant_admin`. */
  role: string;
  /** Always true. */
  deleted: boolean;
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
export interface RoleDeleted {
  /** The name of a role, for example `tenant_admin`. */
  role: string;
  /** Always true. */
  deleted: boolean;
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
export interface RolePut {
  /** All permissions of the role, each once. What is not named is no longer granted. */
  scopes: Scope[];
}
/** A permission as object:action. */
export type Scope = "open:command:create" | "open:command:read" | "open:object:create" | "open:object-config:create" | "open:object-config:read" | "open:object-config:update" | "open:callback:create" | "open:callback:read" | "open:callback:update" | "open:callback:disable" | "open:device-request:read" | "open:device-request:create" | "open:command:cancel" | "open:object-config:delete" | "open:event:read" | "open:catalog:read" | "platform:tenant:create" | "platform:tenant:read" | "platform:tenant:update" | "platform:tenant:delete" | "platform:tenant:export" | "platform:credential:create" | "platform:credential:read" | "platform:credential:update" | "platform:bus-principal:create" | "platform:bus-principal:read" | "platform:bus-principal:update" | "platform:access:create" | "platform:access:read" | "platform:access:update" | "platform:access:delete" | "platform:catalog:read" | "platform:catalog:update" | "platform:audit:read" | "platform:parked-message:read" | "platform:parked-message:retry" | "platform:parked-message:delete" | (string & {});
export interface Tenant {
  /** The tenant, the boundary of data isolation. */
  tenant_id: string;
  /** A name for people: 1 to 128 printable characters. Of a DELETED tenant, its id. */
  name: string;
  status: TenantStatus;
  /** The vendors to which the tenant is limited: commands, the catalog and messaging-bus principals obey. null: every vendor that is enabled. */
  vendors: string[] | null;
  /** The progress of the deletion; null before tenants.delete. An addition. */
  deletion: {
    /** When the deletion was requested. */
    requested_at: string;
    /** How many rows of the tenant the database has lost so far. */
    rows_deleted: number;
    /** When nothing of the tenant was left; null before. */
    finished_at: string | null;
  } | null;
  /** When the tenant was created. */
  created_at: string;
  /** When the tenant was last changed. */
  updated_at: string;
  /** Correlation id, the same as X-Request-Id. Quote it in reports. */
  request_id: string;
}
export interface TenantCreate {
  /** The tenant, the boundary of data isolation. */
  tenant_id: string;
  /** A name for people: 1 to 128 printable characters. */
  name: string;
  /** ACTIVE by default. */
  status?: TenantStatusToSetInput;
  /** The vendors to which the tenant is limited: commands, the catalog and messaging-bus principals obey. null: every vendor that is enabled. */
  vendors?: string[] | null;
}
export interface TenantExportItem {
  type: TenantExportType;
  /** The stored facts. Secrets, seals and hashes are left out. */
  data: {
    [key: string]: unknown;
  };
}
/** What the item of an export is. */
export type TenantExportType = "tenant" | "role" | "credential" | "role_binding" | "policy" | "bus_principal" | "callback_endpoint" | "callback_subscription" | "object_credential" | "object_resource" | "object_grant" | "command" | "event" | "device_request" | "parked_message" | "audit_event" | (string & {});
/** Only an ACTIVE tenant's credentials are admitted. DELETING: the platform is removing everything of the tenant. DELETED: only its id and its client ids are left, which are never free again. Both are final. */
export type TenantStatus = "ACTIVE" | "DISABLED" | "DELETING" | "DELETED" | (string & {});
/** DISABLED refuses every request of the tenant's credentials from the next one on. */
export type TenantStatusToSetInput = "ACTIVE" | "DISABLED";
export interface TenantUpdate {
  /** A name for people: 1 to 128 printable characters. */
  name?: string;
  status?: TenantStatusToSetInput;
  /** The vendors to which the tenant is limited: commands, the catalog and messaging-bus principals obey. null: every vendor that is enabled. */
  vendors?: string[] | null;
}
export interface VendorPut {
  /** Whether commands for its devices are accepted. */
  enabled: boolean;
}
export interface CommandListQuery {
  /** The most items to return: 1 to 500. A page ends earlier after about 1 MiB of payloads, results or schemas, and where it has read 5,000 rows that the filters left out. */
  limit?: number;
  /** `next_cursor` of the previous page, with the same filters. Opaque. */
  cursor?: string;
  /** Only commands of these statuses. */
  status?: CommandStatusInput | CommandStatusInput[];
  /** true: only commands that have ended. false: only ACCEPTED and DISPATCHED ones, which are on the way. */
  is_final?: boolean;
  /** Only commands for this vendor. */
  vendor?: string;
  /** Only commands for this device. */
  device_id?: string;
  /** Only commands of this type. */
  command_type?: string;
  /** Only the command of this key. */
  idempotency_key?: string;
  /** Only commands accepted at this time or later. */
  accepted_after?: string;
  /** Only commands accepted before this time. */
  accepted_before?: string;
}
export interface CommandGetQuery {
  /** Wait up to so many seconds, 0 to 30, for something to happen; 0 by default answers at once. */
  wait_seconds?: number;
  /** updated_at of the record that the caller has: wait_seconds then waits for the next change. */
  seen_updated_at?: string;
}
export interface DeviceRequestListQuery {
  /** The most items to return: 1 to 500. A page ends earlier after about 1 MiB of payloads, results or schemas, and where it has read 5,000 rows that the filters left out. */
  limit?: number;
  /** `next_cursor` of a page or `cursor` of an item, with the same filters. Opaque; it does not expire. */
  cursor?: string;
  /** desc, by default: newest first. asc: oldest first; behind its cursor comes what devices ask later. */
  order?: "asc" | "desc";
  /** Only requests of this status. */
  status?: DeviceRequestStatusInput;
  /** Only requests from devices of this vendor. */
  vendor?: string;
  /** Only requests of this device. */
  device_id?: string;
  /** Only requests of this type. */
  request_type?: string;
  /** Only requests received at this time or later. */
  received_after?: string;
  /** Only requests received before this time. */
  received_before?: string;
  /** Wait up to so many seconds, 0 to 30, for something to happen; 0 by default answers at once. */
  wait_seconds?: number;
}
export interface EventListQuery {
  /** The most items to return: 1 to 500. A page ends earlier after about 1 MiB of payloads, results or schemas, and where it has read 5,000 rows that the filters left out. */
  limit?: number;
  /** `next_cursor` of a page or `cursor` of an item, with the same filters. Opaque; it does not expire. */
  cursor?: string;
  /** Where to begin without a cursor: `now`, or at an instant with the first event that was logged then or later. From the beginning by default. Not a filter: a cursor goes on without it. */
  from?: string;
  /** asc, by default: oldest first. desc: newest first; such a page waits for nothing. */
  order?: "asc" | "desc";
  /** Only events of this type. */
  event_type?: EventTypeInput;
  /** Only events of this command. */
  command_id?: string;
  /** Only events that occurred at this time or later. */
  occurred_after?: string;
  /** Only events that occurred before this time. */
  occurred_before?: string;
  /** Wait up to so many seconds, 0 to 30, for something to happen; 0 by default answers at once. */
  wait_seconds?: number;
}
export interface ObjectCredentialListQuery {
  /** The most items to return: 1 to 500. A page ends earlier after about 1 MiB of payloads, results or schemas, and where it has read 5,000 rows that the filters left out. */
  limit?: number;
  /** `next_cursor` of the previous page, with the same filters. Opaque. */
  cursor?: string;
}
export interface ObjectResourceListQuery {
  /** The most items to return: 1 to 500. A page ends earlier after about 1 MiB of payloads, results or schemas, and where it has read 5,000 rows that the filters left out. */
  limit?: number;
  /** `next_cursor` of the previous page, with the same filters. Opaque. */
  cursor?: string;
  /** Only resources of this object credential. */
  credential_id?: string;
}
export interface CallbackEndpointListQuery {
  /** The most items to return: 1 to 500. A page ends earlier after about 1 MiB of payloads, results or schemas, and where it has read 5,000 rows that the filters left out. */
  limit?: number;
  /** `next_cursor` of the previous page, with the same filters. Opaque. */
  cursor?: string;
}
export interface CallbackSubscriptionListQuery {
  /** The most items to return: 1 to 500. A page ends earlier after about 1 MiB of payloads, results or schemas, and where it has read 5,000 rows that the filters left out. */
  limit?: number;
  /** `next_cursor` of the previous page, with the same filters. Opaque. */
  cursor?: string;
}
export interface TenantListQuery {
  /** The most items to return: 1 to 500. A page ends earlier after about 1 MiB of payloads, results or schemas, and where it has read 5,000 rows that the filters left out. */
  limit?: number;
  /** `next_cursor` of the previous page, with the same filters. Opaque. */
  cursor?: string;
}
export interface TenantDeleteQuery {
  /** The tenant_id once more, so that no slip deletes another tenant. */
  confirm: string;
}
export interface TenantExportQuery {
  /** The most items to return: 1 to 500. A page ends earlier after about 1 MiB of payloads, results or schemas, and where it has read 5,000 rows that the filters left out. */
  limit?: number;
  /** `next_cursor` of the previous page, with the same filters. Opaque. */
  cursor?: string;
}
export interface CredentialListQuery {
  /** The most items to return: 1 to 500. A page ends earlier after about 1 MiB of payloads, results or schemas, and where it has read 5,000 rows that the filters left out. */
  limit?: number;
  /** `next_cursor` of the previous page, with the same filters. Opaque. */
  cursor?: string;
  /** Only credentials of these statuses. */
  status?: CredentialStatusInput | CredentialStatusInput[];
}
export interface RoleListQuery {
  /** The most items to return: 1 to 500. A page ends earlier after about 1 MiB of payloads, results or schemas, and where it has read 5,000 rows that the filters left out. */
  limit?: number;
  /** `next_cursor` of the previous page, with the same filters. Opaque. */
  cursor?: string;
}
export interface RoleBindingListQuery {
  /** The most items to return: 1 to 500. A page ends earlier after about 1 MiB of payloads, results or schemas, and where it has read 5,000 rows that the filters left out. */
  limit?: number;
  /** `next_cursor` of the previous page, with the same filters. Opaque. */
  cursor?: string;
  /** Only bindings of this client. */
  client_id?: string;
}
export interface PolicyListQuery {
  /** The most items to return: 1 to 500. A page ends earlier after about 1 MiB of payloads, results or schemas, and where it has read 5,000 rows that the filters left out. */
  limit?: number;
  /** `next_cursor` of the previous page, with the same filters. Opaque. */
  cursor?: string;
  /** Only policies of this client. */
  client_id?: string;
}
export interface PolicyRevokeQuery {
  /** The credential id, unique on the whole platform; the value of X-Api-Id. */
  client_id: string;
  /** A permission as object:action, for example `open:command:read`. */
  scope: Scope;
}
export interface BusPrincipalListQuery {
  /** The most items to return: 1 to 500. A page ends earlier after about 1 MiB of payloads, results or schemas, and where it has read 5,000 rows that the filters left out. */
  limit?: number;
  /** `next_cursor` of the previous page, with the same filters. Opaque. */
  cursor?: string;
  /** Only principals of this client. */
  client_id?: string;
  /** Only principals of this status. */
  status?: BusPrincipalStatusInput;
}
export interface VendorListQuery {
  /** The most items to return: 1 to 500. A page ends earlier after about 1 MiB of payloads, results or schemas, and where it has read 5,000 rows that the filters left out. */
  limit?: number;
  /** `next_cursor` of the previous page, with the same filters. Opaque. */
  cursor?: string;
}
export interface CommandTypeListQuery {
  /** The most items to return: 1 to 500. A page ends earlier after about 1 MiB of payloads, results or schemas, and where it has read 5,000 rows that the filters left out. */
  limit?: number;
  /** `next_cursor` of the previous page, with the same filters. Opaque. */
  cursor?: string;
}
export interface AuditEventListQuery {
  /** The most items to return: 1 to 500. A page ends earlier after about 1 MiB of payloads, results or schemas, and where it has read 5,000 rows that the filters left out. */
  limit?: number;
  /** `next_cursor` of the previous page, with the same filters. Opaque. */
  cursor?: string;
  /** Only what this client asked for. */
  client_id?: string;
  /** Only this operation. */
  operation?: string;
  /** Only this outcome. */
  outcome?: AuditOutcomeInput;
  /** Only at or after this instant. */
  occurred_after?: string;
  /** Only before this instant. */
  occurred_before?: string;
}
export interface ParkedMessageListQuery {
  /** The most items to return: 1 to 500. A page ends earlier after about 1 MiB of payloads, results or schemas, and where it has read 5,000 rows that the filters left out. */
  limit?: number;
  /** `next_cursor` of the previous page, with the same filters. Opaque. */
  cursor?: string;
  /** Only messages of this kind. */
  kind?: ParkedMessageKindInput;
  /** Only messages of this vendor. */
  vendor?: string;
  /** Only messages parked at or after this instant. */
  parked_after?: string;
  /** Only messages parked before this instant. */
  parked_before?: string;
}

/** How the outcome of a request that may have taken effect is checked. */
export interface Check {
  check: string;
  /** The check is needed only if the body has this field. */
  ifBodyHas?: string;
}

/** The request and the answer of each operation. A list answers pages of its answer. */
export interface Operations {
  'commands.create': { request: { body: CommandCreate }; answer: CommandAccepted };
  'commands.list': { request: { query?: CommandListQuery | undefined }; answer: Command };
  'commands.get': { request: { path: [command_id: string]; query?: CommandGetQuery | undefined }; answer: Command };
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
}

/** The method and the path of each operation, and what to check if it is not safe to repeat. */
export const operations: { readonly [Name in keyof Operations]: readonly [method: string, path: string, check?: Check] } = {
  'commands.create': ['POST', '/api/v1/open/downlink/commands'],
  'commands.list': ['GET', '/api/v1/open/downlink/commands'],
  'commands.get': ['GET', '/api/v1/open/downlink/commands/{command_id}'],
  'commands.cancel': ['POST', '/api/v1/open/downlink/commands/{command_id}/cancel'],
  'deviceRequests.list': ['GET', '/api/v1/open/device-requests'],
  'deviceRequests.get': ['GET', '/api/v1/open/device-requests/{request_id}'],
  'deviceRequests.reply': ['POST', '/api/v1/open/device-requests/{request_id}/reply'],
  'events.list': ['GET', '/api/v1/open/events'],
  'catalog.get': ['GET', '/api/v1/open/catalog'],
  'objects.presign': ['POST', '/api/v1/open/objects/presign'],
  'objectCredentials.create': ['POST', '/api/v1/open/objects/credentials', {"check":"see with objectCredentials.list whether the credential exists before you create it again."}],
  'objectCredentials.list': ['GET', '/api/v1/open/objects/credentials'],
  'objectCredentials.get': ['GET', '/api/v1/open/objects/credentials/{credential_id}'],
  'objectCredentials.update': ['PUT', '/api/v1/open/objects/credentials/{credential_id}', {"check":"see with objectCredentials.list which secret_version the credential has before you rotate again.","ifBodyHas":"secret_access_key"}],
  'objectCredentials.delete': ['DELETE', '/api/v1/open/objects/credentials/{credential_id}'],
  'objectResources.create': ['POST', '/api/v1/open/objects/resources', {"check":"see with objectResources.list whether the resource exists before you create it again."}],
  'objectResources.list': ['GET', '/api/v1/open/objects/resources'],
  'objectResources.get': ['GET', '/api/v1/open/objects/resources/{resource_id}'],
  'objectResources.update': ['PUT', '/api/v1/open/objects/resources/{resource_id}'],
  'objectResources.delete': ['DELETE', '/api/v1/open/objects/resources/{resource_id}'],
  'callbackEndpoints.create': ['POST', '/api/v1/open/callbacks/endpoints', {"check":"see with callbackEndpoints.list whether the endpoint exists and which secret_version it has. If the request did take effect, its secret is lost: rotate it."}],
  'callbackEndpoints.list': ['GET', '/api/v1/open/callbacks/endpoints'],
  'callbackEndpoints.get': ['GET', '/api/v1/open/callbacks/endpoints/{endpoint_id}'],
  'callbackEndpoints.update': ['PUT', '/api/v1/open/callbacks/endpoints/{endpoint_id}', {"check":"see with callbackEndpoints.list whether the endpoint exists and which secret_version it has. If the request did take effect, its secret is lost: rotate it.","ifBodyHas":"rotate_secret"}],
  'callbackEndpoints.delete': ['DELETE', '/api/v1/open/callbacks/endpoints/{endpoint_id}'],
  'callbackSubscriptions.create': ['POST', '/api/v1/open/callbacks/endpoints/{endpoint_id}/subscriptions', {"check":"see with callbackSubscriptions.list whether the subscription exists before you create it again."}],
  'callbackSubscriptions.list': ['GET', '/api/v1/open/callbacks/endpoints/{endpoint_id}/subscriptions'],
  'callbackSubscriptions.update': ['PUT', '/api/v1/open/callbacks/endpoints/{endpoint_id}/subscriptions/{subscription_id}'],
  'callbackSubscriptions.delete': ['DELETE', '/api/v1/open/callbacks/endpoints/{endpoint_id}/subscriptions/{subscription_id}'],
  'me.get': ['GET', '/api/v1/open/me'],
  'tenants.create': ['POST', '/api/v1/platform/tenants', {"check":"see with tenants.get whether the tenant exists before you create it again."}],
  'tenants.list': ['GET', '/api/v1/platform/tenants'],
  'tenants.get': ['GET', '/api/v1/platform/tenants/{tenant_id}'],
  'tenants.update': ['PUT', '/api/v1/platform/tenants/{tenant_id}'],
  'tenants.delete': ['DELETE', '/api/v1/platform/tenants/{tenant_id}'],
  'tenants.export': ['GET', '/api/v1/platform/tenants/{tenant_id}/export'],
  'credentials.create': ['POST', '/api/v1/platform/tenants/{tenant_id}/credentials', {"check":"see with credentials.get whether the credential exists and which secret_version it has. If the request did take effect, its secret is lost: rotate it."}],
  'credentials.list': ['GET', '/api/v1/platform/tenants/{tenant_id}/credentials'],
  'credentials.get': ['GET', '/api/v1/platform/tenants/{tenant_id}/credentials/{client_id}'],
  'credentials.update': ['PUT', '/api/v1/platform/tenants/{tenant_id}/credentials/{client_id}', {"check":"see with credentials.get whether the credential exists and which secret_version it has. If the request did take effect, its secret is lost: rotate it.","ifBodyHas":"rotate_secret"}],
  'roles.list': ['GET', '/api/v1/platform/tenants/{tenant_id}/roles'],
  'roles.put': ['PUT', '/api/v1/platform/tenants/{tenant_id}/roles/{role}'],
  'roles.delete': ['DELETE', '/api/v1/platform/tenants/{tenant_id}/roles/{role}'],
  'roleBindings.create': ['POST', '/api/v1/platform/tenants/{tenant_id}/role-bindings', {"check":"see with roleBindings.list whether the binding exists before you create it again."}],
  'roleBindings.list': ['GET', '/api/v1/platform/tenants/{tenant_id}/role-bindings'],
  'roleBindings.delete': ['DELETE', '/api/v1/platform/tenants/{tenant_id}/role-bindings/{client_id}/{role}'],
  'policies.create': ['POST', '/api/v1/platform/tenants/{tenant_id}/policies', {"check":"see with policies.list whether the policy exists before you create it again."}],
  'policies.list': ['GET', '/api/v1/platform/tenants/{tenant_id}/policies'],
  'policies.revoke': ['DELETE', '/api/v1/platform/tenants/{tenant_id}/policies'],
  'policies.delete': ['DELETE', '/api/v1/platform/tenants/{tenant_id}/policies/{policy_id}'],
  'busPrincipals.create': ['POST', '/api/v1/platform/tenants/{tenant_id}/bus/principals', {"check":"see with busPrincipals.list whether the principal exists before you create it again."}],
  'busPrincipals.list': ['GET', '/api/v1/platform/tenants/{tenant_id}/bus/principals'],
  'busPrincipals.get': ['GET', '/api/v1/platform/tenants/{tenant_id}/bus/principals/{principal_id}'],
  'busPrincipals.update': ['PUT', '/api/v1/platform/tenants/{tenant_id}/bus/principals/{principal_id}'],
  'vendors.list': ['GET', '/api/v1/platform/catalog/vendors'],
  'vendors.put': ['PUT', '/api/v1/platform/catalog/vendors/{vendor}'],
  'commandTypes.list': ['GET', '/api/v1/platform/catalog/vendors/{vendor}/command-types'],
  'commandTypes.put': ['PUT', '/api/v1/platform/catalog/vendors/{vendor}/command-types/{command_type}'],
  'auditEvents.list': ['GET', '/api/v1/platform/tenants/{tenant_id}/audit-events'],
  'parkedMessages.list': ['GET', '/api/v1/platform/tenants/{tenant_id}/parked-messages'],
  'parkedMessages.get': ['GET', '/api/v1/platform/tenants/{tenant_id}/parked-messages/{parked_message_id}'],
  'parkedMessages.delete': ['DELETE', '/api/v1/platform/tenants/{tenant_id}/parked-messages/{parked_message_id}'],
  'parkedMessages.retry': ['POST', '/api/v1/platform/tenants/{tenant_id}/parked-messages/{parked_message_id}/retry', {"check":"see with parkedMessages.get whether the message is still parked before you retry it again."}],
};
