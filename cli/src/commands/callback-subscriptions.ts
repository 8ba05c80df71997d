import type { CallbackSubscription } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import { addResource } from '../input/add-operation.js';
import type { Invocation } from '../invocation.js';
import type { View } from '../output/render.js';

/** The answer to a deletion has only the id. */
const view: View<Pick<CallbackSubscription, 'subscription_id'> & Partial<CallbackSubscription>> = {
  id: (subscription) => subscription.subscription_id,
  columns: ['subscription_id', 'event_type', 'status', 'created_at'],
};

export function addCallbackSubscriptions(program: Command, invocation: Invocation): void {
  const add = addResource(program, invocation, 'callbackSubscriptions');

  add('create', {
    view,
    call: ({ client, path, input }) => client.callbackSubscriptions.create(path.endpoint_id, input),
  });
  add('list', { view, call: ({ client, path, input }) => client.callbackSubscriptions.list(path.endpoint_id, input) });
  add('update', {
    confirm: {
      when: ({ status }) => status === 'DISABLED',
      question: ({ path }, tenant) => `Disable the subscription ${path.subscription_id} of tenant ${tenant}?`,
    },
    view,
    call: ({ client, path, input }) =>
      client.callbackSubscriptions.update(path.endpoint_id, path.subscription_id, input),
  });
  add('delete', {
    confirm: { question: ({ path }, tenant) => `Delete the subscription ${path.subscription_id} of tenant ${tenant}?` },
    view,
    call: ({ client, path }) => client.callbackSubscriptions.delete(path.endpoint_id, path.subscription_id),
  });
}
