import type { BusPrincipal, TenantOpenPlatform } from '@tenant-open-platform/sdk';
import { renderBusConfig } from '../../bus-config.js';
import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';

const PAGE = 500;
const USER_KEY = /^U[A-Z2-7]{55}$/;

export function busRenderConfig(group: Group, invocation: Invocation): void {
  group
    .command('render-config')
    .description(
      "Print the accounts of nats-server's configuration: the platform and the ACTIVE principals of all tenants.",
    )
    .option('--platform-user-public-key <nkey>', "the public nkey of the platform's own user: U… (required)")
    .action(async (flags) => {
      const { platformUserPublicKey } = await invocation.fillIn(flags, ['platformUserPublicKey']);
      if (!USER_KEY.test(platformUserPublicKey)) {
        throw invocation.usageError('--platform-user-public-key is the public nkey of a user: 56 characters, U…');
      }
      const { client } = await invocation.connect();
      const vendors = await client.vendors.list({ limit: PAGE }).toArray();
      const config = renderBusConfig({
        principals: await livePrincipals(client),
        vendors: vendors.filter(({ enabled }) => enabled).map(({ vendor }) => vendor),
        platformUserPublicKey,
      });
      invocation.context.stdout.write(config);
    });
}

/** In an order that does not change, so that the difference of two configurations is what has changed. */
async function livePrincipals(client: TenantOpenPlatform): Promise<BusPrincipal[]> {
  const live: BusPrincipal[] = [];
  for await (const tenant of client.tenants.list({ limit: PAGE })) {
    if (tenant.status !== 'ACTIVE') continue;
    const query = { status: 'ACTIVE', limit: PAGE } as const;
    for await (const principal of client.busPrincipals.list(tenant.tenant_id, query)) {
      if (principal.expires_at === null || Date.parse(principal.expires_at) > Date.now()) live.push(principal);
    }
  }
  return live.sort((a, b) => (a.principal_id < b.principal_id ? -1 : 1));
}
