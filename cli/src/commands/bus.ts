import type { BusVendor } from '@tenant-open-platform/contract/bus-access';
import { MAX_PAGE } from '@tenant-open-platform/contract/facts';
import type { Tenant, TenantOpenPlatform } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import { type Admitted, renderBusConfig } from '../bus-config.js';
import { addExamples } from '../input/examples.js';
import { type Field, FieldOption } from '../input/field.js';
import { readInput } from '../input/read-input.js';
import type { Invocation } from '../invocation.js';
import { operations } from '../operations.gen.js';
import type { View } from '../output/render.js';
import { newNkeyPair } from '../secrets/nkey-pair.js';
import { createSecretFiles } from '../secrets/secret-file.js';

const USER_KEY = /^U[A-Z2-7]{55}$/;

const fields = {
  platform_user_public_key: {
    kind: 'text',
    description: 'The public nkey of the user with which the platform connects: 56 characters that begin with U.',
    isRequired: true,
  },
} as const satisfies Record<string, Field>;

const keysView: View<{ seed_file: string; bus_user_public_key: string; bus_account_public_key: string }> = {
  id: (keys) => keys.bus_user_public_key,
  columns: ['seed_file', 'bus_user_public_key', 'bus_account_public_key'],
};

const scopes = (['tenants.list', 'busPrincipals.list', 'vendors.list'] as const).map((name) => operations[name].scope);

export function addBus(program: Command, invocation: Invocation): void {
  const group = program.command('bus').description('Configuration of the messaging bus.').helpCommand(false);
  addExamples(group.command('keygen'), ['topctl bus keygen pumps-adapter'])
    .summary('Create the keys of a principal.')
    .description(
      'Creates three files that only you can read. NAME.nk has the private seed with which a principal connects to NATS: keep it secret. NAME.pub and NAME-account.pub have the public keys that you register. The seed of the account is not kept, because nobody needs it. Existing files are never overwritten. The command sends nothing.',
    )
    .argument('<name>', 'The beginning of the names of the files, such as pumps-adapter.')
    .action(async (name: string) => {
      const user = newNkeyPair('user');
      const account = newNkeyPair('account');
      const seedFile = `${name}.nk`;
      await createSecretFiles(invocation.context, {
        [seedFile]: user.seed,
        [`${name}.pub`]: user.publicKey,
        [`${name}-account.pub`]: account.publicKey,
      });
      const keys = {
        seed_file: seedFile,
        bus_user_public_key: user.publicKey,
        bus_account_public_key: account.publicKey,
      };
      await invocation.printItem(keys, keysView);
    });
  addExamples(group.command('render-config'), [
    'topctl bus render-config --platform-user-public-key UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4',
  ])
    .summary('Print the accounts for nats-server.')
    .description(
      `Prints the accounts section for the configuration of nats-server: the platform, and the ACTIVE principals of all tenants, also of those that move to another platform. A principal that they cannot have is left out and named, and the exit code is 9.\n\nScopes: ${scopes.join(', ')}, in the tenant platform.`,
    )
    .addOption(new FieldOption('platform_user_public_key', fields.platform_user_public_key))
    .action(async (flags) => {
      const input = await readInput(invocation, fields, flags);
      const platformUserPublicKey = String(input.platform_user_public_key);
      if (!USER_KEY.test(platformUserPublicKey)) {
        throw invocation.usageError(
          '--platform-user-public-key must be the public nkey of a user: 56 characters that begin with U',
        );
      }
      const { client } = await invocation.connect();
      const active = await activePrincipals(invocation, client);
      const taken = new Set([platformUserPublicKey]);
      const admitted = active.filter(({ principal: { bus_user, tenant_id, bus_user_public_key: key } }) => {
        if (!taken.has(key)) return taken.add(key);
        const holder = key === platformUserPublicKey ? 'the platform' : 'another principal';
        invocation.leaveOut(
          `${bus_user} of tenant ${tenant_id}: its key ${key} belongs to ${holder}. Register another key for it.`,
        );
        return false;
      });
      invocation.context.stdout.write(renderBusConfig({ admitted, platformUserPublicKey }));
    });
}

/** To a tenant, a vendor that it may not use is disabled: its adapters still report the outcome of earlier commands. */
const vendorsOf = ({ vendors: allowed }: Tenant, vendors: readonly BusVendor[]) =>
  vendors.map(({ vendor, enabled }) => ({ vendor, enabled: enabled && (allowed?.includes(vendor) ?? true) }));

/**
 * Sorted, so that a diff of two configurations shows only what changed. A move waits for the reports of adapters, so those
 * of a tenant that moves are among them, unless it was disabled.
 */
async function activePrincipals(invocation: Invocation, client: TenantOpenPlatform): Promise<Admitted[]> {
  const { isApiError } = await import('@tenant-open-platform/sdk');
  const vendors = await client.vendors.list({ limit: MAX_PAGE }).toArray();
  const active: Admitted[] = [];
  for await (const tenant of client.tenants.list({ limit: MAX_PAGE })) {
    if (tenant.status !== 'ACTIVE' && tenant.status !== 'MOVING') continue;
    const query = { status: 'ACTIVE', limit: MAX_PAGE } as const;
    try {
      for await (const principal of client.busPrincipals.list(tenant.tenant_id, query)) {
        if (principal.expires_at === null || Date.parse(principal.expires_at) > Date.now())
          active.push({ principal, vendors: vendorsOf(tenant, vendors) });
      }
    } catch (error) {
      if (!isApiError(error, 'TENANT_MOVING')) throw error;
      invocation.leaveOut(`the principals of tenant ${tenant.tenant_id}: it moves, and is disabled or has just moved.`);
    }
  }
  return active.sort((a, b) => (a.principal.principal_id < b.principal.principal_id ? -1 : 1));
}
