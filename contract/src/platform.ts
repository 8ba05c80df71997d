import { z } from 'zod';
import { operations } from './operation.js';
import { RequestId, Timestamp, Vendor } from './primitives.js';

/** A count stops here, so that the answer costs the same however much waits. */
const COUNTED = '10,000';

const waiting = (what: string) =>
  z.object({
    waiting: z.int().describe(`Number of ${what}, counted up to ${COUNTED}.`),
    oldest_seconds: z.number().nullable().describe('How long the oldest has waited, in seconds. null: none waits.'),
  });

const PlatformVendor = z
  .object({
    vendor: Vendor,
    enabled: z.boolean().describe('Whether the platform accepts commands for devices of this vendor.'),
    last_read_at: Timestamp.nullable().describe(
      'When an adapter of any tenant last read commands of the vendor. null: never.',
    ),
  })
  .meta({ id: 'PlatformVendor' });

const PlatformSlot = z
  .object({
    slot: z.int().describe('Number of the slot, 0 to 15. Each tenant belongs to one slot.'),
    worker: z.string().nullable().describe('Worker that holds the slot; null if no worker holds it.'),
    oldest_event_seconds: z
      .number()
      .nullable()
      .describe('How long its oldest unpublished event has waited, in seconds. null: none waits.'),
  })
  .meta({ id: 'PlatformSlot', description: 'A share of the tenants whose messages one worker publishes.' });

const PlatformWorker = z
  .object({
    worker: z.string().describe('Id of the worker.'),
    can_publish: z.boolean().describe('false: the worker cannot reach the messaging bus.'),
  })
  .meta({ id: 'PlatformWorker', description: 'A process that publishes messages and ends overdue commands.' });

const PlatformState = z
  .object({
    outbox: waiting('accepted commands and device replies that wait to be published').describe(
      'Accepted, and not yet published on the messaging bus.',
    ),
    events: waiting('events that wait to be published').describe('Events that are not yet published.'),
    parked_messages: z.int().describe(`Number of parked messages of all tenants, counted up to ${COUNTED}.`),
    vendors: z.array(PlatformVendor).describe('Vendors of the catalog, by name, at most 1,000.'),
    slots: z.array(PlatformSlot).describe('All slots, by number.'),
    workers: z.array(PlatformWorker).describe('Live workers. A process with `ROLE=api` is not one.'),
    request_id: RequestId,
  })
  .meta({
    id: 'PlatformState',
    example: {
      outbox: { waiting: 12, oldest_seconds: 0.4 },
      events: { waiting: 0, oldest_seconds: null },
      parked_messages: 3,
      vendors: [{ vendor: 'vendor_a', enabled: true, last_read_at: '2026-01-31T09:45:00.000Z' }],
      slots: [{ slot: 0, worker: 'node-1', oldest_event_seconds: null }],
      workers: [{ worker: 'node-1', can_publish: true }],
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

export const platform = operations({
  get: {
    method: 'GET',
    path: '/api/v1/platform/state',
    summary: 'Get the state of the platform',
    description:
      'Returns what waits to be published, when adapters last read commands of each vendor, how many messages are parked, and which workers are alive. It contains no data of a tenant.',
    metadata: {
      scope: 'platform:state:read',
      specified: false,
      tenant: 'platform',
      errors: [],
    },
    query: z.strictObject({}),
    responses: { 200: PlatformState },
  },
});
