import { resolve } from 'node:path';
import type { Command } from 'commander';
import { canAsk, readStdinBytes } from '../context.js';
import { UsageError } from '../errors.js';
import { askSecret } from '../input/ask.js';
import { textIn } from '../input/decode.js';
import { addExamples } from '../input/examples.js';
import { type Field, FieldOption } from '../input/field.js';
import { readInput } from '../input/read-input.js';
import type { Invocation } from '../invocation.js';
import { readProfileFile, saveProfile } from '../session/profile.js';
import { connect } from '../session/session.js';

const fields = {
  base_url: { kind: 'text', description: 'The URL of the platform.', isRequired: true },
  client_id: { kind: 'text', description: 'The credential.', isRequired: true },
  ca_file: {
    kind: 'path',
    description: 'Certificates in PEM to trust besides those of Node, for a platform with a CA of your own.',
  },
} as const satisfies Record<string, Field>;

export function addLogin(program: Command, invocation: Invocation): void {
  addExamples(program.command('login'), examples)
    .summary('Save a profile.')
    .description(description)
    .addOption(new FieldOption('client_id', fields.client_id))
    .addOption(new FieldOption('ca_file', fields.ca_file))
    .action(async ({ client_id, ca_file: given_ca }: { client_id?: string; ca_file?: string }) => {
      const { context } = invocation;
      const { baseUrl, profileFile, profile: name, dryRun, printCurl } = invocation.flags;
      const file = profileFile ? await readProfileFile(context, profileFile) : undefined;
      const given = { base_url: baseUrl ?? file?.base_url, client_id: client_id ?? file?.client_id };
      const filled = (await readInput(invocation, fields, given)) as { base_url: string; client_id: string };
      const secret = file && filled.client_id === file.client_id ? file.secret : await readSecret(invocation);
      const ca_file = given_ca === undefined ? file?.ca_file : resolve(context.cwd, given_ca);
      const profile = { ...filled, secret, ...(ca_file !== undefined && { ca_file }) };
      invocation.session = await connect(context, { ...profile, source: 'this login' }, invocation.flags);
      const { tenant_id } = await invocation.session.client.me.get();
      const outcome =
        dryRun || printCurl
          ? 'Nothing was saved.'
          : `Saved as profile ${name ?? 'default'} in ${await saveProfile(context, name, { ...profile, tenant_id })}`;
      invocation.note(`Logged in as ${profile.client_id} of tenant ${tenant_id}. ${outcome}`);
    });
}

const description =
  'Saves a profile after a signed call has proved that it works. topctl asks for the secret, reads it from stdin, or takes it from --profile-file. Without --profile NAME, the profile is named "default". topctl uses it without a flag.';

const examples = [
  'topctl login --base-url http://127.0.0.1:8787 --client-id acme-backend < secret.txt',
  'topctl login --profile-file data/platform-admin.json --profile admin',
];

async function readSecret({ context }: Invocation): Promise<string> {
  const secret = canAsk(context)
    ? await askSecret(context, 'secret')
    : textIn(await readStdinBytes(context), 'stdin').trim();
  if (secret === '') throw new UsageError('give the secret on stdin: topctl login … < secret.txt');
  return secret;
}
