import { EventEmitter } from 'node:events';
import { openAsBlob } from 'node:fs';
import fs from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import type { Profile } from '@tenant-open-platform/testing';
import type { Context } from '../src/context.js';

/** The program as npm gets it, wherever the tests have a build; `vitest.config.ts` says so. */
const isBuilt = process.env.TESTED_TOPCTL === 'built';
const { run } = (await import(isBuilt ? '../dist/app.js' : '../src/app.js')) as typeof import('../src/app.js');

/** The result of a run of topctl. */
export type Outcome = { exitCode: number; stdout: string; stderr: string };

export type World = Partial<Pick<Context, 'env' | 'cwd' | 'fetch' | 'fs' | 'signals' | 'openInBrowser'>> & {
  stdin?: string;
  /** Keys that the test types when it wants. Absent: `stdin`. */
  keys?: Context['stdin'];
  /** The input for each prompt of a terminal, in order. Absent: no terminal. */
  typed?: readonly string[];
  /** Whether stdout is a terminal of 80 columns. */
  table?: boolean;
};

/** Runs topctl in this process, with no access to the machine beyond `world`. */
export async function topctl(argv: readonly string[], world: World = {}): Promise<Outcome> {
  const stdout = collector(world.table, 80);
  const stderr = collector(world.typed !== undefined);
  const exitCode = await run({
    argv,
    env: { XDG_CONFIG_HOME: join(world.cwd ?? '/nonexistent', 'config'), NO_COLOR: '1', ...world.env },
    cwd: world.cwd ?? '/nonexistent',
    stdin: world.keys ?? (world.typed ? keyboard(stderr.stream, world.typed) : Readable.from([world.stdin ?? ''])),
    stdout: stdout.stream,
    stderr: stderr.stream,
    fs: world.fs ?? fs,
    openAsBlob,
    openInBrowser: world.openInBrowser ?? (async () => false),
    fetch: world.fetch ?? fetch,
    signals: world.signals ?? new EventEmitter(),
  });
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

/** Well-formed, but of no credential. */
export const unusedSecret = 'osk_3nTQ8ZkWb1xYv5RcJd0LmPf7GhUe2SaKo9BiNqXtE4w3go6Vf';

/** A profile as environment variables. */
export function environmentOf(profile: Profile): Record<string, string> {
  return { TOP_BASE_URL: profile.base_url, TOP_CLIENT_ID: profile.client_id, TOP_SECRET: profile.secret };
}

function collector(isTTY = false, columns = 120) {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return {
    stream: Object.assign(stream, { isTTY, columns, rows: 40 }),
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
}

/** Types the next answer when the next prompt appears. */
function keyboard(screen: Writable, typed: readonly string[]) {
  const keys = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => keys });
  const answers = [...typed];
  const write = screen.write.bind(screen) as (chunk: unknown) => boolean;
  screen.write = ((chunk: unknown) => {
    const shown = write(chunk);
    if (String(chunk).includes('◆') && answers.length > 0) {
      const answer = answers.shift();
      setImmediate(() => keys.write(answer));
    }
    return shown;
  }) as typeof screen.write;
  return keys;
}
