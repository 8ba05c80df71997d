import type { Invocation } from './invocation.js';
import { renderWhole, type View } from './output.js';
import { reserveSecretFile } from './secret-file.js';

type Options<Item> = {
  secretFile: string | undefined;
  view: View<Item>;
  /** What the file of --secret-file holds. */
  fileText: (item: Item, secret: string) => string;
  /** How to go on with that file. */
  hint: string;
};

/** Prints what was issued with its secret, which exists nowhere else, or writes the secret to the file of --secret-file. */
export async function printIssued<Item extends object>(
  invocation: Invocation,
  { secretFile, view, fileText, hint }: Options<Item>,
  issue: () => Promise<Item & { secret?: string }>,
): Promise<void> {
  if (secretFile === undefined) {
    await invocation.printItem(await issue(), view);
    invocation.note('The secret is shown this once. Store it now, or use --secret-file next time.');
    return;
  }
  const file = await reserveSecretFile(invocation.context, secretFile);
  const { secret = '', ...item } = await issue().catch(async (error: unknown) => {
    await file.discard();
    throw error;
  });
  const shown = item as unknown as Item;
  try {
    await file.write(fileText(shown, secret));
  } catch (error) {
    // Whole, whatever the format: `-o id` would lose the only copy.
    invocation.context.stdout.write(await renderWhole('json', { ...item, secret }));
    await file.discard();
    throw new Error(`${secretFile} cannot be written (${(error as Error).message}); the secret is on stdout instead`);
  }
  await invocation.printItem(shown, view);
  invocation.note(`The secret is in ${secretFile}.${hint}`);
}

/** `-o id` alone would throw the only copy of the secret away. */
export function keepSecret(invocation: Invocation, secretFile: string | undefined): void {
  if (invocation.format === 'id' && secretFile === undefined) {
    throw invocation.usageError('-o id does not print the secret, which is shown only once: add --secret-file PATH');
  }
}
