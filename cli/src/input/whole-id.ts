import { MAX_PAGE } from '@tenant-open-platform/contract/facts';
import type { TenantOpenPlatform } from '@tenant-open-platform/sdk';

type Values = Record<string, unknown>;
type Look = { client: TenantOpenPlatform; tenant: string | undefined; path: Values };

const PAGE = { limit: MAX_PAGE };

/** Where an id is listed. `field`: its name in the list, if that differs. */
const lists: Record<string, { field?: string; read: (look: Look) => PromiseLike<{ items: object[] }> }> = {
  command_id: { read: ({ client }) => client.commands.list(PAGE) },
  request_id: { field: 'device_request_id', read: ({ client }) => client.deviceRequests.list(PAGE) },
  credential_id: { read: ({ client }) => client.objectCredentials.list(PAGE) },
  resource_id: { read: ({ client }) => client.objectResources.list(PAGE) },
  endpoint_id: { read: ({ client }) => client.callbackEndpoints.list(PAGE) },
  subscription_id: { read: ({ client, path }) => client.callbackSubscriptions.list(`${path.endpoint_id}`, PAGE) },
  policy_id: { read: ({ client, tenant = '' }) => client.policies.list(tenant, PAGE) },
  principal_id: { read: ({ client, tenant = '' }) => client.busPrincipals.list(tenant, PAGE) },
  parked_message_id: { read: ({ client, tenant = '' }) => client.parkedMessages.list(tenant, PAGE) },
};

export const listedIds = Object.keys(lists);

/** The end of an id, as tables on a terminal show it. */
const SHORT = /^…?([0-9a-f]{12})$/;

/** The same values with whole ids instead of their ends, in the order of the path. */
export async function withWholeIds<V extends Values>(
  values: V,
  { client, tenant }: Omit<Look, 'path'>,
  refuse: (problem: string) => Error,
): Promise<V> {
  const path: Values = { ...values };
  for (const [name, value] of Object.entries(values)) {
    const list = lists[name];
    const [, end] = (list && SHORT.exec(String(value))) ?? [];
    if (!list || !end) continue;
    const { items } = await list.read({ client, tenant, path });
    const ids = items.map((item) => String((item as Values)[list.field ?? name])).filter((id) => id.endsWith(end));
    const [whole] = ids;
    if (!whole) throw refuse(`none of the newest ${PAGE.limit} ids ends in ${end}; "list -o id" prints whole ids`);
    if (ids.length > 1) throw refuse(`${ids.length} ids end in ${end}: ${ids.join(', ')}`);
    path[name] = whole;
  }
  return path as V;
}
