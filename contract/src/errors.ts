import { z } from 'zod';
import { patterns, RequestId } from './primitives.js';

type ErrorDefinition = {
  status: number;
  /** The cause, for the reference. The message of an answer is more precise if possible. */
  meaning: string;
  /** The remedy for the caller. */
  fix: string;
  /** Whether the same request, with a new signature, may succeed later. */
  retryable: boolean;
};

/** The one table of error codes. Status codes, reference, SDK union and tests derive from it. */
export const errors = {
  MALFORMED_HTTP: {
    status: 400,
    meaning: 'The request is not valid HTTP, or a GET, HEAD or DELETE request has a body.',
    fix: 'Send valid HTTP/1.1 (RFC 9112). Send no body with GET, HEAD and DELETE.',
    retryable: false,
  },
  INVALID_TARGET: {
    status: 400,
    meaning: 'The path or the query of the URL is malformed.',
    fix: 'Use the path in the API reference, without a trailing slash. Do not percent-encode the path. Give each query parameter only once, with a value. Percent-encode special characters in query values.',
    retryable: false,
  },
  MALFORMED_JSON: {
    status: 400,
    meaning: 'The body is not valid JSON, or it is ambiguous, for example because of a duplicate key.',
    fix: 'Correct the body at the location in `details`.',
    retryable: false,
  },
  VALIDATION_FAILED: {
    status: 400,
    meaning: 'A field of the query or the body is missing, unknown or invalid.',
    fix: 'Correct every field listed in `details`.',
    retryable: false,
  },
  INVALID_CURSOR: {
    status: 400,
    meaning: 'The cursor does not belong to this list with these filters.',
    fix: 'Send `next_cursor` of the previous page with the same filters, or omit the cursor to start again. With events.list, you can also start at a time: send the time as `from`, and no cursor.',
    retryable: false,
  },
  REQUEST_TIMEOUT: {
    status: 408,
    meaning: 'The platform did not receive the complete request in time.',
    fix: 'Send the whole request within 10 seconds.',
    retryable: true,
  },
  EXPECTATION_FAILED: {
    status: 417,
    meaning: 'The platform does not support the value of the Expect header.',
    fix: 'Omit the Expect header.',
    retryable: false,
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    meaning: 'The headers are larger than 16 KiB.',
    fix: 'Send fewer or shorter headers.',
    retryable: false,
  },
  UNAUTHENTICATED: {
    status: 401,
    meaning:
      'No valid credential signed the request. Possible causes are a missing or malformed header, a wrong signature, a disabled tenant, or a credential that is unknown, disabled, expired or deleted.',
    fix: 'With the SDK or topctl, check client id and secret: `topctl doctor`. If you sign in code of your own, correct every header listed in `details`. If there are none, compare `metadata.string_to_sign` line by line with the string that you signed. If they are equal, check X-Api-Id and the secret.',
    retryable: false,
  },
  CLOCK_SKEW: {
    status: 401,
    meaning:
      'The signature is valid, but X-Api-Timestamp differs too much from the server clock, or is from before the database was restored.',
    fix: 'Synchronize your clock, or sign with the time in `metadata.server_time`.',
    retryable: true,
  },
  NONCE_REUSED: {
    status: 401,
    meaning: 'The signature is valid, but an earlier request used the same nonce.',
    fix: 'Generate a new nonce for every attempt, including retries.',
    retryable: true,
  },
  FORBIDDEN: {
    status: 403,
    meaning:
      'Authorization was denied. The credential does not have the required scope, or its tenant is not allowed to call the operation. Only the tenant `platform` can administer the platform and other tenants.',
    fix: 'Check X-Api-Id and the tenant of the credential. If the path has a tenant_id, check it, too. Check that a role or a policy grants `metadata.required_scope`. `metadata.granted_by_roles` lists the built-in roles that grant this scope.',
    retryable: false,
  },
  OBJECT_POLICY_DENIED: {
    status: 403,
    meaning:
      'The rules of the object resource do not allow the request, or the resource or its credential is DISABLED.',
    fix: 'Send a request that the rules allow. `details` lists each violated rule with its field.',
    retryable: false,
  },
  NOT_FOUND: {
    status: 404,
    meaning: 'The path does not exist, or the tenant has no resource with this id.',
    fix: 'Check the path and the id.',
    retryable: false,
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    meaning: 'The path does not support this method.',
    fix: 'Use a method that the Allow header lists.',
    retryable: false,
  },
  TENANT_ALREADY_EXISTS: {
    status: 409,
    meaning: 'A tenant with this tenant_id already exists.',
    fix: 'Choose another tenant_id, or update the existing tenant.',
    retryable: false,
  },
  TENANT_NOT_DISABLED: {
    status: 409,
    meaning: 'Only a DISABLED tenant can be exported or deleted.',
    fix: 'First disable the tenant with tenants.update. `metadata.status` is the current status of the tenant. A DELETING or DELETED tenant can no longer be exported.',
    retryable: false,
  },
  TENANT_DELETED: {
    status: 409,
    meaning: 'The tenant is DELETING or DELETED. A deletion cannot be undone.',
    fix: 'Create a tenant with another tenant_id.',
    retryable: false,
  },
  CREDENTIAL_ALREADY_EXISTS: {
    status: 409,
    meaning:
      'The client_id is already in use; upper and lower case count as the same. A client_id is unique on the whole platform and can never be reused for another credential.',
    fix: 'Choose another client_id. To rotate the secret of an existing credential of this tenant, send its client_id and rotate_secret: true.',
    retryable: false,
  },
  CREDENTIAL_DELETED: {
    status: 409,
    meaning: 'The credential is DELETED, which is final.',
    fix: 'Create a credential with another client_id.',
    retryable: false,
  },
  ROLE_BINDING_ALREADY_EXISTS: {
    status: 409,
    meaning: 'The credential already has this role.',
    fix: 'Nothing needs to be done.',
    retryable: false,
  },
  ROLE_BUILT_IN: {
    status: 409,
    meaning: 'The role is built in and cannot be changed.',
    fix: 'Choose another name for the custom role.',
    retryable: false,
  },
  ROLE_IN_USE: {
    status: 409,
    meaning: 'Credentials are bound to the role.',
    fix: 'First delete the bindings of the role. roleBindings.list with `role` shows them.',
    retryable: false,
  },
  POLICY_ALREADY_EXISTS: {
    status: 409,
    meaning: 'A policy already grants this scope to the credential.',
    fix: 'Nothing needs to be done.',
    retryable: false,
  },
  BUS_PRINCIPAL_ALREADY_EXISTS: {
    status: 409,
    meaning: 'The user key belongs to another principal, or the account key belongs to another tenant.',
    fix: 'Generate a new nkey. The key of a DELETED principal cannot be used again until its tenant is deleted.',
    retryable: false,
  },
  BUS_PRINCIPAL_DELETED: {
    status: 409,
    meaning: 'The principal is DELETED, which is final.',
    fix: 'Create another principal with a new user key.',
    retryable: false,
  },
  RESOURCE_LIMIT_REACHED: {
    status: 409,
    meaning:
      'The maximum number of resources of this kind is reached. DISABLED resources count. DELETED credentials and DELETED principals count, too.',
    fix: 'Update an existing resource, or delete a resource that you no longer need. Vendors, command types, messaging-bus principals, and credentials that sign requests always count, also if they are disabled or deleted. The operator can raise the limit. `metadata` has the kind of resource and the limit.',
    retryable: false,
  },
  OBJECT_CREDENTIAL_IN_USE: {
    status: 409,
    meaning: 'Object resources use the object credential.',
    fix: 'First delete the object resources in `metadata.resource_ids`, or give them another credential_id. `metadata.resource_ids` lists at most 100 object resources; objectResources.list returns all of them.',
    retryable: false,
  },
  SUBSCRIPTION_ALREADY_EXISTS: {
    status: 409,
    meaning: 'The endpoint already has a subscription for this event type.',
    fix: 'Nothing needs to be done. callbackSubscriptions.list shows the subscription.',
    retryable: false,
  },
  COMMAND_NOT_CANCELABLE: {
    status: 409,
    meaning: 'The command was already sent or has ended, so it cannot be canceled.',
    fix: 'Read its status in `metadata.status`. To wait for the outcome, call commands.get with wait_seconds.',
    retryable: false,
  },
  DEVICE_REQUEST_ALREADY_REPLIED: {
    status: 409,
    meaning: 'The device request already has a different reply.',
    fix: 'Read the reply with deviceRequests.get.',
    retryable: false,
  },
  DEVICE_REQUEST_EXPIRED: {
    status: 409,
    meaning: 'The device request expired without a reply.',
    fix: 'Reply before expires_at. To get new requests immediately, call deviceRequests.list with status=PENDING and wait_seconds.',
    retryable: false,
  },
  PARKED_MESSAGE_NOT_RETRYABLE: {
    status: 409,
    meaning: 'The parked message cannot be published again.',
    fix: 'To see why the message was refused, read `reason` with parkedMessages.get. Then delete the message.',
    retryable: false,
  },
  LAST_PLATFORM_ADMINISTRATOR: {
    status: 409,
    meaning:
      'The change concerns the last ACTIVE credential that has the role platform_admin and no `expires_at`. The platform needs at least one.',
    fix: 'First create another credential of the tenant `platform`, without `expires_at`, and bind it to the role platform_admin.',
    retryable: false,
  },
  TENANT_MOVED: {
    status: 421,
    meaning:
      'The signature is valid, but the operator has moved the tenant to another platform. The request had no effect.',
    fix: 'Send requests of the tenant to `metadata.base_url`, with the same credential. With topctl, save it in the profile. Check the address with your operator first: the SDK never follows it by itself.',
    retryable: false,
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    meaning: 'The body, or a payload in it, is too large.',
    fix: 'Send less data. me.get returns the limits.',
    retryable: false,
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    meaning: 'The Content-Type is not application/json, or the body is compressed.',
    fix: 'Send Content-Type: application/json and no Content-Encoding.',
    retryable: false,
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    meaning:
      'The credential has already used this Idempotency-Key for this operation, with a different path or body. Nothing changed.',
    fix: 'Use a new key for a new request. To repeat the first request, send the same path, body and Idempotency-Key.',
    retryable: false,
  },
  VENDOR_NOT_ENABLED: {
    status: 422,
    meaning: 'The vendor is not in the catalog, is disabled, or is not available to the tenant.',
    fix: 'Use a vendor that catalog.get lists. If the tenant is limited to other vendors, a platform administrator adds this one with `vendors` of tenants.update.',
    retryable: false,
  },
  COMMAND_TYPE_UNKNOWN: {
    status: 422,
    meaning: 'The vendor has no enabled command type with this name.',
    fix: 'Use a command_type that catalog.get lists for the vendor.',
    retryable: false,
  },
  COMMAND_PAYLOAD_INVALID: {
    status: 422,
    meaning: 'The payload is not valid for the payload schema of the command type.',
    fix: 'Correct the payload at the locations listed in `details`. catalog.get returns the schema.',
    retryable: false,
  },
  TENANT_ID_RESERVED: {
    status: 422,
    meaning: 'The tenant `platform` cannot be created, disabled or deleted.',
    fix: 'Choose another tenant_id.',
    retryable: false,
  },
  SCOPE_UNKNOWN: {
    status: 422,
    meaning: 'The scope does not exist, or only the tenant `platform` can grant it.',
    fix: 'Use a scope in the API reference. roles.list shows the scopes of the built-in roles.',
    retryable: false,
  },
  BUS_KEY_INVALID: {
    status: 422,
    meaning:
      'A key is not a valid public nkey. It must have 56 characters with a valid checksum. An account key begins with A, a user key with U.',
    fix: 'Send the complete public keys that `nk` or `nsc` prints.',
    retryable: false,
  },
  BUS_SEED_NOT_ALLOWED: {
    status: 422,
    meaning: 'A field contains a private seed instead of a public key. The platform did not store or log the seed.',
    fix: 'Generate a new nkey, because the seed was disclosed. Send its public key, which begins with A or U.',
    retryable: false,
  },
  PAYLOAD_SCHEMA_INVALID: {
    status: 422,
    meaning:
      '`payload_schema` is not valid in its dialect of JSON Schema, or it breaks a rule in the description of `payload_schema`.',
    fix: 'Correct what `details` lists.',
    retryable: false,
  },
  EVENT_TYPE_NOT_SUBSCRIBABLE: {
    status: 422,
    meaning: 'The event type does not exist. There is no separate event type for failed commands.',
    fix: 'Subscribe to command.accepted or command.completed, and read the status in the event.',
    retryable: false,
  },
  CALLBACK_URL_NOT_ALLOWED: {
    status: 422,
    meaning:
      'The URL is not allowed. It must use HTTPS and a public host. It must not contain a user name or a fragment.',
    fix: 'Use the public HTTPS URL of the receiver. `details` has the reason.',
    retryable: false,
  },
  RATE_LIMITED: {
    status: 429,
    meaning:
      'A limit is exceeded: requests of the credential or tenant per minute, concurrent long-polling requests of the tenant, or failed authentications from your IP address. Or changes to the tenant have added the maximum number of bytes per day to its audit log. Or 32 MiB of responses wait for clients of the tenant that do not receive them. Each full 64 KiB of a response counts as one extra request. A long page counts before the platform makes it.',
    fix: 'Wait for the number of seconds in Retry-After. `metadata.quota` is the exceeded limit: credential, tenant, waiting, change_bytes, unread or address. If it is change_bytes, only the operator can change the tenant before the next day (UTC).',
    retryable: true,
  },
  INTERNAL_ERROR: {
    status: 500,
    meaning: 'The platform failed. The request may have taken effect.',
    fix: 'Repeat the request, with the same idempotency key if it has one. If the error persists, report the request_id.',
    retryable: true,
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    meaning:
      'The platform cannot process the request now. For example, it cannot reach its database, or too many commands of the tenant are waiting to be sent. The request had no effect. The only exception is parkedMessages.retry: the message may still be published.',
    fix: 'Repeat the request after the number of seconds in Retry-After.',
    retryable: true,
  },
  TENANT_MOVING: {
    status: 503,
    meaning:
      'The operator is moving the tenant to another platform. The request had no effect. The only exception is parkedMessages.retry: the message may still be published.',
    fix: 'Repeat the request after the number of seconds in Retry-After, until the move ends. If the tenant then has another address, the response is TENANT_MOVED.',
    retryable: true,
  },
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof errors;

const errorCodes = Object.keys(errors) as [ErrorCode, ...ErrorCode[]];

const ErrorCodeOfAnswer = z.enum(errorCodes).meta({
  id: 'ErrorCode',
  description: 'Machine-readable error code. For an unknown error code, use the HTTP status of the response.',
});

export const ErrorDetail = z.object({
  location: z
    .string()
    .meta({ pattern: '^(body|query|path|header)(/|$)' })
    .describe(
      'Location of the problem: the part of the request and a JSON Pointer (RFC 6901) into it, for example `body/payload/speed` or `query/limit`. For a header: `header/` and its name.',
    ),
  code: z.string().meta({ pattern: patterns.enumValue.source }).describe('Machine-readable code of the problem.'),
  message: z.string().min(1).describe('Human-readable description of the problem.'),
});

export type ErrorDetail = z.infer<typeof ErrorDetail>;

/** The body of every answer that is not a success. */
export const ErrorBody = z
  .object({
    code: ErrorCodeOfAnswer,
    message: z.string().min(1).describe('Human-readable message: what happened and what to do.'),
    request_id: RequestId,
    details: z.array(ErrorDetail).optional().describe('Every problem in the request, with its location.'),
    metadata: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Additional data for the code, for example `required_scope` with FORBIDDEN.'),
  })
  .meta({
    id: 'ErrorBody',
    example: {
      code: 'FORBIDDEN',
      message: 'Authorization was denied: this needs the scope open:command:create.',
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
      metadata: { required_scope: 'open:command:create', granted_by_roles: ['integration_operator'] },
    },
  });

export type ErrorBody = z.infer<typeof ErrorBody>;
