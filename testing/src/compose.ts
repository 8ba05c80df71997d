import { type ChildProcess, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { buildah, processesOf, runIn, startIn } from './image.js';
import { natsServer } from './private-nats.js';
import { postgresBinaries, startPrivatePostgres } from './private-postgres.js';
import { stopGroup } from './stop-group.js';
import { untilPrinted } from './until-printed.js';

type Service = {
  entrypoint?: string[];
  command?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  tmpfs?: string[];
  user?: string;
};

type ComposeFile = { services: Record<string, Service>; configs: Record<string, { content: string }> };

/** Reads a file of Docker Compose, with the default of each of its variables. */
function readCompose(file: string): ComposeFile {
  const text = readFileSync(file, 'utf8').replace(/(?<!\$)\$\{\w+:-([^}]*)\}/g, '$1');
  return parse(text.replaceAll('$$', '$'), { merge: true });
}

/** Each service has an address of its own, because the containers of buildah share the network of this machine. */
const addresses = { postgres: '127.77.0.1', nats: '127.77.0.2', api: '127.77.0.3' };
const replicas = [
  ['api', addresses.api],
  ['api', '127.77.0.4'],
  ['worker', '127.77.0.5'],
  ['worker', '127.77.0.6'],
] as const;

/**
 * Runs the services of compose.yaml as Docker Compose would, with the programs of the image, and Debian's Postgres and
 * nats-server instead of their images.
 */
export async function startServices(
  file: string,
  { image, entrypoint, folder }: { image: string; entrypoint: string[]; folder: string },
) {
  const { services, configs } = readCompose(file);
  const hosts = Object.entries(addresses).flatMap(([name, address]) => ['--add-host', `${name}:${address}`]);
  const container = buildah('from', '--pull-never', ...hosts, image);
  const running: ChildProcess[] = [];

  /** What a service says of its container. */
  function contained(name: string) {
    const service = services[name] as Service;
    const volumes = (service.volumes ?? []).map((mount) => {
      const [source = '', path = '', mode = 'rw'] = mount.split(':');
      if (source.startsWith('.')) return [`${path}:${mode}`, resolve(file, '..', source)];
      const volume = join(folder, source);
      mkdirSync(volume, { recursive: true });
      return [`${path}:${mode}`, volume];
    });
    return {
      program: [...(service.entrypoint ?? entrypoint), ...(service.command ?? [])],
      options: { environment: service.environment ?? {}, volumes: Object.fromEntries(volumes), user: service.user },
    };
  }
  const run = (name: string) => {
    const { program, options } = contained(name);
    return runIn(container, program, options);
  };
  async function start(program: string[], options: Parameters<typeof startIn>[2], ready: RegExp): Promise<void> {
    const child = startIn(container, program, options);
    running.push(child);
    await untilPrinted(child, ready);
  }

  const postgres = await startPrivatePostgres({ settings: { listen_addresses: addresses.postgres, port: '5432' } });
  const stop = async () => {
    for (const child of running.reverse()) await stopGroup(child);
    await postgres.stop();
    buildah('rm', container);
  };
  const admin = (...parameters: string[]) => {
    const { options } = contained('first-command');
    return runIn(container, ['topctl', '--profile-file', '/secrets/platform-admin.json', ...parameters], options);
  };
  const accounts = () => readFileSync(join(folder, 'nats-config/accounts.conf'), 'utf8');
  try {
    await startAll();
  } catch (error) {
    await stop();
    throw error;
  }
  return { run, stop, admin, accounts };

  async function startAll() {
    const { username, password } = new URL(postgres.superuserUrl);
    const POSTGRES_PASSWORD = services.postgres?.environment?.POSTGRES_PASSWORD ?? '';
    execFileSync('sh', ['-euc', configs['create-user']?.content ?? 'exit 1'], {
      env: {
        PATH: `${postgresBinaries()}:${process.env.PATH}`,
        PGHOST: addresses.postgres,
        PGUSER: username,
        PGPASSWORD: password,
        POSTGRES_PASSWORD,
      },
    });
    await run('init');
    const nats = contained('nats').options;
    nats.volumes['/nats-server:ro'] = natsServer;
    const server = ['/nats-server', ...(services.nats?.command ?? []), '--addr', addresses.nats];
    await start(server, nats, /Server is ready/);
    await run('administrator');
    for (const [name, HOST] of replicas) {
      const { program, options } = contained(name);
      await start(program, { ...options, environment: { ...options.environment, HOST } }, /"msg":"ready"/);
    }
    // There, nats-server is process 1.
    const [pid] = processesOf(server);
    const { program, options } = contained('nats-accounts');
    const renderer = program.map((part) => part.replace('kill -HUP 1', `kill -HUP ${pid}`));
    running.push(startIn(container, renderer, options));
  }
}
