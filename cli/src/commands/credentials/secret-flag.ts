import type { Credential } from '@tenant-open-platform/sdk';
import type { Invocation } from '../../invocation.js';
import { printIssued } from '../../issued-secret.js';
import type { Session } from '../../session.js';
import { credentialView } from '../../views.js';

export { keepSecret } from '../../issued-secret.js';

export const secretFileFlag = [
  '--secret-file <path>',
  'write the new profile to this new file (0600) instead of printing the secret',
] as const;

/** Prints a credential with its secret, or writes it with the rest of its profile to the file of --secret-file. */
export async function printSecretOf(
  invocation: Invocation,
  { profile: { base_url } }: Session,
  secretFile: string | undefined,
  issue: () => Promise<Credential & { secret?: string }>,
): Promise<void> {
  const fileText = ({ tenant_id, client_id }: Credential, secret: string) =>
    `${JSON.stringify({ base_url, tenant_id, client_id, secret }, null, 2)}\n`;
  const hint = ` Use it with: --profile-file ${secretFile}`;
  await printIssued(invocation, { secretFile, view: credentialView, fileText, hint }, issue);
}
