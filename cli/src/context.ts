import type { Readable, Writable } from 'node:stream';

/** The whole environment of topctl. A test passes its own. */
export type Context = {
  /** The arguments after the name of the program. */
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths in arguments refer to. */
  cwd: string;
  stdin: Readable & { isTTY?: boolean; setRawMode?: (isRaw: boolean) => unknown };
  stdout: Writable & { isTTY?: boolean; columns?: number; rows?: number };
  stderr: Writable & { isTTY?: boolean; columns?: number };
  fs: Pick<
    typeof import('node:fs/promises'),
    'link' | 'mkdir' | 'open' | 'readdir' | 'readFile' | 'readlink' | 'realpath' | 'rename' | 'stat' | 'unlink'
  >;
  /** Opens a file as a Blob, which is read only when it is sent. */
  openAsBlob: typeof import('node:fs').openAsBlob;
  /** Whether a browser was started for the URL. */
  openInBrowser: (url: string) => Promise<boolean>;
  fetch: typeof fetch;
  /** Emits SIGINT and other signals. A signal without a listener ends the process. */
  signals: Pick<NodeJS.EventEmitter, 'once' | 'off'>;
};

/** Whether prompts are possible: stdin and stderr are a terminal. Prompts go to stderr, so stdout may be redirected. */
export function canAsk({ stdin, stderr }: Context): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

export async function readStdinBytes({ stdin }: Context): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Buffer | string));
  return Buffer.concat(chunks);
}
