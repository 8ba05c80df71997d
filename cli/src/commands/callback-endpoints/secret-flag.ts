import type { CallbackEndpoint } from '@tenant-open-platform/sdk';
import type { Invocation } from '../../invocation.js';
import { printIssued } from '../../issued-secret.js';
import { callbackEndpointView } from '../../views.js';

export const secretFileFlag = [
  '--secret-file <path>',
  'write the secret to this new file (0600) instead of printing it',
] as const;

/** Prints a callback endpoint with its secret, or writes the secret alone to the file of --secret-file. */
export async function printSecretOf(
  invocation: Invocation,
  secretFile: string | undefined,
  issue: () => Promise<CallbackEndpoint & { secret?: string }>,
): Promise<void> {
  const fileText = (_: CallbackEndpoint, secret: string) => `${secret}\n`;
  await printIssued(invocation, { secretFile, view: callbackEndpointView, fileText, hint: '' }, issue);
}
