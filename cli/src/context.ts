import type { Readable, Writable } from 'node:stream';

/** Everything that topctl reads from or writes to the world, so that a test can hold all of it. */
export type Context = {
  /** The arguments after the name of the program. */
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** Relative paths in arguments start here. */
  cwd: string;
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean };
  stderr: Writable & { isTTY?: boolean };
  fs: Pick<
    typeof import('node:fs/promises'),
    'chmod' | 'mkdir' | 'open' | 'readFile' | 'readlink' | 'realpath' | 'rename' | 'stat' | 'unlink'
  >;
  /** A file as a Blob that is read when it is sent. */
  openAsBlob: typeof import('node:fs').openAsBlob;
  fetch: typeof fetch;
  /** Where SIGINT and its like arrive; without a listener they end the process. */
  signals: Pick<NodeJS.EventEmitter, 'once' | 'off'>;
};

/** Whether somebody can be asked. Prompts go to stderr, so stdout may be redirected. */
export function canAsk({ stdin, stderr }: Context): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

export async function readStdin(context: Context): Promise<string> {
  return (await readStdinBytes(context)).toString('utf8');
}

export async function readStdinBytes({ stdin }: Context): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Buffer | string));
  return Buffer.concat(chunks);
}
