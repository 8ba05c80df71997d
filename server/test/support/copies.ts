import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { atEnd } from '@tenant-open-platform/testing';
import {
  ownPostgres,
  type PrivatePostgres,
  postgresBinaries,
  postgresFolder,
} from '@tenant-open-platform/testing/private-postgres';
import { expect, vi } from 'vitest';
import { openSession } from './open-pool.js';

/** What is still there after the original was copied and lost, and how a copy is made of it. */
export type Copying = {
  /** The original is gone then, or nobody reaches it any more. */
  start: () => Promise<PrivatePostgres>;
  /** Whether Postgres itself shows that it has another history now. */
  isShown: boolean;
};

/** Runs a program of Postgres while everything else goes on, and returns what it prints. */
const run = (program: string, args: string[], input?: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const path = join(postgresBinaries(), program);
    const child = execFile(path, args, { maxBuffer: 100_000_000 }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    );
    child.stdin?.end(input);
  });

const page = readFileSync(new URL('../../../docs/backups.md', import.meta.url), 'utf8');
const blocksOf = (language: string) =>
  [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, found, lines]) => (found === language ? lines : []));
const [ofOriginal = '', ofRecovery = ''] = blocksOf('ini');
const [afterRecovery = ''] = blocksOf('sql');

/** Archives its WAL with the lines of docs/backups.md, so it can be copied in each of the ways. */
export const archivedPostgres = () => ownPostgres({ configuration: inArchive(ofOriginal, postgresFolder()) });

const inArchive = (lines: string, archive: string) => lines.replaceAll('/archive/', `${archive}/`);

/** Sends the last WAL to the archive, as an operator does before the original is stopped. Returns the archive. */
async function archiveAll({ superuserUrl }: PrivatePostgres): Promise<string> {
  const session = openSession(superuserUrl);
  const [last] = await session<{ file: string }[]>`select pg_walfile_name(pg_switch_wal()) as file`;
  const [setting] = await session<{ archive: string }[]>`
    select substring(current_setting('archive_command') from 'cp %p (.*)/%f') as archive`;
  const archive = setting?.archive ?? '';
  await vi.waitFor(() => expect(existsSync(join(archive, last?.file ?? ''))).toBe(true), soon);
  await session.end();
  return archive;
}

/** As docs/backups.md says of a plain copy: its WAL has the names of the original's. */
async function archiveElsewhere({ superuserUrl }: PrivatePostgres): Promise<void> {
  const [, command = ''] = /^archive_command = '(.*)'$/m.exec(inArchive(ofOriginal, postgresFolder())) ?? [];
  const session = openSession(superuserUrl);
  await session.unsafe(`alter system set archive_command = '${command}'`);
  await session`select pg_reload_conf()`;
  await session.end();
}

const soon = { timeout: 60_000, interval: 20 };

/** Each returns how to get the copy once the original has gone on. */
export const ways: Record<string, (original: PrivatePostgres) => Promise<Copying>> = {
  async 'a dump that is restored into another cluster'(original) {
    // First what must have the open commands of this moment.
    const dump = await run('pg_dump', [original.superuserUrl]);
    const roles = await run('pg_dumpall', ['--roles-only', '--no-role-passwords', `--dbname=${original.superuserUrl}`]);
    return {
      isShown: true,
      async start() {
        const copy = await archivedPostgres();
        await run('psql', ['--quiet', copy.superuserUrl], roles);
        await run('psql', ['--quiet', '--set=ON_ERROR_STOP=1', copy.superuserUrl], dump);
        return copy;
      },
    };
  },
  async 'a dump that is restored into the same cluster'(original) {
    const dump = await run('pg_dump', [original.superuserUrl]);
    return {
      isShown: true,
      async start() {
        const session = openSession(original.superuserUrl.replace(/platform$/, 'postgres'));
        await session`drop database platform with (force)`;
        await session`create database platform owner platform template template0 encoding 'UTF8'`;
        await run('psql', ['--quiet', '--set=ON_ERROR_STOP=1', original.superuserUrl], dump);
        return original;
      },
    };
  },
  async 'a recovery to a point in time'(original) {
    const backup = await original.backUp();
    const session = openSession(original.superuserUrl);
    const [clock] = await session<{ now: string }[]>`select clock_timestamp()::text as now`;
    await session.end();
    return {
      isShown: true,
      async start() {
        const lines = inArchive(ofRecovery, await archiveAll(original));
        await original.kill();
        const copy = await backup.startRecovery(lines.replace('2026-11-27 09:30:00+00', String(clock?.now)));
        atEnd(copy.stop);
        const recovering = openSession(copy.superuserUrl);
        const inRecovery = async () => (await recovering`select pg_is_in_recovery() as is`)[0]?.is;
        await vi.waitFor(async () => expect(await inRecovery()).toBe(false), soon);
        await run('psql', ['--quiet', '--set=ON_ERROR_STOP=1', copy.superuserUrl], afterRecovery);
        return copy;
      },
    };
  },
  async 'an asynchronous standby that lagged and is promoted'(original) {
    const standby = await original.startStandby();
    atEnd(standby.stop);
    await standby.suspend();
    return {
      isShown: true,
      async start() {
        await original.kill();
        await standby.resume();
        await standby.promote();
        return standby;
      },
    };
  },
  async 'a plain copy of the data directory'(original) {
    await original.suspend();
    const copy = await original.startCopy();
    atEnd(copy.stop);
    await copy.suspend();
    await original.resume();
    return {
      isShown: false,
      async start() {
        await copy.resume();
        await archiveElsewhere(copy);
        return copy;
      },
    };
  },
};
