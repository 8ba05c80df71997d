import { z } from 'zod';
import { ObjectConfigStatus, ObjectCredentialId } from './object-credentials.js';
import { operations } from './operation.js';
import { Name, page, pageQuery, queryList, RequestId, Timestamp } from './primitives.js';

export const ObjectResourceId = z.uuid().describe('Id of the object resource: a UUID that the platform generates.');

export const ObjectOperation = z
  .enum(['UPLOAD', 'DOWNLOAD'])
  .meta({ id: 'ObjectOperation', description: 'Operation that the presigned URL allows.' });

/** The most bytes of one PUT request. */
const MAX_OBJECT_BYTES = 5 * 1024 ** 3;
const MAX_EXPIRES_IN_SECONDS = 604_800;

const Bucket = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    'must be 3 to 63 of the characters a-z 0-9 . -, and begin and end with a letter or a digit',
  )
  .describe('Name of the bucket: 3 to 63 lower-case letters, digits, dots and hyphens.');
const AllowedOperations = z
  .array(ObjectOperation)
  .min(1)
  .max(2)
  .refine((names) => new Set(names).size === names.length, 'must not name an operation twice')
  .meta({ uniqueItems: true })
  .describe('Operations that can be presigned.');
const KeyPrefix = z
  .string()
  .max(512)
  .describe(
    'Prefix of every key, for example `firmware/`. The platform appends object_key to it. At most 512 bytes, empty by default.',
  );
const AllowedContentTypes = z
  .array(
    z
      .string()
      .regex(
        /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/(\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,126})$/,
        'must be a media type in lower case without parameters, or all of a kind, such as image/*',
      )
      .describe('Media type in lower case without parameters, or a wildcard such as `image/*`.'),
  )
  .min(1)
  .max(50)
  .describe('Content types that can be uploaded; null if every type is allowed.');
const MaxObjectBytes = z
  .int()
  .min(1)
  .max(MAX_OBJECT_BYTES)
  .describe('Maximum size of an upload, in bytes: 1 to 5368709120 (5 GiB), 5368709120 by default.');
const MaxExpiresInSeconds = z
  .int()
  .min(1)
  .max(MAX_EXPIRES_IN_SECONDS)
  .describe('Maximum lifetime of a presigned URL, in seconds: 1 to 604800 (7 days), 3600 by default.');

const ObjectResource = z
  .object({
    resource_id: ObjectResourceId,
    name: Name,
    credential_id: ObjectCredentialId,
    bucket: Bucket,
    allowed_operations: AllowedOperations,
    key_prefix: KeyPrefix,
    allowed_content_types: AllowedContentTypes.nullable(),
    max_object_bytes: MaxObjectBytes,
    max_expires_in_seconds: MaxExpiresInSeconds,
    status: ObjectConfigStatus,
    created_at: Timestamp.describe('When the resource was created.'),
    updated_at: Timestamp.describe('When the resource was last changed.'),
    request_id: RequestId,
  })
  .meta({
    id: 'ObjectResource',
    example: {
      resource_id: '019bd3a4-5c4e-7a55-9e84-ad4e5f607182',
      name: 'Firmware images',
      credential_id: '019bd3a4-5c4e-7f44-8d73-9c3d4e5f6071',
      bucket: 'acme-firmware',
      allowed_operations: ['UPLOAD', 'DOWNLOAD'],
      key_prefix: 'firmware/',
      allowed_content_types: ['application/octet-stream'],
      max_object_bytes: 104_857_600,
      max_expires_in_seconds: 3600,
      status: 'ACTIVE',
      created_at: '2026-01-31T09:30:00.000Z',
      updated_at: '2026-01-31T09:30:00.000Z',
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

const ObjectResourceCreate = z
  .strictObject({
    name: Name,
    credential_id: ObjectCredentialId,
    bucket: Bucket,
    allowed_operations: AllowedOperations,
    key_prefix: KeyPrefix.optional(),
    allowed_content_types: AllowedContentTypes.nullable().optional(),
    max_object_bytes: MaxObjectBytes.optional(),
    max_expires_in_seconds: MaxExpiresInSeconds.optional(),
    status: ObjectConfigStatus.optional().describe('ACTIVE by default.'),
  })
  .meta({
    id: 'ObjectResourceCreate',
    example: {
      name: 'Firmware images',
      credential_id: '019bd3a4-5c4e-7f44-8d73-9c3d4e5f6071',
      bucket: 'acme-firmware',
      allowed_operations: ['UPLOAD', 'DOWNLOAD'],
      key_prefix: 'firmware/',
      allowed_content_types: ['application/octet-stream'],
    },
    moreExamples: {
      downloads_only: {
        name: 'Manuals',
        credential_id: '019bd3a4-5c4e-7f44-8d73-9c3d4e5f6071',
        bucket: 'acme-manuals',
        allowed_operations: ['DOWNLOAD'],
        max_expires_in_seconds: 60,
      },
    },
  });

const ObjectResourceUpdate = z
  .strictObject({
    name: Name.optional(),
    credential_id: ObjectCredentialId.optional(),
    bucket: Bucket.optional(),
    allowed_operations: AllowedOperations.optional(),
    key_prefix: KeyPrefix.optional(),
    allowed_content_types: AllowedContentTypes.nullable().optional(),
    max_object_bytes: MaxObjectBytes.optional(),
    max_expires_in_seconds: MaxExpiresInSeconds.optional(),
    status: ObjectConfigStatus.optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one field')
  .meta({
    id: 'ObjectResourceUpdate',
    example: { max_expires_in_seconds: 900 },
    moreExamples: { downloads_only: { allowed_operations: ['DOWNLOAD'] } },
  });

const ObjectResourceDeleted = z
  .object({
    resource_id: ObjectResourceId,
    deleted: z.literal(true).describe('Always true.'),
    request_id: RequestId,
  })
  .meta({
    id: 'ObjectResourceDeleted',
    example: {
      resource_id: '019bd3a4-5c4e-7a55-9e84-ad4e5f607182',
      deleted: true,
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

const resourcePath = z.object({ resource_id: ObjectResourceId });

export const objectResources = operations({
  create: {
    method: 'POST',
    path: '/api/v1/open/objects/resources',
    summary: 'Create an object resource',
    description:
      'Allows presigned access to a part of a bucket. The object resource defines the allowed operations, key prefix, content types, size and lifetime of URLs. By default, a tenant can have 200 object resources, including DISABLED ones.',
    metadata: {
      scope: 'open:object-config:create',
      specified: true,
      tenant: 'own',
      errors: ['NOT_FOUND', 'RESOURCE_LIMIT_REACHED'],
      repeat: 'BY_HEADER',
    },
    query: z.strictObject({}),
    body: ObjectResourceCreate,
    responses: { 201: ObjectResource },
  },
  list: {
    method: 'GET',
    path: '/api/v1/open/objects/resources',
    summary: 'List object resources',
    description: 'Lists the object resources of the tenant, newest first.',
    metadata: {
      scope: 'open:object-config:read',
      specified: true,
      tenant: 'own',
      errors: [],
    },
    query: z.strictObject({
      ...pageQuery,
      credential_id: ObjectCredentialId.optional().describe('Only resources of this object credential.'),
      status: queryList(ObjectConfigStatus).optional().describe('Only resources with one of these statuses.'),
    }),
    responses: { 200: page('ObjectResourcePage', ObjectResource) },
  },
  get: {
    method: 'GET',
    path: '/api/v1/open/objects/resources/:resource_id',
    summary: 'Get an object resource',
    description: 'Returns one object resource.',
    metadata: {
      scope: 'open:object-config:read',
      specified: false,
      tenant: 'own',
      errors: [],
    },
    pathParams: resourcePath,
    query: z.strictObject({}),
    responses: { 200: ObjectResource },
  },
  update: {
    method: 'PUT',
    path: '/api/v1/open/objects/resources/:resource_id',
    summary: 'Update an object resource',
    description:
      'Updates only the fields in the body. A change applies from the next presign request. URLs issued earlier keep working until they expire.',
    metadata: {
      scope: 'open:object-config:update',
      specified: true,
      tenant: 'own',
      errors: [],
      repeat: 'ALWAYS',
    },
    pathParams: resourcePath,
    query: z.strictObject({}),
    body: ObjectResourceUpdate,
    responses: { 200: ObjectResource },
  },
  delete: {
    method: 'DELETE',
    path: '/api/v1/open/objects/resources/:resource_id',
    summary: 'Delete an object resource',
    description:
      'Deletes the object resource. The platform presigns no more URLs for it. URLs issued earlier keep working until they expire. The objects in the bucket are not deleted.',
    metadata: {
      scope: 'open:object-config:delete',
      specified: false,
      tenant: 'own',
      errors: [],
    },
    pathParams: resourcePath,
    query: z.strictObject({}),
    responses: { 200: ObjectResourceDeleted },
  },
});
