import { z } from 'zod';
import { CallbackEndpointId } from './callback-endpoints.js';
import { EventType } from './events.js';
import { operations } from './operation.js';
import { page, pageQuery, queryList, RequestId, Timestamp } from './primitives.js';

const SubscriptionId = z.uuid().describe('Id of the subscription: a UUID that the platform generates.');

export const SubscriptionStatus = z.enum(['ACTIVE', 'DISABLED']).meta({
  id: 'CallbackSubscriptionStatus',
  description:
    'ACTIVE: events are delivered. DISABLED: nothing is delivered. The status has no effect until webhook delivery is available.',
});

const CallbackSubscription = z
  .object({
    subscription_id: SubscriptionId,
    endpoint_id: CallbackEndpointId,
    event_type: EventType.describe('Subscribed event type.'),
    status: SubscriptionStatus,
    created_at: Timestamp.describe('When the subscription was created.'),
    request_id: RequestId,
  })
  .meta({
    id: 'CallbackSubscription',
    example: {
      subscription_id: '019bd3a4-5c4e-7d88-9bb7-d07182930415',
      endpoint_id: '019bd3a4-5c4e-7c77-8aa6-cf6071829304',
      event_type: 'command.completed',
      status: 'ACTIVE',
      created_at: '2026-01-31T09:30:00.000Z',
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

const CallbackSubscriptionCreate = z
  .strictObject({
    event_type: z
      .string()
      .regex(/^[\x21-\x7E]{1,128}$/, 'must be 1 to 128 visible ASCII characters without spaces')
      .describe(
        'command.accepted or command.completed. There is no separate type for failures: the event contains the status.',
      ),
    status: SubscriptionStatus.optional().describe('ACTIVE by default.'),
  })
  .meta({
    id: 'CallbackSubscriptionCreate',
    example: { event_type: 'command.completed' },
    moreExamples: { disabled: { event_type: 'command.accepted', status: 'DISABLED' } },
  });

const CallbackSubscriptionUpdate = z.strictObject({ status: SubscriptionStatus }).meta({
  id: 'CallbackSubscriptionUpdate',
  example: { status: 'ACTIVE' },
  moreExamples: { disable: { status: 'DISABLED' } },
});

const CallbackSubscriptionDeleted = z
  .object({
    subscription_id: SubscriptionId,
    deleted: z.literal(true).describe('Always true.'),
    request_id: RequestId,
  })
  .meta({
    id: 'CallbackSubscriptionDeleted',
    example: {
      subscription_id: '019bd3a4-5c4e-7d88-9bb7-d07182930415',
      deleted: true,
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

const endpointPath = z.object({ endpoint_id: CallbackEndpointId });
const subscriptionPath = z.object({ endpoint_id: CallbackEndpointId, subscription_id: SubscriptionId });

export const callbackSubscriptions = operations({
  create: {
    method: 'POST',
    path: '/api/v1/open/callbacks/endpoints/:endpoint_id/subscriptions',
    summary: 'Create a callback subscription',
    description: 'Subscribes the endpoint to an event type. An endpoint can have one subscription per type.',
    metadata: {
      scope: 'open:callback:create',
      specified: true,
      tenant: 'own',
      errors: ['EVENT_TYPE_NOT_SUBSCRIBABLE', 'SUBSCRIPTION_ALREADY_EXISTS', 'RESOURCE_LIMIT_REACHED'],
      repeat: 'BY_HEADER',
    },
    pathParams: endpointPath,
    query: z.strictObject({}),
    body: CallbackSubscriptionCreate,
    responses: { 201: CallbackSubscription },
  },
  list: {
    method: 'GET',
    path: '/api/v1/open/callbacks/endpoints/:endpoint_id/subscriptions',
    summary: 'List callback subscriptions',
    description: 'Lists the subscriptions of the endpoint, newest first.',
    metadata: {
      scope: 'open:callback:read',
      specified: true,
      tenant: 'own',
      errors: [],
    },
    pathParams: endpointPath,
    query: z.strictObject({
      ...pageQuery,
      status: queryList(SubscriptionStatus).optional().describe('Only subscriptions with one of these statuses.'),
    }),
    responses: { 200: page('CallbackSubscriptionPage', CallbackSubscription) },
  },
  update: {
    method: 'PUT',
    path: '/api/v1/open/callbacks/endpoints/:endpoint_id/subscriptions/:subscription_id',
    summary: 'Update a callback subscription',
    description: 'Enables or disables the subscription.',
    metadata: {
      scope: 'open:callback:update',
      specified: false,
      tenant: 'own',
      errors: [],
      repeat: 'ALWAYS',
    },
    pathParams: subscriptionPath,
    query: z.strictObject({}),
    body: CallbackSubscriptionUpdate,
    responses: { 200: CallbackSubscription },
  },
  delete: {
    method: 'DELETE',
    path: '/api/v1/open/callbacks/endpoints/:endpoint_id/subscriptions/:subscription_id',
    summary: 'Delete a callback subscription',
    description: 'Deletes the subscription.',
    metadata: {
      scope: 'open:callback:disable',
      specified: true,
      tenant: 'own',
      errors: [],
    },
    pathParams: subscriptionPath,
    query: z.strictObject({}),
    responses: { 200: CallbackSubscriptionDeleted },
  },
});
