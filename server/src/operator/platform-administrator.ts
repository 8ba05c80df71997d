import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { eq } from 'drizzle-orm';
import type { Database, Transaction } from '../foundation/database/database.js';
import { asTenant, enterTenant } from '../foundation/database/row-level-security.js';
import { newId } from '../foundation/ids.js';
import { type Keyring, writePrivateFile } from '../foundation/secrets/keyring.js';
import { StartupError } from '../foundation/startup-error.js';
import { credentials, tenants } from '../foundation/tables.js';
import { type Facts, insertAuditEvent } from '../gateway/audit/audit.js';
import { insertCredential } from '../resources/credentials/credentials.js';
import { insertRoleBinding } from '../resources/role-bindings/role-bindings.js';
import { scopesOfRole } from '../resources/roles/granting.js';
import { readArguments } from './arguments.js';
import { insertTrialCatalog } from './trial-catalog.js';

/** The content of a profile file, which `topctl --profile-file` reads. */
type Profile = { base_url: string; tenant_id: string; client_id: string; secret: string };

type Platform = { database: Database; keyring: Keyring; baseUrl: string; cell: string | undefined };

/** Client ids of several platforms must differ, if one address serves them all. */
const inCell = (id: string, cell: string | undefined) => (cell === undefined ? id : `${id}-${cell}`);

export const demoTenantId = (cell: string | undefined) => inCell('demo', cell);

/**
 * Creates the first administrator, a demo tenant and its vendors on a new platform, and writes the profiles of both
 * credentials. Returns whether it did. The files are on the disk before the transaction commits, so that no secret is lost.
 */
export function seedOnFirstStart({ database, keyring, baseUrl, cell }: Platform, directory: string): Promise<boolean> {
  return asTenant(database, PLATFORM_TENANT_ID, async (tx) => {
    if (await hasAdministrator(tx)) return false;
    const seed = async (tenantId: string, clientId: string, role: string, file: string) => {
      await enterTenant(tx, tenantId);
      const profile = await insertBound(tx, keyring, { tenantId, clientId, role });
      await writePrivateFile(path.join(directory, file), JSON.stringify({ base_url: baseUrl, ...profile }, null, 2));
    };
    await seed(PLATFORM_TENANT_ID, inCell('platform-admin', cell), 'platform_admin', 'platform-admin.json');
    const demo = demoTenantId(cell);
    await tx.insert(tenants).values({ tenantId: demo, name: 'Demo' });
    await seed(demo, demo, 'integration_operator', 'demo.json');
    await insertTrialCatalog(tx);
    return true;
  });
}

export function bootstrapOptions(args: string[]) {
  const options = { recover: { type: 'boolean', default: false }, file: { type: 'string' } } as const;
  return readArguments({ args, options }, (problem) => new StartupError(`bootstrap-admin: ${problem}`)).values;
}

/**
 * Creates the first administrator, or another one with `recover`. The platform does not store the profile: it is in the
 * file, which must be new, before the transaction commits, or it is shown once.
 */
export function bootstrapAdministrator(
  { database, keyring, baseUrl, cell }: Platform,
  { recover, file }: ReturnType<typeof bootstrapOptions>,
): Promise<Profile> {
  return asTenant(database, PLATFORM_TENANT_ID, async (tx) => {
    if ((await hasAdministrator(tx)) && !recover) {
      throw new StartupError(
        'The platform has an administrator already. If every one is lost, create another with: bootstrap-admin --recover',
      );
    }
    const first = inCell('platform-admin', cell);
    const clientId = recover ? `${first}-${randomBytes(4).toString('hex')}` : first;
    const profile = await insertBound(tx, keyring, { tenantId: PLATFORM_TENANT_ID, clientId, role: 'platform_admin' });
    const operation = recover ? 'bootstrapAdmin.recover' : 'bootstrapAdmin.create';
    await auditLog(tx, PLATFORM_TENANT_ID, clientId)(operation, `credentials/${clientId}`);
    const shown = { base_url: baseUrl, ...profile };
    if (file !== undefined) await writeNewProfile(file, JSON.stringify(shown, null, 2));
    return shown;
  });
}

/** Nodes that start at the same time wait for each other on the tenant's row. */
async function hasAdministrator(tx: Transaction): Promise<boolean> {
  await tx.select().from(tenants).where(eq(tenants.tenantId, PLATFORM_TENANT_ID)).for('no key update');
  const [any] = await tx.select().from(credentials).where(eq(credentials.tenantId, PLATFORM_TENANT_ID)).limit(1);
  return any !== undefined;
}

async function insertBound(
  tx: Transaction,
  keyring: Keyring,
  { tenantId, clientId, role }: { tenantId: string; clientId: string; role: string },
) {
  const created = await insertCredential(tx, keyring, { tenantId, clientId, name: clientId });
  if (!created) throw new StartupError(`The client_id ${clientId} is taken.`);
  const scopes = (await scopesOfRole(tx, tenantId, role)) ?? [];
  await insertRoleBinding(tx, { tenantId, clientId, role });
  const log = auditLog(tx, tenantId, clientId);
  const { status } = created.row;
  await log('credentials.create', `credentials/${clientId}`, { client_id: clientId, status, secret: 'set' });
  await log('roleBindings.create', `role-bindings/${clientId}/${role}`, { client_id: clientId, role, scopes });
  return { tenant_id: tenantId, client_id: clientId, secret: created.secret };
}

/** The platform itself makes these credentials, so the log names each of them as its own maker. */
function auditLog(tx: Transaction, tenantId: string, clientId: string) {
  const shared = { tenantId, clientId, changes: [], outcome: 'DONE' as const, requestId: newId() };
  return (operation: string, path: string, after: Facts | null = null) =>
    insertAuditEvent(tx, { ...shared, operation, target: `platform/tenants/${tenantId}/${path}`, before: null, after });
}

async function writeNewProfile(file: string, text: string): Promise<void> {
  await writePrivateFile(file, text, { isNew: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new StartupError(`${file} exists, and may hold the only copy of a secret. Name a file that does not exist.`);
  });
}
