import type { ObjectResource } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import { addResource } from '../input/add-operation.js';
import type { Invocation } from '../invocation.js';
import type { View } from '../output/render.js';

/** The answer to a deletion has only the id. */
const view: View<Pick<ObjectResource, 'resource_id'> & Partial<ObjectResource>> = {
  id: (resource) => resource.resource_id,
  columns: ['resource_id', 'name', 'bucket', 'key_prefix', 'status'],
};

const fields = {
  allowed_content_types: {
    description: 'Content types that can be uploaded, such as image/*,text/plain; or "any".',
    nullWord: 'any',
  },
};

export function addObjectResources(program: Command, invocation: Invocation): void {
  const add = addResource(program, invocation, 'objectResources');

  add('create', { fields, view, call: ({ client, input }) => client.objectResources.create(input) });
  add('list', { view, call: ({ client, input }) => client.objectResources.list(input) });
  add('get', { view, call: ({ client, path }) => client.objectResources.get(path.resource_id) });
  add('update', {
    fields,
    confirm: {
      when: ({ status }) => status === 'DISABLED',
      question: ({ path }, tenant) => `Disable the object resource ${path.resource_id} of tenant ${tenant}?`,
    },
    view,
    call: ({ client, path, input }) => client.objectResources.update(path.resource_id, input),
  });
  add('delete', {
    confirm: { question: ({ path }, tenant) => `Delete the object resource ${path.resource_id} of tenant ${tenant}?` },
    view,
    call: ({ client, path }) => client.objectResources.delete(path.resource_id),
  });
}
