import type { Credential } from '@tenant-open-platform/sdk';
import type { Invocation } from '../../invocation.js';
import { renderWhole } from '../../output.js';
import { reserveSecretFile } from '../../secret-file.js';
import type { Session } from '../../session.js';
import { credentialView } from '../../views.js';

export const secretFileFlag = [
  '--secret-file <path>',
  'write the new profile to this new file (0600) instead of printing the secret',
] as const;

/** Prints a credential with its secret, which exists nowhere else, or writes it to the file of --secret-file. */
export async function printSecretOf(
  invocation: Invocation,
  { profile }: Session,
  secretFile: string | undefined,
  issue: () => Promise<Credential & { secret?: string }>,
): Promise<void> {
  if (secretFile === undefined) {
    await invocation.printItem(await issue(), credentialView);
    invocation.note('The secret is shown this once. Store it now, or use --secret-file next time.');
    return;
  }
  const file = await reserveSecretFile(invocation.context, secretFile);
  const { secret, ...credential } = await issue().catch(async (error: unknown) => {
    await file.discard();
    throw error;
  });
  const { tenant_id, client_id } = credential;
  try {
    await file.write({ base_url: profile.base_url, tenant_id, client_id, secret: secret ?? '' });
  } catch (error) {
    // Whole, whatever the format: `-o id` would lose the only copy.
    invocation.context.stdout.write(await renderWhole('json', { ...credential, secret }));
    await file.discard();
    throw new Error(`${secretFile} cannot be written (${(error as Error).message}); the secret is on stdout instead`);
  }
  await invocation.printItem(credential, credentialView);
  invocation.note(`The secret is in ${secretFile}. Use it with: --profile-file ${secretFile}`);
}

/** `-o id` alone would throw the only copy of the secret away. */
export function keepSecret(invocation: Invocation, secretFile: string | undefined): void {
  if (invocation.format === 'id' && secretFile === undefined) {
    throw invocation.usageError('-o id does not print the secret, which is shown only once: add --secret-file PATH');
  }
}
