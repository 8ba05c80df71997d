import type { TenantOpenPlatform } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import { CancelledError } from '../errors.js';
import { bindCommand } from '../failure/grant-command.js';
import { addExamples } from '../input/examples.js';
import { type Field, FieldOption } from '../input/field.js';
import { readInput } from '../input/read-input.js';
import { interruptible } from '../interruptible.js';
import type { Invocation } from '../invocation.js';
import { renderWhole, type View } from '../output/render.js';
import { profileFlags, saveProfile } from '../session/profile.js';
import { readProfilesFile } from '../session/profiles-file.js';
import { connect } from '../session/session.js';

const fields = {
  tenant_id: { kind: 'text', description: 'The id of the tenant.', isRequired: true },
  tenant_name: { kind: 'text', description: 'The name of the tenant. Default: its id.' },
  client_id: { kind: 'text', description: 'The id of its first credential. Default: <tenant_id>-app.' },
  role: { kind: 'text', description: 'The role of the credential.', default: 'integration_operator' },
  device_id: { kind: 'text', description: 'Send a first command to this device, and wait for its outcome.' },
  vendor: { kind: 'text', description: 'The vendor of the device. Default: the first of the catalog.' },
  command_type: { kind: 'text', description: 'The type of the command. Default: the first of the vendor.' },
} as const satisfies Record<string, Field>;

type Ready = { profile: string; tenant_id: string; client_id: string; role: string };
const view: View<Ready> = { id: ({ profile }) => profile, columns: ['profile', 'tenant_id', 'client_id', 'role'] };

export function addInit(program: Command, invocation: Invocation): void {
  const command = addExamples(program.command('init'), [
    'topctl init --profile admin --tenant-id acme',
    'topctl init --profile-file data/platform-admin.json --tenant-id acme --device-id ok-1',
  ])
    .summary('Set up a tenant: credential, role, profile, first command.')
    .description(
      'Creates a tenant with a credential and its role, as an administrator of tenant platform, and saves the credential as a profile with the name of the tenant, or of the credential if the other is taken. A tenant that already exists stays unchanged.',
    )
    .action(async (flags) => {
      const { context } = invocation;
      const input = (await readInput(invocation, fields, flags)) as Record<keyof typeof fields, string | undefined>;
      const { tenant_id = '', role = '', device_id } = input;
      const client_id = input.client_id ?? `${tenant_id}-app`;
      const { profiles } = await readProfilesFile(context);
      // Another profile keeps its name: its secret is stored nowhere else.
      const name = [tenant_id, client_id].find((free) => !Object.hasOwn(profiles, free));
      if (name === undefined) {
        throw invocation.usageError(
          `the profiles ${tenant_id} and ${client_id} exist already; choose another --client-id, or remove one with: topctl profile remove`,
        );
      }
      const { client: admin, profile } = await invocation.connect();
      const asAdmin = profileFlags(invocation.flags);
      const bind = `${bindCommand({ clientId: client_id, role, tenant: tenant_id })}${asAdmin}`;
      invocation.howToRepeat = () => 'run the same topctl init again';
      const existed = await createUnlessThere(admin, { tenant_id, name: input.tenant_name ?? tenant_id });
      invocation.note(`Tenant ${tenant_id} ${existed ? 'exists already' : 'is created'}.`);
      // init cannot be repeated once the credential exists. The same body and key return its secret again.
      const create = `topctl credentials create --tenant ${tenant_id} --client-id ${client_id} --name ${client_id}`;
      invocation.howToRepeat = (key) => `${create} --idempotency-key ${key}${asAdmin}\n  next: ${bind}`;
      const made = await interruptible(context, async (signal) => {
        const { secret = '' } = await admin.credentials.create(tenant_id, { client_id, name: client_id });
        const { base_url, ca_file } = profile;
        const created = { base_url, tenant_id, client_id, secret, ...(ca_file !== undefined && { ca_file }) };
        const path = await saveProfile(context, name, created).catch(async (error: Error) => {
          context.stdout.write(await renderWhole({ format: 'json', fields: undefined }, created));
          throw new Error(
            `the profile of ${client_id} cannot be saved (${error.message}); it is on stdout instead; next: ${bind}`,
          );
        });
        invocation.note(`Credential ${client_id} is created, and saved as profile ${name} in ${path}.`);
        if (signal.aborted) throw new CancelledError(`cancelled: the credential has no role yet\n  next: ${bind}`);
        return created;
      });
      invocation.howToRepeat = (key) => `${bind} --idempotency-key ${key}`;
      await admin.roleBindings.create(tenant_id, { client_id, role });
      invocation.note(`It has the role ${role}.`);
      await invocation.printItem({ profile: name, tenant_id, client_id, role }, view);

      const { client } = await connect(context, { ...made, source: `the profile ${name}` }, invocation.flags);
      const first = await firstCommandOf(client, input);
      if (device_id === undefined || !first) {
        const { vendor = 'VENDOR', command_type = 'TYPE' } = first ?? {};
        const flags = `--vendor ${vendor} --device-id DEVICE --command-type ${command_type}`;
        return invocation.note(`Next: topctl --profile ${name} commands create ${flags} --wait`);
      }
      const firstCommand = `--vendor ${first.vendor} --device-id ${device_id} --command-type ${first.command_type}`;
      invocation.howToRepeat = (key) =>
        `topctl --profile ${name} commands create ${firstCommand} --idempotency-key ${key}`;
      let noted = '';
      const onUpdate = ({ status }: { status: string }) => {
        if (status !== noted) invocation.note(`First command: ${status}`);
        noted = status;
      };
      await client.commands.createAndWait({ ...first, device_id, payload: {} }, { onUpdate });
    });
  for (const [name, field] of Object.entries(fields)) command.addOption(new FieldOption(name, field));
}

async function createUnlessThere(admin: TenantOpenPlatform, tenant: { tenant_id: string; name: string }) {
  const { isApiError } = await import('@tenant-open-platform/sdk');
  try {
    await admin.tenants.create(tenant);
    return false;
  } catch (error) {
    if (isApiError(error, 'TENANT_ALREADY_EXISTS')) return true;
    throw error;
  }
}

/** The vendor and the type of the flags; otherwise the first of the catalog. */
async function firstCommandOf(client: TenantOpenPlatform, input: { vendor?: string; command_type?: string }) {
  const { vendors } = await client.catalog.get();
  const known = input.vendor ? vendors.find(({ vendor }) => vendor === input.vendor) : vendors[0];
  const vendor = input.vendor ?? known?.vendor;
  const command_type = input.command_type ?? known?.command_types[0]?.command_type;
  return vendor !== undefined && command_type !== undefined ? { vendor, command_type } : undefined;
}
