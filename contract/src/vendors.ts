import { z } from 'zod';
import { operations } from './operation.js';
import { page, pageQuery, RequestId, Timestamp, Vendor } from './primitives.js';

const CatalogVendor = z
  .object({
    vendor: Vendor,
    enabled: z.boolean().describe('Whether the platform accepts commands for devices of this vendor.'),
    last_read_at: Timestamp.nullable().describe(
      'When an adapter of any tenant last read commands of the vendor; null if no adapter has ever read them. Updated about once a minute.',
    ),
    created_at: Timestamp.describe('When the vendor was added to the catalog.'),
    updated_at: Timestamp.describe('When the vendor was last changed.'),
    request_id: RequestId,
  })
  .meta({
    id: 'CatalogVendor',
    example: {
      vendor: 'vendor_a',
      enabled: true,
      last_read_at: '2026-01-31T09:45:00.000Z',
      created_at: '2026-01-31T09:30:00.000Z',
      updated_at: '2026-01-31T09:30:00.000Z',
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

const VendorPut = z
  .strictObject({ enabled: z.boolean().describe('Whether the platform accepts commands for devices of this vendor.') })
  .meta({ id: 'VendorPut', example: { enabled: true }, moreExamples: { disable: { enabled: false } } });

export const vendors = operations({
  list: {
    method: 'GET',
    path: '/api/v1/platform/catalog/vendors',
    summary: 'List the vendors of the catalog',
    description: 'Lists all vendors, including disabled ones, newest first.',
    metadata: {
      scope: 'platform:catalog:read',
      specified: false,
      tenant: 'platform',
      errors: [],
    },
    query: z.strictObject(pageQuery),
    responses: { 200: page('CatalogVendorPage', CatalogVendor) },
  },
  put: {
    method: 'PUT',
    path: '/api/v1/platform/catalog/vendors/:vendor',
    summary: 'Add, enable or disable a vendor',
    description:
      'Adds a vendor to the catalog, or updates it. Commands for a disabled vendor are refused immediately. The platform still processes the commands that it accepted earlier.',
    metadata: {
      scope: 'platform:catalog:update',
      specified: false,
      tenant: 'platform',
      errors: ['RESOURCE_LIMIT_REACHED'],
      repeat: 'ALWAYS',
    },
    pathParams: z.object({ vendor: Vendor }),
    query: z.strictObject({}),
    body: VendorPut,
    responses: { 200: CatalogVendor },
  },
});
