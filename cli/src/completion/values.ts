import { Writable } from 'node:stream';
import { MAX_PAGE } from '@tenant-open-platform/contract/facts';
import type { Context } from '../context.js';
import { operations } from '../operations.gen.js';
import { resolveProfile } from '../session/profile.js';
import { readProfilesFile } from '../session/profiles-file.js';
import { connect, type Session } from '../session/session.js';

type Look = {
  client: Session['client'];
  /** The tenant of the credential. */
  own: () => Promise<string>;
  /** The flags and arguments that are typed already. */
  given: Record<string, string>;
  limits: Limits;
};
type Limits = { signal: AbortSignal; maxRetries: number };

/** The user of the shell waits meanwhile. */
const LIMIT_MS = 2_000;
const PAGE = { limit: MAX_PAGE };

/** Where the platform lists the values of a flag or an argument. */
const sources: Record<string, (look: Look) => Promise<string[]>> = {
  tenant: tenantIds,
  tenant_id: tenantIds,
  role: async ({ client, own, given, limits }) =>
    (await client.roles.list(given.tenant ?? (await own()), PAGE, limits)).items.map(({ role }) => role),
  vendor: vendors,
  vendors,
  command_type: commandTypes,
};

/** The values that a flag or an argument may have, as far as the saved profiles or the platform tell at once. */
export async function valuesOf(context: Context, name: string, given: Record<string, string>): Promise<string[]> {
  const quiet = { ...context, stderr: new Writable({ write: (_chunk, _encoding, done) => done() }) };
  try {
    if (name === 'operation') return Object.keys(operations);
    if (name === 'profile') return Object.keys((await readProfilesFile(quiet)).profiles);
    const source = sources[name];
    if (!source) return [];
    const { profile, profileFile, baseUrl } = given;
    const flags = { ...(profile && { profile }), ...(profileFile && { profileFile }), ...(baseUrl && { baseUrl }) };
    const session = await connect(quiet, await resolveProfile(quiet, flags), {});
    const limits = { signal: AbortSignal.timeout(LIMIT_MS), maxRetries: 0 };
    const own = async () => session.profile.tenant_id ?? (await session.client.me.get(limits)).tenant_id;
    return await source({ client: session.client, own, given, limits });
  } catch {
    // A message would stand in the middle of the line that is being typed.
    return [];
  }
}

/** A credential that may not list the tenants belongs to one of them. */
async function tenantIds({ client, own, limits }: Look): Promise<string[]> {
  const { items } = await client.tenants
    .list(PAGE, limits)
    .catch(async () => ({ items: [{ tenant_id: await own() }] }));
  return items.map(({ tenant_id }) => tenant_id);
}

/** The catalog of a tenant; for those who administer the catalog, all of it. */
async function vendors({ client, limits }: Look): Promise<string[]> {
  const { vendors } = await client.catalog
    .get(limits)
    .catch(async () => ({ vendors: (await client.vendors.list(PAGE, limits)).items }));
  return vendors.map(({ vendor }) => vendor);
}

async function commandTypes({ client, given: { vendor }, limits }: Look): Promise<string[]> {
  const entries = await client.catalog
    .get(limits)
    .then(({ vendors }) =>
      vendors.flatMap((each) => (vendor === undefined || each.vendor === vendor ? each.command_types : [])),
    )
    .catch(async () => (vendor ? (await client.commandTypes.list(vendor, PAGE, limits)).items : []));
  return [...new Set(entries.map(({ command_type }) => command_type))];
}
