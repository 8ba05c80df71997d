import { dirname, join, resolve } from 'node:path';
import { UsageError } from '../errors.js';
import type { Invocation } from '../invocation.js';
import { toJson } from '../output/printable.js';
import type { View } from '../output/render.js';
import { toYaml } from '../output/yaml.js';
import { nullIfAbsent, writeFileAtomically } from '../write-file-atomically.js';
import { atOnce } from './at-once.js';
import {
  type Fields,
  isGone,
  isMoving,
  type Kind,
  keyOf,
  kinds,
  type ListName,
  MOVES,
  PLATFORM_TENANT,
  topLists,
} from './kinds.js';
import type { PlatformAccess } from './plan.js';
import { tenantClients } from './tenant-clients.js';

export type ExportFlags = { to: string; secretsDir: string | undefined };

type Written = { file: string; outcome: 'created' | 'replaced' | 'unchanged' };
const view: View<Written> = { id: ({ file }) => file, columns: ['file', 'outcome'] };

/** Writes a file for each vendor and each tenant of the platform. */
export async function exportFiles(invocation: Invocation, { to, secretsDir }: ExportFlags): Promise<void> {
  const { context, flags } = invocation;
  const session = await invocation.connect();
  const access = { session, clients: tenantClients(invocation, session, secretsDir) };
  const only = flags.tenant;
  const { lists, unread, leftOut } = await readPlatform(access, only);
  if (only !== undefined && lists.tenants.length === 0 && leftOut.length === 0)
    throw new UsageError(`there is no tenant ${only}`);

  const isJson = flags.output === 'json';
  const files = topLists.flatMap((list) =>
    lists[list].map((item) => ({
      path: join(to, list, `${keyOf(kinds[list], item)}.${isJson ? 'json' : 'yaml'}`),
      text: isJson ? `${toJson({ [list]: [item] }, 2)}\n` : toYaml({ [list]: [item] }),
    })),
  );
  const compared = await Promise.all(
    files.map(async (file) => {
      const before = await context.fs.readFile(resolve(context.cwd, file.path), 'utf8').catch(nullIfAbsent);
      return {
        ...file,
        outcome: before === null ? 'created' : before === file.text ? 'unchanged' : 'replaced',
      } as const;
    }),
  );
  const replaced = compared.filter(({ outcome }) => outcome === 'replaced');
  if (replaced.length > 0) await invocation.confirm(`Replace ${replaced.map(({ path }) => path).join(', ')}?`);
  for (const { path, text, outcome } of compared) {
    if (outcome === 'unchanged' || flags.dryRun) continue;
    await context.fs.mkdir(dirname(resolve(context.cwd, path)), { recursive: true });
    await writeFileAtomically(context, path, (file) => file.writeFile(text));
  }
  const written = compared.map(({ path, outcome }): Written => ({ file: path, outcome }));
  await invocation.printItems(written, view, { limit: 0, all: true });
  for (const note of unread) invocation.note(note);
  for (const what of leftOut) invocation.leaveOut(what);
  invocation.note(`Secrets are in no file. To apply the files: topctl apply -f ${to} --secrets-dir FOLDER`);
}

type Access = Pick<PlatformAccess, 'session' | 'clients'>;

async function readPlatform({ session, clients }: Access, only: string | undefined) {
  const ownTenant = await session.tenant();
  const unread = new Map<string, string[]>();
  const leftOut: string[] = [];

  async function readList(list: ListName, parent: Fields, tenant: string | undefined): Promise<Fields[]> {
    const kind = kinds[list];
    const client = kind.ownScopes && tenant ? await clients(tenant, `${kind.ownScopes}:read`) : session.client;
    if (!client) {
      unread.set(kind.name, [...(unread.get(kind.name) ?? []), tenant ?? '']);
      return [];
    }
    const items: Fields[] = [];
    for await (const read of kind.read({ client, parent }, ownTenant)) {
      const item = read as Fields;
      const isWanted = list !== 'tenants' || only === undefined || item.tenant_id === only;
      if (!isWanted || isGone(item) || item.built_in === true) continue;
      if (list === 'tenants' && isMoving(item)) leftOut.push(`tenant ${item.tenant_id}: ${MOVES}`);
      else items.push(item);
    }
    items.sort((a, b) => (keyOf(kind, a) < keyOf(kind, b) ? -1 : 1));
    const describeOne = (item: Fields) => describe(kind, item, tenant ?? (item.tenant_id as string | undefined));
    return atOnce(withOwnKeys(kind, items, tenant), describeOne, { isAllowed: tenant === undefined });
  }

  /** A file finds a thing by its name. */
  function withOwnKeys(kind: Kind, items: readonly Fields[], tenant: string | undefined): Fields[] {
    const keys = items.map((item) => keyOf(kind, item));
    const shared = new Set(keys.filter((key, index) => index > 0 && key === keys[index - 1]));
    for (const key of shared)
      leftOut.push(
        `${kind.name}s${tenant ? ` of tenant ${tenant}` : ''}: several have the name ${key}. Rename all but one.`,
      );
    return items.filter((_, index) => !shared.has(keys[index] ?? ''));
  }

  async function describe(kind: Kind, item: Fields, tenant: string | undefined): Promise<Fields> {
    const fields = [...kind.key, ...kind.fields].map((field) => [field, item[field]]);
    const lists: [ListName, Fields[]][] = [];
    for (const name of kind.lists ?? []) lists.push([name, await readList(name, item, tenant)]);
    return Object.fromEntries([...fields, ...lists.filter(([, things]) => things.length > 0)]);
  }

  const isCatalog = ownTenant === PLATFORM_TENANT && only === undefined;
  const lists = {
    vendors: isCatalog ? await readList('vendors', {}, undefined) : [],
    tenants: await readList('tenants', {}, undefined),
  };
  const notRead = [...unread].map(
    ([name, tenants]) =>
      `Not read, because only an active credential of the tenant can do so (a profile in --secrets-dir/TENANT/): ${name}s of ${tenants.sort().join(', ')}, if there are any.`,
  );
  return { lists, unread: notRead, leftOut: leftOut.sort() };
}
