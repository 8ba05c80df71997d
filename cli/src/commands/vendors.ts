import type { CatalogVendor } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import { addResource } from '../input/add-operation.js';
import type { Invocation } from '../invocation.js';
import type { View } from '../output/render.js';

const view: View<CatalogVendor> = {
  id: (vendor) => vendor.vendor,
  columns: ['vendor', 'enabled', 'last_read_at', 'created_at'],
};

export function addVendors(program: Command, invocation: Invocation): void {
  const add = addResource(program, invocation, 'vendors');

  add('list', { view, call: ({ client, input }) => client.vendors.list(input) });
  add('put', {
    confirm: {
      when: ({ enabled }) => enabled === false,
      question: ({ path }) => `Disable the vendor ${path.vendor} for every tenant?`,
    },
    view,
    call: ({ client, path, input }) => client.vendors.put(path.vendor, input),
  });
}
