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
    meaning: 'The request is not well-formed HTTP, or a GET, HEAD or DELETE carries a body.',
    fix: 'Send HTTP/1.1 as RFC 9112 describes it; leave out the body of GET, HEAD and DELETE.',
    retryable: false,
  },
  INVALID_TARGET: {
    status: 400,
    meaning: 'The path or the query breaks the grammar of request targets.',
    fix: 'Use the path as the reference shows it, without trailing slash or percent-encoding; give every query parameter once, with a value, percent-encoded where it needs to be.',
    retryable: false,
  },
  INVALID_REQUEST_ID: {
    status: 400,
    meaning: 'X-Request-Id does not match ^[A-Za-z0-9._~-]{1,128}$.',
    fix: 'Send a correlation id of that alphabet, or leave the header out.',
    retryable: false,
  },
  MALFORMED_JSON: {
    status: 400,
    meaning: 'The body is not JSON with one unambiguous meaning.',
    fix: 'Correct the body at the location named in details.',
    retryable: false,
  },
  VALIDATION_FAILED: {
    status: 400,
    meaning: 'A field of the query or the body is missing, unknown or has a value outside its range.',
    fix: 'Correct every field named in details.',
    retryable: false,
  },
  INVALID_CURSOR: {
    status: 400,
    meaning: 'The cursor was not issued for this list with these filters.',
    fix: 'Pass next_cursor of the previous page with the same filters, or start without a cursor.',
    retryable: false,
  },
  REQUEST_TIMEOUT: {
    status: 408,
    meaning: 'The request did not arrive completely in time.',
    fix: 'Send the whole request within 10 seconds.',
    retryable: true,
  },
  EXPECTATION_FAILED: {
    status: 417,
    meaning: 'The Expect header asks for something the platform does not do.',
    fix: 'Leave the Expect header out.',
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
      'The request is not signed by a live credential: a header is missing or malformed, the credential is unknown, disabled, expired or deleted, its tenant is disabled, or the signature does not match.',
    fix: 'Correct every header named in details. If there are no details, compare metadata.string_to_sign line by line with the string you signed; check X-Api-Id and the secret.',
    retryable: false,
  },
  CLOCK_SKEW: {
    status: 401,
    meaning: 'The signature is right, but X-Api-Timestamp is outside the allowed window.',
    fix: "Set the clock, or sign with the server's time from metadata.server_time.",
    retryable: true,
  },
  NONCE_REUSED: {
    status: 401,
    meaning: 'The signature is right, but a request with this nonce was received before.',
    fix: 'Make a fresh nonce for every attempt, retries included.',
    retryable: true,
  },
  FORBIDDEN: {
    status: 403,
    meaning: 'Authorization was denied: the credential lacks the permission, or the tenant is not its own.',
    fix: 'Check that X-Api-Id is the expected client, that it belongs to the tenant, and that a role binding or a policy grants metadata.required_scope. metadata.granted_by_roles names the built-in roles that grant it.',
    retryable: false,
  },
  OBJECT_POLICY_DENIED: {
    status: 403,
    meaning: "The object resource's policy does not allow this, or the resource or its credential is disabled.",
    fix: 'Ask for what the policy allows; details name the field and the rule.',
    retryable: false,
  },
  NOT_FOUND: {
    status: 404,
    meaning: "There is no such path or no such resource in the caller's tenant.",
    fix: 'Check the path and the id.',
    retryable: false,
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    meaning: 'The path exists, but not with this method.',
    fix: 'Use a method of the Allow header.',
    retryable: false,
  },
  TENANT_ALREADY_EXISTS: {
    status: 409,
    meaning: 'A tenant with this tenant_id exists.',
    fix: 'Choose another tenant_id, or update the existing tenant.',
    retryable: false,
  },
  TENANT_NOT_DISABLED: {
    status: 409,
    meaning: 'Only a DISABLED tenant is exported or deleted.',
    fix: 'Disable the tenant with tenants.update first. metadata.status is its status; a tenant that is DELETING or DELETED cannot be exported any more.',
    retryable: false,
  },
  TENANT_DELETED: {
    status: 409,
    meaning: 'The tenant is being deleted or is deleted, which is final.',
    fix: 'Create a tenant with another tenant_id.',
    retryable: false,
  },
  CREDENTIAL_ALREADY_EXISTS: {
    status: 409,
    meaning: 'The client_id is taken. A client_id is unique on the whole platform and never free again.',
    fix: 'Choose another client_id; to rotate the secret of your own, send rotate_secret: true.',
    retryable: false,
  },
  CREDENTIAL_DELETED: {
    status: 409,
    meaning: 'The credential is deleted, which is final.',
    fix: 'Create a credential with another client_id.',
    retryable: false,
  },
  ROLE_BINDING_ALREADY_EXISTS: {
    status: 409,
    meaning: 'The client is bound to this role already.',
    fix: 'Nothing to do.',
    retryable: false,
  },
  ROLE_BUILT_IN: {
    status: 409,
    meaning: 'The role is built in: every tenant has it, and nobody changes it.',
    fix: 'Choose another name for a role of your own.',
    retryable: false,
  },
  ROLE_IN_USE: {
    status: 409,
    meaning: 'Credentials are bound to the role.',
    fix: 'Delete its role bindings first; roleBindings.list shows them.',
    retryable: false,
  },
  POLICY_ALREADY_EXISTS: {
    status: 409,
    meaning: 'The credential already holds this scope directly.',
    fix: 'Nothing needs to be done.',
    retryable: false,
  },
  BUS_PRINCIPAL_ALREADY_EXISTS: {
    status: 409,
    meaning: 'The user key belongs to a principal already, or the account key to another tenant.',
    fix: 'Generate a new nkey. A key is never free again, even when its principal is deleted.',
    retryable: false,
  },
  BUS_PRINCIPAL_DELETED: {
    status: 409,
    meaning: 'The principal is deleted, which is final.',
    fix: 'Create another principal with a new user key.',
    retryable: false,
  },
  RESOURCE_LIMIT_REACHED: {
    status: 409,
    meaning: 'The limit for resources of this kind is reached. Disabled ones count, too.',
    fix: 'Update one that is not used any more, or remove one with the DELETE operation of its kind; a status frees no place. metadata names the resource and its limit, which the operator can raise.',
    retryable: false,
  },
  OBJECT_CREDENTIAL_IN_USE: {
    status: 409,
    meaning: 'Object resources use the object credential.',
    fix: 'Delete the object resources of metadata.resource_ids first, or give them another credential_id. metadata names at most 100; objectResources.list shows all.',
    retryable: false,
  },
  SUBSCRIPTION_ALREADY_EXISTS: {
    status: 409,
    meaning: 'The endpoint is subscribed to this event type already.',
    fix: 'Nothing needs to be done; callbackSubscriptions.list shows it.',
    retryable: false,
  },
  COMMAND_NOT_CANCELABLE: {
    status: 409,
    meaning: 'The command is on its way or has ended: it can no longer be taken back.',
    fix: 'Read metadata.status; wait for the outcome with commands.get and wait_seconds.',
    retryable: false,
  },
  DEVICE_REQUEST_ALREADY_REPLIED: {
    status: 409,
    meaning: 'The request of the device has its one reply, and this is another.',
    fix: 'Read the reply with deviceRequests.get.',
    retryable: false,
  },
  DEVICE_REQUEST_EXPIRED: {
    status: 409,
    meaning: 'The request of the device expired without a reply: the device no longer waits.',
    fix: 'Reply before expires_at; deviceRequests.list with status=PENDING and wait_seconds shows requests as they come.',
    retryable: false,
  },
  PARKED_MESSAGE_NOT_RETRYABLE: {
    status: 409,
    meaning: 'The parked message cannot be published again.',
    fix: 'Read the reason with parkedMessages.get, then delete the message.',
    retryable: false,
  },
  LAST_PLATFORM_ADMINISTRATOR: {
    status: 409,
    meaning: 'The change would leave the platform without a lasting administrator.',
    fix: 'Create another credential of tenant platform, without expires_at and bound to platform_admin, first.',
    retryable: false,
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    meaning: 'The body, or a payload within it, is larger than its limit.',
    fix: 'Send less: GET /api/v1/open/me shows the limits.',
    retryable: false,
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    meaning: 'The body is not application/json, or it is compressed.',
    fix: 'Send Content-Type: application/json and no Content-Encoding.',
    retryable: false,
  },
  VENDOR_NOT_ENABLED: {
    status: 422,
    meaning: 'The vendor is not enabled in the platform catalog, or not for the tenant.',
    fix: 'Use a vendor that GET /api/v1/open/catalog lists.',
    retryable: false,
  },
  COMMAND_TYPE_UNKNOWN: {
    status: 422,
    meaning: 'The vendor has no enabled command type of this name.',
    fix: 'Use a command_type that GET /api/v1/open/catalog lists for the vendor.',
    retryable: false,
  },
  COMMAND_PAYLOAD_INVALID: {
    status: 422,
    meaning: "The payload does not satisfy the command type's payload schema.",
    fix: 'Correct the payload at the locations named in details; the schema is in GET /api/v1/open/catalog.',
    retryable: false,
  },
  TENANT_ID_RESERVED: {
    status: 422,
    meaning: 'The tenant platform belongs to the platform itself: it can be neither created nor disabled nor deleted.',
    fix: 'Choose another tenant_id.',
    retryable: false,
  },
  SCOPE_UNKNOWN: {
    status: 422,
    meaning: 'There is no such scope, or it exists in tenant `platform` alone.',
    fix: 'Use a scope that the reference lists; roles.list shows those of the built-in roles.',
    retryable: false,
  },
  BUS_KEY_INVALID: {
    status: 422,
    meaning:
      'A key is not a public nkey of its kind: 56 characters with a checksum, A… for the account, U… for the user.',
    fix: 'Send the public keys that `nk` or `nsc` shows. Copy them whole.',
    retryable: false,
  },
  BUS_SEED_NOT_ALLOWED: {
    status: 422,
    meaning: 'A field holds a private seed instead of a public key. It was neither stored nor logged.',
    fix: 'Treat the seed as disclosed: generate a new nkey, and send its public key, which begins with A or U.',
    retryable: false,
  },
  PAYLOAD_SCHEMA_INVALID: {
    status: 422,
    meaning: 'payload_schema is not a JSON Schema 2020-12 that the platform takes.',
    fix: 'Correct the schema as details say.',
    retryable: false,
  },
  EVENT_TYPE_NOT_SUBSCRIBABLE: {
    status: 422,
    meaning: 'There is no such event type: events are not split by outcome.',
    fix: 'Subscribe command.accepted or command.completed, and read the status in the event.',
    retryable: false,
  },
  CALLBACK_URL_NOT_ALLOWED: {
    status: 422,
    meaning: 'The URL is not one that deliveries may go to: HTTPS, a public host, no user, no fragment.',
    fix: 'Use the public HTTPS address of the receiver; details tell what is wrong with this one.',
    retryable: false,
  },
  RATE_LIMITED: {
    status: 429,
    meaning:
      'A limit is reached. There are four: requests of the credential, requests of the tenant, waiting requests of the tenant, and failed authentications from the address.',
    fix: 'Wait as long as Retry-After says. metadata.quota names the limit: credential, tenant, waiting or address.',
    retryable: true,
  },
  INTERNAL_ERROR: {
    status: 500,
    meaning: 'The platform failed. The request may or may not have taken effect.',
    fix: 'Repeat what may be repeated safely; report the request_id if it persists.',
    retryable: true,
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    meaning:
      'The platform cannot carry out the request now: it does not reach its database, or a command would wait for too long. The request had no effect.',
    fix: 'Repeat the request after Retry-After.',
    retryable: true,
  },
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof errors;

const errorCodes = Object.keys(errors) as [ErrorCode, ...ErrorCode[]];

const ErrorCodeOfAnswer = z.enum(errorCodes).meta({ id: 'ErrorCode', description: 'One code of the table of errors.' });

const ErrorDetail = z.object({
  location: z
    .string()
    .meta({ pattern: '^(body|query|path|header)(/|$)' })
    .describe(
      'Where: a JSON Pointer (RFC 6901) behind `body`, `query` or `path`, for example `body/payload/speed`; or `header/` and the name of a header.',
    ),
  code: z.string().meta({ pattern: patterns.enumValue.source }).describe('What is wrong there, in a word.'),
  message: z.string().describe('What is wrong there, in a sentence.'),
});

export type ErrorDetail = z.infer<typeof ErrorDetail>;

/** The body of every answer that is not a success. */
export const ErrorBody = z
  .object({
    code: ErrorCodeOfAnswer,
    message: z.string().describe('What happened and what to do, in a sentence or two. For people.'),
    request_id: RequestId,
    details: z.array(ErrorDetail).optional().describe('Every place in the request that is wrong.'),
    metadata: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Facts that belong to the code, for example `required_scope` with FORBIDDEN.'),
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
