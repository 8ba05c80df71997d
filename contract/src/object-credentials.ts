import { z } from 'zod';
import { operations } from './operation.js';
import { Name, page, pageQuery, queryList, RequestId, Timestamp } from './primitives.js';

export const ObjectCredentialId = z.uuid().describe('Id of the object credential: a UUID that the platform generates.');

export const ObjectConfigStatus = z.enum(['ACTIVE', 'DISABLED']).meta({
  id: 'ObjectConfigStatus',
  description:
    'ACTIVE: can be used for presigned URLs. DISABLED: presign requests that use this credential or resource are refused until it is ACTIVE again. URLs issued earlier keep working until they expire.',
});

const Provider = Name.describe('Display label of the provider, for example `minio`: 1 to 128 printable characters.');
const Endpoint = z
  .string()
  .min(1)
  .max(2048)
  .describe(
    'URL of the S3-compatible store, for example `https://objects.example.com` or `https://objects.example.com:9000`. Without a port, the port is 443. Its path, if the store is behind one, such as `/storage/v1/s3`, does not name the bucket. The URL must not have a query, a fragment or a user name. `http://` is allowed only if the operator has enabled it.',
  );
const Region = z
  .string()
  .regex(/^[a-z0-9-]{1,64}$/, 'must be 1 to 64 of the characters a-z 0-9 -')
  .describe('Region for the signature, for example `eu-central-1`. Use `us-east-1` for a store without regions.');
const ForcePathStyle = z
  .boolean()
  .describe(
    'true: the bucket is in the path (host/bucket/key). false: the bucket is in the host name (bucket.host/key).',
  );
const AccessKeyId = z
  .string()
  .regex(/^[\x21-\x7E]{1,128}$/, 'must be 1 to 128 visible ASCII characters without spaces')
  .describe('Access key id: the public part of the access key.');
const SecretAccessKey = z
  .string()
  .regex(/^[\x21-\x7E]{1,256}$/, 'must be 1 to 256 visible ASCII characters without spaces')
  .describe('Secret access key. It is stored encrypted and never returned.');
const SessionToken = z
  .string()
  .regex(/^[\x21-\x7E]{1,4096}$/, 'must be 1 to 4096 visible ASCII characters without spaces')
  .describe(
    'Session token of temporary access keys. It is stored encrypted, and returned only as part of presigned URLs.',
  );

const ObjectCredential = z
  .object({
    credential_id: ObjectCredentialId,
    name: Name,
    provider: Provider.nullable().describe('Display label of the provider; null if there is none.'),
    endpoint: z.string().describe('URL of the store.'),
    region: Region,
    force_path_style: ForcePathStyle,
    access_key_id: AccessKeyId,
    secret_version: z
      .int()
      .min(1)
      .describe('Version number of the current access key: starts at 1 and increases by 1 with each rotation.'),
    status: ObjectConfigStatus,
    created_at: Timestamp.describe('When the credential was created.'),
    updated_at: Timestamp.describe('When the credential was last changed.'),
    request_id: RequestId,
  })
  .meta({
    id: 'ObjectCredential',
    example: {
      credential_id: '019bd3a4-5c4e-7f44-8d73-9c3d4e5f6071',
      name: 'Firmware store',
      provider: 'minio',
      endpoint: 'https://objects.example.com',
      region: 'us-east-1',
      force_path_style: true,
      access_key_id: 'ACMEFIRMWARE',
      secret_version: 1,
      status: 'ACTIVE',
      created_at: '2026-01-31T09:30:00.000Z',
      updated_at: '2026-01-31T09:30:00.000Z',
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

const ObjectCredentialCreate = z
  .strictObject({
    name: Name,
    endpoint: Endpoint,
    region: Region,
    access_key_id: AccessKeyId,
    secret_access_key: SecretAccessKey,
    session_token: SessionToken.nullable().optional(),
    provider: Provider.nullable().optional(),
    force_path_style: ForcePathStyle.optional().describe(
      'true: the bucket is in the path (host/bucket/key). By default false: the bucket is in the host name (bucket.host/key).',
    ),
    status: ObjectConfigStatus.optional().describe('ACTIVE by default.'),
  })
  .meta({
    id: 'ObjectCredentialCreate',
    example: {
      name: 'Firmware store',
      provider: 'minio',
      endpoint: 'https://objects.example.com',
      region: 'us-east-1',
      force_path_style: true,
      access_key_id: 'ACMEFIRMWARE',
      secret_access_key: 'wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY',
    },
    moreExamples: {
      temporary_keys: {
        name: 'Import store',
        endpoint: 'https://objects.example.com',
        region: 'eu-central-1',
        access_key_id: 'ACMEIMPORT',
        secret_access_key: 'wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY',
        session_token: 'FwoGZXIvYXdzEXAMPLETOKEN',
      },
    },
  });

const ObjectCredentialUpdate = z
  .strictObject({
    name: Name.optional(),
    endpoint: Endpoint.optional(),
    region: Region.optional(),
    access_key_id: AccessKeyId.optional().describe('New access key id. Requires secret_access_key.'),
    secret_access_key: SecretAccessKey.optional().describe('New secret access key. Requires access_key_id.'),
    session_token: SessionToken.nullable()
      .optional()
      .describe(
        'Session token of temporary access keys; null removes it. If you send a new access key without session_token, the old token is removed.',
      ),
    provider: Provider.nullable().optional(),
    force_path_style: ForcePathStyle.optional(),
    status: ObjectConfigStatus.optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one field')
  .refine((body) => (body.access_key_id === undefined) === (body.secret_access_key === undefined), {
    path: ['secret_access_key'],
    error: 'requires access_key_id, and access_key_id requires it',
  })
  .meta({
    id: 'ObjectCredentialUpdate',
    dependentRequired: { access_key_id: ['secret_access_key'], secret_access_key: ['access_key_id'] },
    example: { status: 'DISABLED' },
    moreExamples: {
      new_keys: { access_key_id: 'ACMEFIRMWARE2', secret_access_key: 'je7MtGbClwBFEXAMPLEKEYwJalrXUtnFEMIK7MDENG' },
    },
  });

const ObjectCredentialDeleted = z
  .object({
    credential_id: ObjectCredentialId,
    deleted: z.literal(true).describe('Always true.'),
    request_id: RequestId,
  })
  .meta({
    id: 'ObjectCredentialDeleted',
    example: {
      credential_id: '019bd3a4-5c4e-7f44-8d73-9c3d4e5f6071',
      deleted: true,
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

const credentialPath = z.object({ credential_id: ObjectCredentialId });

export const objectCredentials = operations({
  create: {
    method: 'POST',
    path: '/api/v1/open/objects/credentials',
    summary: 'Create an object credential',
    description:
      "Registers an access key of the tenant's own S3-compatible store. The secret access key is stored encrypted and never returned. By default, a tenant can have 50 object credentials, including DISABLED ones.",
    metadata: {
      scope: 'open:object-config:create',
      specified: true,
      tenant: 'own',
      errors: ['RESOURCE_LIMIT_REACHED'],
      repeat: 'BY_HEADER',
    },
    query: z.strictObject({}),
    body: ObjectCredentialCreate,
    responses: { 201: ObjectCredential },
  },
  list: {
    method: 'GET',
    path: '/api/v1/open/objects/credentials',
    summary: 'List object credentials',
    description: 'Lists the object credentials of the tenant without their secrets, newest first.',
    metadata: {
      scope: 'open:object-config:read',
      specified: true,
      tenant: 'own',
      errors: [],
    },
    query: z.strictObject({
      ...pageQuery,
      status: queryList(ObjectConfigStatus).optional().describe('Only credentials with one of these statuses.'),
    }),
    responses: { 200: page('ObjectCredentialPage', ObjectCredential) },
  },
  get: {
    method: 'GET',
    path: '/api/v1/open/objects/credentials/:credential_id',
    summary: 'Get an object credential',
    description: 'Returns one object credential without its secrets.',
    metadata: {
      scope: 'open:object-config:read',
      specified: false,
      tenant: 'own',
      errors: [],
    },
    pathParams: credentialPath,
    query: z.strictObject({}),
    responses: { 200: ObjectCredential },
  },
  update: {
    method: 'PUT',
    path: '/api/v1/open/objects/credentials/:credential_id',
    summary: 'Update or rotate an object credential',
    description:
      'Updates only the fields in the body. To rotate the access key, send access_key_id and secret_access_key together. A change applies from the next presign request.',
    metadata: {
      scope: 'open:object-config:update',
      specified: true,
      tenant: 'own',
      errors: [],
      repeat: 'BY_HEADER',
    },
    pathParams: credentialPath,
    query: z.strictObject({}),
    body: ObjectCredentialUpdate,
    responses: { 200: ObjectCredential },
  },
  delete: {
    method: 'DELETE',
    path: '/api/v1/open/objects/credentials/:credential_id',
    summary: 'Delete an object credential',
    description:
      'Deletes the object credential and its secrets. The platform refuses the request while an object resource uses the object credential, even if the resource is DISABLED. URLs issued earlier keep working until they expire.',
    metadata: {
      scope: 'open:object-config:delete',
      specified: false,
      tenant: 'own',
      errors: ['OBJECT_CREDENTIAL_IN_USE'],
    },
    pathParams: credentialPath,
    query: z.strictObject({}),
    responses: { 200: ObjectCredentialDeleted },
  },
});
