import { join, resolve } from 'node:path';
import type { TenantOpenPlatform } from '@tenant-open-platform/sdk';
import type { Invocation } from '../invocation.js';
import { readProfileFile } from '../session/profile.js';
import { connect, type Session } from '../session/session.js';
import { nullIfAbsent } from '../write-file-atomically.js';

/** Finds the client for what only a credential of the tenant itself may see and change. */
export type TenantClients = (tenant: string, scope: string) => Promise<TenantOpenPlatform | undefined>;

/** The caller, if it belongs to the tenant; otherwise a profile that an earlier apply put into the folder of secrets. */
export function tenantClients(invocation: Invocation, session: Session, secretsDir: string | undefined): TenantClients {
  const { context, flags } = invocation;
  /** Scopes that a client has had. It may get more while the plan is carried out. */
  const known = new Map<TenantOpenPlatform, readonly string[]>();
  const byFile = new Map<string, TenantOpenPlatform>();

  const may = async (client: TenantOpenPlatform, scope: string) => {
    if (known.get(client)?.includes(scope)) return true;
    known.set(client, (await client.me.get()).scopes);
    return known.get(client)?.includes(scope) === true;
  };

  async function openFile(path: string, tenant: string): Promise<TenantOpenPlatform | undefined> {
    const profile = await readProfileFile(context, path).catch(() => undefined);
    if (profile?.tenant_id !== tenant) return undefined;
    const { base_url, ca_file } = session.profile;
    const other = await connect(context, { ...profile, base_url, ...(ca_file !== undefined && { ca_file }) }, flags);
    return other.client;
  }

  return async (tenant, scope) => {
    if ((await session.tenant()) === tenant && (await may(session.client, scope))) return session.client;
    if (secretsDir === undefined) return undefined;
    const folder = resolve(context.cwd, secretsDir, tenant);
    const names = (await context.fs.readdir(folder).catch(nullIfAbsent)) ?? [];
    for (const name of names.filter((file) => file.endsWith('.json')).sort()) {
      const path = join(folder, name);
      const client = byFile.get(path) ?? (await openFile(path, tenant));
      if (!client) continue;
      byFile.set(path, client);
      // The profile may be of another platform, or its credential may be disabled.
      if (await may(client, scope).catch(() => false)) return client;
    }
    return undefined;
  };
}
