import type { Invocation } from '../invocation.js';
import { renderWhole, type View } from '../output/render.js';
import { createSecretFile } from './secret-file.js';

type Options<Item> = {
  view: View<Item>;
  /** The value of --secret-file. */
  path: string | undefined;
  fileText: (item: Item, secret: string) => string;
  /** The hint how to use the file. */
  hint: string;
};

/** Prints a new item with its secret, which is shown only once, or writes the secret to the file of --secret-file. */
export async function printIssued<Item extends object>(
  invocation: Invocation,
  issue: () => Promise<Item & { secret?: string }>,
  { view, path, fileText, hint }: Options<Item>,
): Promise<void> {
  if (path === undefined) {
    const issued = await issue();
    await invocation.printItem(issued, view).catch(async (error: unknown) => {
      await printAll(invocation, issued);
      throw error;
    });
    invocation.note('The secret is shown only once. Store it now, or use --secret-file next time.');
    return;
  }
  const file = await createSecretFile(invocation.context, path);
  const { secret = '', ...rest } = await issue().catch(async (error: unknown) => {
    await file.discard();
    throw error;
  });
  const item = rest as unknown as Item;
  try {
    await file.write(fileText(item, secret));
  } catch (error) {
    await printAll(invocation, { ...rest, secret });
    await file.discard();
    throw new Error(`${path} cannot be written (${(error as Error).message}); the secret is on stdout instead`);
  }
  await invocation.printItem(item, view);
  invocation.note(`The secret is in ${path}.${hint}`);
}

/** Complete JSON, whatever the format and the fields: otherwise the only copy could be lost. */
async function printAll({ context }: Invocation, issued: object): Promise<void> {
  context.stdout.write(await renderWhole({ format: 'json', fields: undefined }, issued));
}

/** `-o id` or `--fields` would lose the only copy of the secret. */
export function refuseToLoseSecret(invocation: Invocation, secretFile: string | undefined): string | undefined {
  const { fields } = invocation.flags;
  const losing = invocation.format === 'id' ? '-o id' : fields && !fields.includes('secret') ? '--fields' : undefined;
  if (losing === undefined || secretFile !== undefined) return undefined;
  return `${losing} does not print the secret, which is shown only once: add --secret-file PATH`;
}
