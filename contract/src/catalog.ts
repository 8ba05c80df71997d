import { z } from 'zod';
import { operations } from './operation.js';
import { CommandType, OpaqueObject, RequestId, Timestamp, Vendor } from './primitives.js';

const Catalog = z
  .object({
    vendors: z
      .array(
        z.object({
          vendor: Vendor,
          last_read_at: Timestamp.nullable().describe(
            'When an adapter last read commands of this tenant and vendor; null if no adapter has ever read them. While it is null, no command reaches a device. Updated about once a minute.',
          ),
          command_types: z
            .array(
              z.object({
                command_type: CommandType,
                description: z.string().describe('What the command does.'),
                payload_schema: OpaqueObject.describe('JSON Schema 2020-12 for the payload of the command.'),
              }),
            )
            .describe('Enabled command types of the vendor.'),
        }),
      )
      .describe('Enabled vendors that the tenant can use.'),
    request_id: RequestId,
  })
  .meta({
    id: 'Catalog',
    example: {
      vendors: [
        {
          vendor: 'vendor_a',
          last_read_at: '2026-01-31T09:45:00.000Z',
          command_types: [
            {
              command_type: 'reboot',
              description: 'Restarts the device.',
              payload_schema: { type: 'object', additionalProperties: false },
            },
          ],
        },
      ],
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

export const catalog = operations({
  get: {
    method: 'GET',
    path: '/api/v1/open/catalog',
    summary: 'Get the catalog',
    description: 'Returns the vendors that the tenant can use, with their enabled command types and payload schemas.',
    metadata: {
      scope: 'open:catalog:read',
      specified: false,
      tenant: 'own',
      errors: [],
    },
    query: z.strictObject({}),
    responses: { 200: Catalog },
  },
});
