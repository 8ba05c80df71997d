import type { Catalog } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import { addResource } from '../input/add-operation.js';
import type { Invocation } from '../invocation.js';
import type { View } from '../output/render.js';

type Entry = { vendor: string } & Catalog['vendors'][number]['command_types'][number];

const view: View<Entry> = {
  id: (entry) => `${entry.vendor} ${entry.command_type}`,
  columns: ['vendor', 'command_type', 'description'],
};

export function addCatalog(program: Command, invocation: Invocation): void {
  const add = addResource(program, invocation, 'catalog');

  add('get', {
    description:
      'Shows the vendors and command types that commands can use. JSON and YAML output contain the payload schemas.',
    run: async ({ client }) => {
      const catalog = await client.catalog.get();
      const entries = catalog.vendors.flatMap(({ vendor, command_types }) =>
        command_types.map((commandType) => ({ vendor, ...commandType })),
      );
      await invocation.printWhole(catalog, entries, view);
    },
  });
}
