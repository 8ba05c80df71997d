import type { ParkedMessage } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import { addResource } from '../input/add-operation.js';
import type { Invocation } from '../invocation.js';
import type { View } from '../output/render.js';

/** The platform answers a retry and a deletion with the id alone. */
const view: View<Pick<ParkedMessage, 'parked_message_id'> & Partial<ParkedMessage>> = {
  id: (message) => message.parked_message_id,
  columns: ['parked_message_id', 'parked_at', 'kind', 'vendor', 'reason'],
};

export function addParkedMessages(program: Command, invocation: Invocation): void {
  const add = addResource(program, invocation, 'parkedMessages');

  add('list', { view, call: ({ client, path, input }) => client.parkedMessages.list(path.tenant_id, input) });
  add('get', { view, call: ({ client, path }) => client.parkedMessages.get(path.tenant_id, path.parked_message_id) });
  add('retry', {
    view,
    call: ({ client, path }) => client.parkedMessages.retry(path.tenant_id, path.parked_message_id),
  });
  add('delete', {
    confirm: {
      question: ({ path }, tenant) => `Delete the parked message ${path.parked_message_id} of tenant ${tenant}?`,
    },
    view,
    call: ({ client, path }) => client.parkedMessages.delete(path.tenant_id, path.parked_message_id),
  });
}
