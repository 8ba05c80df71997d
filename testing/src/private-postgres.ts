import { type ExecFileSyncOptions, execFile, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  chownSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { atEnd } from './at-end.js';
import { freePort } from './free-port.js';

const debianVersions = '/usr/lib/postgresql';

/** The folder of initdb, postgres and pg_dump; POSTGRES_BINARIES chooses another version. */
export function postgresBinaries(): string {
  if (process.env.POSTGRES_BINARIES) return process.env.POSTGRES_BINARIES;
  const versions = existsSync(debianVersions) ? readdirSync(debianVersions) : [];
  const version = versions.includes('15') ? '15' : versions.sort((a, b) => Number(b) - Number(a))[0];
  if (version !== undefined) return join(debianVersions, version, 'bin');
  try {
    return execFileSync('pg_config', ['--bindir'], { encoding: 'utf8' }).trim();
  } catch {
    throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  }
}

/** PostgreSQL refuses to run as root. */
function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {}
  }
  throw new Error('PostgreSQL does not run as root, and there is neither a user postgres nor a user nobody.');
}

/** Only one-line statements: they run in PostgreSQL's single-user mode, before any client can connect. */
function runStatements(postgres: string, data: string, statements: string[], options: ExecFileSyncOptions): void {
  const input = statements.map((statement) => `${statement};\n`).join('');
  execFileSync(postgres, ['--single', '-D', data, 'postgres'], {
    ...options,
    input,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
}

export type PrivatePostgres = {
  url: string;
  /** For work that only a superuser may do. The platform never gets it. */
  superuserUrl: string;
  /** The first process of the server; all its other processes are children. */
  pid: () => number;
  /** Stops the server as an operator does: open connections are cut. Its data stays. */
  suspend: () => Promise<void>;
  resume: () => Promise<void>;
  /** Ends all its processes at once, as the loss of its machine does. */
  kill: () => Promise<void>;
  /** Starts a server on a plain copy of the data directory. Suspend this one first. */
  startCopy: () => Promise<PrivatePostgres>;
  /** Starts a hot standby that copies this server. */
  startStandby: () => Promise<PrivatePostgres>;
  /** Makes a physical backup. See `atEnd`. */
  backUp: () => Promise<PhysicalBackup>;
  /** Makes a standby the primary, and resolves when it accepts writes. */
  promote: () => Promise<void>;
  stop: () => Promise<void>;
};

export type PhysicalBackup = {
  /** Starts a server on the backup that recovers with these lines of `postgresql.auto.conf`, as an operator does. */
  startRecovery: (lines: string) => Promise<PrivatePostgres>;
};

type Options = {
  /** Additional settings of the server. */
  settings?: Record<string, string>;
  /** Lines that are added to `postgresql.conf`. Copies have them too. */
  configuration?: string;
  /** The folder of its folder. */
  disk?: string;
  /** Receives the server's log. */
  onLog?: (text: string) => void;
};

/**
 * A private PostgreSQL in a temporary folder, with fsync on as in production. The user of the URL owns its database and
 * may create roles, but is not a superuser, as on managed clusters.
 */
export async function startPrivatePostgres({
  settings: own = {},
  configuration = '',
  disk,
  onLog,
}: Options = {}): Promise<PrivatePostgres> {
  const template: Template | null = JSON.parse(process.env[TEMPLATE] ?? 'null');
  const password = template?.password ?? randomBytes(16).toString('hex');
  return serve({ settings: own, disk, onLog, password }, async (data, as) => {
    if (template) await promisify(execFile)('cp', ['-a', template.data, data], as);
    else await initialize(data, password, as);
    appendFileSync(join(data, 'postgresql.conf'), `\n${configuration}`);
  });
}

/** A private PostgreSQL of the calling test or file. See `atEnd`. */
export async function ownPostgres(options?: Options): Promise<PrivatePostgres> {
  const server = await startPrivatePostgres(options);
  atEnd(server.stop);
  return server;
}

const TEMPLATE = 'POSTGRES_TEMPLATE';

type Template = { data: string; password: string };

/**
 * Makes a data directory that each later server copies, in this process and in those that it starts: initdb takes a
 * second of CPU. Returns how to remove it.
 */
export async function makePostgresTemplate(): Promise<() => void> {
  const { folder, data, as } = newFolder();
  const password = randomBytes(16).toString('hex');
  await initialize(data, password, as);
  process.env[TEMPLATE] = JSON.stringify({ data, password } satisfies Template);
  return () => {
    delete process.env[TEMPLATE];
    rmSync(folder, { recursive: true, force: true });
  };
}

async function initialize(data: string, password: string, as: ExecFileSyncOptions): Promise<void> {
  const binaries = postgresBinaries();
  const initdb = ['-U', 'postgres', '--encoding=UTF8', '--no-locale', '--auth=trust', '--no-sync'];
  await promisify(execFile)(join(binaries, 'initdb'), ['-D', data, ...initdb], as);
  writeFileSync(join(data, 'pg_hba.conf'), ACCESS);
  runStatements(
    join(binaries, 'postgres'),
    data,
    [
      `alter role postgres password '${password}'`,
      `create role platform login createrole password '${password}'`,
      'create database platform owner platform',
    ],
    as,
  );
}

const ACCESS = `host all all 127.0.0.1/32 scram-sha-256
host replication postgres 127.0.0.1/32 scram-sha-256
`;

/** An empty folder, in which Postgres may write. See `atEnd`. */
export function postgresFolder(): string {
  const { folder } = newFolder();
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder of the user who runs Postgres. */
function newFolder(disk = tmpdir()) {
  const user = unprivilegedUser();
  const folder = mkdtempSync(join(disk, 'top-postgres-'));
  if (user) chownSync(folder, user.uid, user.gid);
  const as = { ...user, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C' } };
  return { folder, data: join(folder, 'data'), as };
}

/** Fills a data directory of its own and starts a server on it. */
async function serve(
  { settings: own = {}, disk, onLog, password }: Options & { password: string },
  fill: (data: string, as: ExecFileSyncOptions & { cwd: string }) => Promise<void>,
): Promise<PrivatePostgres> {
  const binaries = postgresBinaries();
  const { folder, data, as } = newFolder(disk);
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  try {
    await fill(data, as);
  } catch (error) {
    removeFolder();
    throw error;
  }

  const port = await freePort();
  const settings = { listen_addresses: '127.0.0.1', port, unix_socket_directories: '', max_connections: 200, ...own };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const launch = () => launchServer(join(binaries, 'postgres'), ['-D', data, ...options], as, removeFolder, onLog);
  let server = await launch().catch((error: unknown) => {
    removeFolder();
    throw error;
  });
  const baseBackup = async (directory: string, options: string[], as: ExecFileSyncOptions) => {
    const from = ['-D', directory, '-d', urlOf('postgres'), '--checkpoint=fast', '--no-sync'];
    await promisify(execFile)(join(binaries, 'pg_basebackup'), [...from, ...options], as);
  };
  const urlOf = (name: string) => `postgres://${name}:${password}@127.0.0.1:${port}/platform`;
  return {
    url: urlOf('platform'),
    superuserUrl: urlOf('postgres'),
    pid: () => server.pid,
    suspend: () => server.stop(),
    resume: async () => {
      server = await launchOnceFree(launch);
    },
    kill: () => {
      const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').trim().split(' ');
      // A child may have ended meanwhile.
      execFileSync('sh', ['-c', `kill -9 ${server.pid} ${children.join(' ')} || true`], { stdio: 'ignore' });
      return server.stop();
    },
    startCopy: () =>
      serve({ settings: own, onLog, password }, async (directory, as) => {
        await promisify(execFile)('cp', ['-a', data, directory], as);
      }),
    startStandby: () => {
      const { synchronous_standby_names: _, ...settings } = own;
      return serve({ settings, onLog, password }, (directory, as) =>
        baseBackup(directory, ['--write-recovery-conf'], as),
      );
    },
    backUp: async () => {
      const backup = join(postgresFolder(), 'backup');
      await baseBackup(backup, [], as);
      return {
        startRecovery: (lines) =>
          serve({ settings: own, onLog, password }, async (directory, as) => {
            await promisify(execFile)('cp', ['-a', backup, directory], as);
            appendFileSync(join(directory, 'postgresql.auto.conf'), lines);
            writeFileSync(join(directory, 'recovery.signal'), '');
          }),
      };
    },
    promote: async () => {
      await promisify(execFile)(join(binaries, 'pg_ctl'), ['promote', '-D', data, '-w'], as);
    },
    stop: async () => {
      await server.stop();
      removeFolder();
    },
  };
}

const STOPS_WITHIN_MS = 15_000;

/** A process of a killed Postgres may still hold the shared memory for a moment. */
async function launchOnceFree<Server>(launch: () => Promise<Server>): Promise<Server> {
  for (const until = Date.now() + STOPS_WITHIN_MS; ; await delay(100)) {
    try {
      return await launch();
    } catch (error) {
      if (!String(error).includes('pre-existing shared memory block') || Date.now() > until) throw error;
    }
  }
}

/** Resolves when the server accepts connections. */
async function launchServer(
  program: string,
  args: string[],
  as: SpawnOptions,
  abandoned: () => void,
  onLog: Options['onLog'],
): Promise<{ pid: number; stop: () => Promise<void> }> {
  // Not a pipe: there, long messages of several processes mix.
  const logFile = join(String(as.cwd), 'log');
  // Without the log of an earlier start, which says that it was ready.
  rmSync(logFile, { force: true });
  const end = openSync(logFile, 'a');
  const start = openSync(logFile, 'r');
  const postgres = spawn(program, args, { ...as, stdio: ['ignore', 'ignore', end] });
  closeSync(end);
  const abandon = () => {
    postgres.kill('SIGQUIT');
    abandoned();
  };
  process.once('exit', abandon);
  const exited = once(postgres, 'exit').then(() => {
    process.off('exit', abandon);
  });
  let log = '';
  await new Promise<void>((resolve, reject) => {
    const read = () => {
      const text = readFileSync(start, 'utf8');
      log = (log + text).slice(-10_000);
      onLog?.(text);
      if (/ready to accept (read.only )?connections/.test(log)) resolve();
    };
    const watcher = watch(logFile, read);
    read();
    void exited.then(() => {
      watcher.close();
      read();
      closeSync(start);
      reject(new Error(`PostgreSQL did not start.\n${log}`));
    });
  });
  return {
    pid: postgres.pid ?? 0,
    stop: async () => {
      postgres.kill('SIGINT');
      // Seen once in some 200 runs: a server that recovers from a crashed session does not stop on SIGINT.
      const impatience = setTimeout(() => postgres.kill('SIGQUIT'), STOPS_WITHIN_MS);
      await exited;
      clearTimeout(impatience);
    },
  };
}
