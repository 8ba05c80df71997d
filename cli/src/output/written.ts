import type { Context } from '../context.js';
import { OutputError } from '../errors.js';

/** Waits until stdout has taken everything that was written to it. */
export async function written({ stdout }: Pick<Context, 'stdout'>): Promise<void> {
  const error = await new Promise<Error | null | undefined>((done) => stdout.write('', done));
  if (error) throw new OutputError(stdout.errored ?? error);
}

/** Does the work until stdout fails. Otherwise the work would go on and print into nothing. */
export async function whileWritable(context: Context, work: () => Promise<unknown>): Promise<void> {
  const { stdout, stderr } = context;
  const failed = new Promise<never>((_, reject) => {
    stdout.on('error', (error) => reject(new OutputError(error)));
  });
  // Without a listener, a message that cannot be printed would end the program with a stack trace.
  stderr.on('error', () => {});
  await Promise.race([wholly(context, work), failed]);
}

async function wholly(context: Context, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } finally {
    await written(context);
  }
}
