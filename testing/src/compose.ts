import { type ChildProcess, execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ComposeFile, Service } from './compose-file.js';
import { buildah, type configOf, runIn, startIn } from './image.js';
import { natsServer } from './private-nats.js';
import { type PrivatePostgres, postgresBinaries, startPrivatePostgres } from './private-postgres.js';
import { stopGroup } from './stop-group.js';

/** Each service has an address of its own, because the containers of buildah share the network of this machine. */
export const addresses = { postgres: '127.77.0.1', nats: '127.77.0.2', api: '127.77.0.3' };
const replicas: Record<string, string[]> = {
  api: [addresses.api, '127.77.0.4'],
  worker: ['127.77.0.5', '127.77.0.6'],
};
const HEALTHY_WITHIN_MS = 120_000;

type Options = { image: string; config: ReturnType<typeof configOf>; folder: string };

/**
 * Runs the services of compose.yaml as Docker Compose would, with the programs of the image, and Debian's Postgres and
 * nats-server instead of their images. A service starts when those that it depends on are as it demands.
 */
export function makeServices({ services, configs }: ComposeFile, { image, config, folder }: Options) {
  const hosts = Object.entries(addresses).flatMap(([name, address]) => ['--add-host', `${name}:${address}`]);
  const container = buildah('from', '--pull-never', ...hosts, image);
  const running: ChildProcess[] = [];
  const started = new Map<string, Promise<void>>();
  let postgres: PrivatePostgres | undefined;
  let log = '';

  const service = (name: string): Service => services[name] ?? {};
  const pathOf = (volume: string) => join(folder, 'volumes', volume);
  const targets = Object.values(services).flatMap(({ volumes = [] }) => volumes.map(({ target }) => target));

  /** What a service says of its container. */
  function contained(name: string, environment: Record<string, string> = {}) {
    const { entrypoint, command, volumes = [], ...rest } = service(name);
    // The image of Postgres starts as root.
    const user = name === 'postgres' ? '0:0' : rest.user;
    const mounts = volumes.map(({ type, source, target, read_only }) => {
      const path = type === 'bind' ? source : pathOf(source);
      if (type === 'volume') mkdirSync(path, { recursive: true });
      return [`${target}:${read_only ? 'ro' : 'rw'}`, path];
    });
    const options = {
      environment: { ...rest.environment, ...environment },
      volumes: Object.fromEntries(mounts),
      ...(user && { user }),
    };
    return { program: [...(entrypoint ?? config.Entrypoint), ...(command ?? [])], options };
  }
  const run = (name: string, environment?: Record<string, string>) => {
    const { program, options } = contained(name, environment);
    return runIn(container, program, options);
  };
  /** Runs another program in the container of a service. */
  const exec = (name: string, ...program: string[]) => runIn(container, program, contained(name).options);

  function up(name: string): Promise<void> {
    const known = started.get(name) ?? begin(name);
    started.set(name, known);
    return known;
  }
  async function begin(name: string): Promise<void> {
    await Promise.all(
      Object.entries(service(name).depends_on ?? {}).map(async ([other, { condition }]) => {
        await up(other);
        if (condition === 'service_healthy') await untilHealthy(other);
      }),
    );
    const isCompleted = Object.values(services).some(
      ({ depends_on }) => depends_on?.[name]?.condition === 'service_completed_successfully',
    );
    if (name === 'postgres') await startPostgres();
    else if (isCompleted) await run(name);
    else start(name);
  }

  function start(name: string): void {
    const { program, options } = contained(name);
    if (name === 'nats') {
      options.volumes['/nats-server:ro'] = natsServer;
      const script = program.at(-1)?.replace(/exec (nats-server .*)/, `exec /$1 --addr ${addresses.nats}`);
      program.splice(-1, 1, script ?? '');
    }
    for (const address of replicas[name] ?? [null]) {
      const own = address !== null && { HOST: address, PROBES_HOST: address };
      const child = startIn(container, program, { ...options, environment: { ...options.environment, ...own } });
      running.push(child);
      for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding('utf8').on('data', (text: string) => {
          log = `${log}${name}: ${text}`.slice(-10_000);
        });
      }
    }
  }
  /** As the entry point of the image of Postgres: a password for the superuser, then its scripts. */
  async function startPostgres(): Promise<void> {
    const { POSTGRES_PASSWORD_FILE = '', ...environment } = service('postgres').environment ?? {};
    const mounted = service('postgres').volumes?.find(({ target }) => POSTGRES_PASSWORD_FILE.startsWith(`${target}/`));
    if (mounted === undefined) throw new Error('Postgres does not see the file with the password of its superuser.');
    const password = readFileSync(pathOf(mounted.source) + POSTGRES_PASSWORD_FILE.slice(mounted.target.length), 'utf8');
    postgres = await startPrivatePostgres({ settings: { listen_addresses: addresses.postgres, port: '5432' } });
    const as = (PGPASSWORD: string) => ({
      env: { PATH: postgresPath, PGHOST: addresses.postgres, PGUSER: 'postgres', PGPASSWORD, ...environment },
    });
    const first = as(new URL(postgres.superuserUrl).password);
    await promisify(execFile)('psql', ['--command', `alter role postgres password '${password}'`], first);
    await promisify(execFile)('sh', ['-euc', configs['create-user']?.content ?? 'exit 1'], as(password));
  }
  const postgresPath = `${postgresBinaries()}:${process.env.PATH}`;

  /** Docker asks a service that has no health check of its own with the one of its image. */
  async function isHealthy(name: string, address?: string): Promise<void> {
    const { test: [kind, ...check] = [] } = service(name).healthcheck ?? { test: config.Healthcheck.Test };
    if (name === 'postgres') {
      const [program = '', ...parameters] = check.map((part) => part.replace('127.0.0.1', addresses.postgres));
      await promisify(execFile)(program, parameters, { env: { PATH: postgresPath } });
    } else if (name === 'nats') {
      // Node's image has no wget.
      if (!(await fetch(check.at(-1) ?? '')).ok) throw new Error('NATS is not healthy.');
    } else {
      const own: Record<string, string> = address === undefined ? {} : { HOST: address, PROBES_HOST: address };
      const program = kind === 'CMD-SHELL' ? ['sh', '-c', ...check] : check;
      await runIn(container, program, contained(name, own).options);
    }
  }
  async function untilHealthy(name: string): Promise<void> {
    for (const until = Date.now() + HEALTHY_WITHIN_MS; ; await delay(250)) {
      try {
        await Promise.all((replicas[name] ?? [undefined]).map((address) => isHealthy(name, address)));
        return;
      } catch (error) {
        if (Date.now() > until) throw new Error(`${name} does not become healthy.\n${log}`, { cause: error });
      }
    }
  }

  return {
    run,
    exec,
    /** Starts services with all that they depend on, and resolves when they are healthy. */
    up: async (...names: string[]) => {
      await Promise.all(names.map(up));
      await Promise.all(names.map(untilHealthy));
    },
    /**
     * The files below the mounts of all services that one service can read. Those of JetStream are left out, and the empty
     * ones that buildah leaves where another service has a file.
     */
    readable: async (name: string) => {
      const found = `find ${[...new Set(targets)].join(' ')} -type f -readable -size +0 2>&- || true`;
      const files = (await exec(name, 'sh', '-c', found)).trim().split('\n');
      return files.filter((file) => file !== '' && !/^\/nats\//.test(file)).sort();
    },
    /** The content of a file in a volume. */
    content: (volume: string, file: string) => readFileSync(join(pathOf(volume), file), 'utf8'),
    stop: async () => {
      for (const child of running.reverse()) await stopGroup(child);
      await postgres?.stop();
      buildah('rm', container);
    },
  };
}
