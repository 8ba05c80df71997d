import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { newNkeyPair } from '../src/secrets/nkey-pair.js';
import { type Outcome, topctl, type World } from './topctl.js';

type Item = Record<string, unknown>;

export const schemaOf = (maximum: number) => ({
  type: 'object',
  properties: { rpm: { type: 'integer', minimum: 0, maximum } },
  required: ['rpm'],
  additionalProperties: false,
});

/** Two vendors with half of the command types each. */
export const vendorsWith = (types: number): Item[] =>
  ['acme_pumps', 'acme_valves'].map((vendor) => ({
    vendor,
    enabled: true,
    command_types: Array.from({ length: types / 2 }, (_, index) => ({
      command_type: `command_${index}`,
      description: `Command ${index} of ${vendor}.`,
      payload_schema: schemaOf(index + 1),
    })),
  }));

/** A tenant with one of everything. */
export function tenantWithAll(tenant_id: string): Item {
  const [admin, backend] = [`${tenant_id}-admin`, `${tenant_id}-backend`];
  const user = newNkeyPair('user').publicKey;
  const account = newNkeyPair('account').publicKey;
  return {
    tenant_id,
    name: `Tenant ${tenant_id}`,
    requests_per_minute: 600_000,
    vendors: ['acme_valves', 'acme_pumps'],
    roles: [{ role: 'replier', scopes: ['open:device-request:read', 'open:device-request:create'] }],
    credentials: [
      { client_id: admin, name: 'Administrator' },
      { client_id: backend, name: 'Backend', requests_per_minute: 6_000, expires_at: '2099-01-31T10:30:00+01:00' },
    ],
    role_bindings: [
      { client_id: admin, role: 'tenant_admin' },
      { client_id: backend, role: 'replier' },
    ],
    policies: [{ client_id: backend, scope: 'open:command:create' }],
    bus_principals: [
      {
        bus_user: `${tenant_id}-adapter`,
        bus_account_public_key: account,
        bus_user_public_key: user,
        principal_type: 'SERVICE',
        vendors: ['acme_pumps'],
      },
    ],
    callback_endpoints: [
      {
        name: 'Orders / new',
        url: 'HTTPS://Hooks.Acme.Example:443',
        max_attempts: 3,
        callback_subscriptions: [{ event_type: 'command.completed' }],
      },
    ],
    object_credentials: [
      {
        name: 'Firmware store',
        endpoint: 'https://objects.example.com:443/',
        region: 'us-east-1',
        access_key_id: 'ACMEFIRMWARE',
        object_resources: [{ name: 'Images', bucket: 'acme-firmware', allowed_operations: ['DOWNLOAD', 'UPLOAD'] }],
      },
    ],
  };
}

export async function writeFiles(cwd: string, files: Record<string, object | string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, path)), { recursive: true });
    await writeFile(join(cwd, path), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  }
}

export const readJson = async (path: string) => JSON.parse(await readFile(path, 'utf8'));

type Step = { action: string; kind: string; name: string; place: string; changes: object[]; done: boolean | null };

/** Applies the folder `platform`. */
export const apply = (world: World, ...flags: string[]) => topctl(['apply', '-f', 'platform', ...flags], world);

export const stepsOf = ({ stdout }: Outcome) => JSON.parse(stdout) as Step[];

/** The steps that change something. */
export const toDoIn = (outcome: Outcome) =>
  stepsOf(outcome).filter(({ action }) => action !== 'NONE' && action !== 'KEEP');

/** Where the files of `tenantWithAll` need a secret access key. */
export const accessKeys = (folder: string, tenants: readonly Item[]) =>
  Object.fromEntries(
    tenants.map(({ tenant_id }) => [`${folder}/${tenant_id}/object-credentials/ACMEFIRMWARE.secret`, 'KEY\n']),
  );

export const inSecrets = ['--secrets-dir', 'secrets', '--yes'];
export const SECRET = /osk_[0-9A-Za-z]{49}|whsec_/;
