import { z } from 'zod';
import { operations } from './operation.js';
import { CommandType, OpaqueObject, page, pageQuery, RequestId, Timestamp, Vendor } from './primitives.js';
import { printable } from './printable.js';

const Enabled = z.boolean().describe('Whether the platform accepts commands of this type.');
const Description = printable(1000).describe('What the command does: 1 to 1000 printable characters.');
/** The allowed form of a payload schema. */
const limits =
  'With `$schema` of draft 4, 6 or 7, that draft. Notes of other programs, such as `x-…`, `comment` or `javaType`, change nothing. At most 16 KiB of JSON and 16 levels deep. A `$ref` is `#` and the JSON Pointer of a schema in this one, without `%`, `#` and spaces, and must not lead to itself. `$anchor`, `$dynamicAnchor` and `$dynamicRef` are not supported. Patterns use the RE2 syntax, without look-around and back-references. At most 200 subschemas may apply to one value; each alternative of an `anyOf` counts as one.';
const CatalogCommandType = z
  .object({
    vendor: Vendor,
    command_type: CommandType,
    enabled: Enabled,
    description: z.string().describe('What the command does.'),
    payload_schema: OpaqueObject.describe(`JSON Schema 2020-12 for the payload of the command. ${limits}`),
    revision: z.int().min(1).describe('Revision of payload_schema: starts at 1 and increases by 1 with each change.'),
    created_at: Timestamp.describe('When the command type was added to the catalog.'),
    updated_at: Timestamp.describe('When the command type was last changed.'),
    request_id: RequestId,
  })
  .meta({
    id: 'CatalogCommandType',
    example: {
      vendor: 'vendor_a',
      command_type: 'set_power',
      enabled: true,
      description: 'Switches the device on or off.',
      payload_schema: {
        type: 'object',
        properties: { power: { enum: ['on', 'off'] } },
        required: ['power'],
        additionalProperties: false,
      },
      revision: 1,
      created_at: '2026-01-31T09:30:00.000Z',
      updated_at: '2026-01-31T09:30:00.000Z',
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

const CommandTypePut = z
  .strictObject({
    enabled: Enabled.optional().describe(
      'Whether the platform accepts commands of this type. By default true for a new command type.',
    ),
    description: Description.optional().describe('What the command does. Required for a new command type.'),
    payload_schema: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(`JSON Schema 2020-12 for the payload of the command. Required for a new command type. ${limits}`),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one field')
  .meta({
    id: 'CommandTypePut',
    example: {
      description: 'Switches the device on or off.',
      payload_schema: {
        type: 'object',
        properties: { power: { enum: ['on', 'off'] } },
        required: ['power'],
        additionalProperties: false,
      },
    },
    moreExamples: { disable: { enabled: false } },
  });

export const commandTypes = operations({
  list: {
    method: 'GET',
    path: '/api/v1/platform/catalog/vendors/:vendor/command-types',
    summary: 'List the command types of a vendor',
    description: 'Lists all command types of the vendor, including disabled ones, newest first.',
    metadata: {
      scope: 'platform:catalog:read',
      specified: false,
      tenant: 'platform',
      errors: [],
    },
    pathParams: z.object({ vendor: Vendor }),
    query: z.strictObject(pageQuery),
    responses: { 200: page('CatalogCommandTypePage', CatalogCommandType) },
  },
  put: {
    method: 'PUT',
    path: '/api/v1/platform/catalog/vendors/:vendor/command-types/:command_type',
    summary: 'Add or change a command type',
    description:
      'Adds a command type to the catalog, or updates only the fields in the body. A changed payload_schema increments `revision` and applies from the next command.',
    metadata: {
      scope: 'platform:catalog:update',
      specified: false,
      tenant: 'platform',
      errors: ['PAYLOAD_SCHEMA_INVALID', 'RESOURCE_LIMIT_REACHED'],
      repeat: 'ALWAYS',
    },
    pathParams: z.object({ vendor: Vendor, command_type: CommandType }),
    query: z.strictObject({}),
    body: CommandTypePut,
    responses: { 200: CatalogCommandType },
  },
});
