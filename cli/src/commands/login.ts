import { askSecret } from '../ask.js';
import type { Group } from '../commands.js';
import { canAsk, readStdin } from '../context.js';
import { UsageError } from '../errors.js';
import type { Invocation } from '../invocation.js';
import { readProfileFile, saveProfile } from '../profile.js';
import { connect } from '../session.js';

export function login(group: Group, invocation: Invocation): void {
  group
    .command('login')
    .summary('Save a profile.')
    .description(loginDescription)
    .option('--client-id <client_id>', 'the credential (required)')
    .action(async (flags) => {
      const { context } = invocation;
      const { baseUrl, profileFile, profile: name = 'default' } = invocation.flags;
      const file = profileFile ? await readProfileFile(context, profileFile) : undefined;
      const given = { baseUrl: baseUrl ?? file?.base_url, clientId: flags.clientId ?? file?.client_id };
      const filled = await invocation.fillIn(given, ['baseUrl', 'clientId']);
      const secret = file && filled.clientId === file.client_id ? file.secret : await readSecret(invocation);
      const profile = { base_url: filled.baseUrl, client_id: filled.clientId, secret };
      invocation.session = await connect(context, profile);
      const { tenant_id } = await invocation.session.client.me.get();
      const path = await saveProfile(context, name, { ...profile, tenant_id });
      invocation.note(`${profile.client_id} of tenant ${tenant_id} works; saved as profile ${name} in ${path}`);
    });
}

const loginDescription = `Save a profile, after a signed call proved that it works. The secret is asked for, or read
from stdin, or taken with the rest from --profile-file. Without --profile NAME it becomes the
profile "default", which needs no flag.

  topctl login --base-url http://127.0.0.1:8787 --client-id acme-backend < secret.txt
  topctl login --profile-file data/platform-admin.json --profile admin`;

async function readSecret({ context }: Invocation): Promise<string> {
  const secret = canAsk(context) ? await askSecret(context, 'secret') : (await readStdin(context)).trim();
  if (secret === '') throw new UsageError('give the secret on stdin: topctl login … < secret.txt');
  return secret;
}
