import type { CatalogCommandType } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import { addResource } from '../input/add-operation.js';
import type { Invocation } from '../invocation.js';
import type { View } from '../output/render.js';

const view: View<CatalogCommandType> = {
  id: (commandType) => `${commandType.vendor} ${commandType.command_type}`,
  columns: ['vendor', 'command_type', 'enabled', 'revision', 'description'],
};

export function addCommandTypes(program: Command, invocation: Invocation): void {
  const add = addResource(program, invocation, 'commandTypes');

  add('list', { view, call: ({ client, path, input }) => client.commandTypes.list(path.vendor, input) });
  add('put', {
    description:
      'Adds a command type to the catalog, or updates the fields that you give. A changed schema applies from the next command.',
    fields: {
      payload_schema: {
        description: 'JSON Schema 2020-12 for the payload of a command; required for a new command type.',
      },
    },
    confirm: {
      when: ({ enabled }) => enabled === false,
      question: ({ path }) => `Disable the command type ${path.command_type} of ${path.vendor} for every tenant?`,
    },
    view,
    call: ({ client, path, input }) => client.commandTypes.put(path.vendor, path.command_type, input),
  });
}
