import { MAX_PAGE } from '@tenant-open-platform/contract/facts';
import type { Tenant } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import { addResource } from '../input/add-operation.js';
import type { Invocation } from '../invocation.js';
import { findExisting } from '../object-content.js';
import { printable } from '../output/printable.js';
import type { View } from '../output/render.js';
import { writeTenantExport } from '../tenant-export.js';

const view: View<Tenant> = {
  id: (tenant) => tenant.tenant_id,
  columns: ['tenant_id', 'name', 'status', 'created_at'],
};

const vendors = {
  description: 'The only vendors of the tenant, such as vendor_a,vendor_b; or "all".',
  nullWord: 'all',
};
const requests_per_minute = {
  description:
    'Quota of requests of the whole tenant per minute and server instance; or "default", as the platform is configured.',
  nullWord: 'default',
};

export function addTenants(program: Command, invocation: Invocation): void {
  const add = addResource(program, invocation, 'tenants');

  add('create', {
    description: 'Creates a tenant. Create its first credential with: topctl credentials create --tenant <tenant_id>',
    fields: { tenant_id: { description: 'The id of the new tenant.' }, vendors, requests_per_minute },
    view,
    call: ({ client, input }) => client.tenants.create(input),
  });
  add('list', { view, call: ({ client, input }) => client.tenants.list(input) });
  add('get', { view, call: ({ client, path }) => client.tenants.get(path.tenant_id) });
  add('update', {
    fields: { vendors, requests_per_minute },
    confirm: {
      when: ({ status }) => status === 'DISABLED',
      question: ({ path }) => `Disable the tenant ${path.tenant_id} and all its credentials?`,
    },
    view,
    call: ({ client, path, input }) => client.tenants.update(path.tenant_id, input),
  });
  add('delete', {
    confirm: {
      question: ({ path }) =>
        `Delete the tenant ${path.tenant_id} and everything of it? Nothing can be restored. Export it first.`,
    },
    view,
    call: ({ client, path, input }) => client.tenants.delete(path.tenant_id, input),
  });
  add('export', {
    description:
      'Writes everything that the platform keeps of a DISABLED tenant, except secrets, as NDJSON: an item on each line. The last line is {"type":"end","items":N}; an export without it is incomplete. For the configuration alone, as files for "topctl apply", of any tenant: topctl export',
    flags: {
      file: { kind: 'path', description: 'The file to write, completely or not at all. Default: stdout.' },
      limit: {
        kind: 'integer',
        description: `How many items to ask for at a time, 1 to ${MAX_PAGE}.`,
        default: `${MAX_PAGE}`,
      },
    },
    run: async ({ client, path, input: { file, limit } }) => {
      const { context } = invocation;
      const existing = file === undefined ? null : await findExisting(context, file);
      if (existing !== null) await invocation.confirm(`Replace ${existing}?`);
      const items = await writeTenantExport(context, file, (signal) =>
        client.tenants.export(path.tenant_id, { limit }, { signal }),
      );
      if (file !== undefined) invocation.note(`${items} items are in ${printable(file)}.`);
    },
  });
}
