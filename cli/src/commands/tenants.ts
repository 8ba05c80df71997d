import type { Tenant } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import { addResource } from '../input/add-operation.js';
import type { Invocation } from '../invocation.js';
import type { View } from '../output/render.js';

const view: View<Tenant> = {
  id: (tenant) => tenant.tenant_id,
  columns: ['tenant_id', 'name', 'status', 'created_at'],
};

const vendors = {
  description: 'The only vendors of the tenant, such as vendor_a,vendor_b; or "all".',
  nullWord: 'all',
};

export function addTenants(program: Command, invocation: Invocation): void {
  const add = addResource(program, invocation, 'tenants');

  add('create', {
    description: 'Creates a tenant. Create its first credential with: topctl credentials create --tenant <tenant_id>',
    fields: { tenant_id: { description: 'The id of the new tenant.' }, vendors },
    view,
    call: ({ client, input }) => client.tenants.create(input),
  });
  add('list', { view, call: ({ client, input }) => client.tenants.list(input) });
  add('get', { view, call: ({ client, path }) => client.tenants.get(path.tenant_id) });
  add('update', {
    fields: { vendors },
    confirm: {
      when: ({ status }) => status === 'DISABLED',
      question: ({ path }) => `Disable the tenant ${path.tenant_id} and all its credentials?`,
    },
    view,
    call: ({ client, path, input }) => client.tenants.update(path.tenant_id, input),
  });
}
