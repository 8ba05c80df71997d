import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../', import.meta.url));
const STAND_IN = 'localhost/stand-in-node:24';
const IMAGE = 'localhost/tenant-open-platform:test';
const CA = '/etc/ssl/certs/ca-certificates.crt';

/** Debian's buildah needs no container engine and no privileges but root. */
export const buildah = (...parameters: string[]) =>
  execFileSync('buildah', parameters, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();

/** Builds the Dockerfile. Returns the name of the image, and how many bytes it has beyond its base. */
export function buildImage(): { image: string; addedBytes: number } {
  if (buildah('images', '--quiet', '--filter', `reference=${STAND_IN}`) === '') makeStandIn();
  const options = [
    '--isolation',
    'chroot',
    '--format',
    'docker',
    '--pull-never',
    '--build-arg',
    `NODE_IMAGE=${STAND_IN}`,
  ];
  buildah('build', ...options, '--tag', IMAGE, root);
  return { image: IMAGE, addedBytes: sizeOf(IMAGE) - sizeOf(STAND_IN) };
}

/** A registry of images cannot be reached, so Debian and Node come from their own registries. */
function makeStandIn(): void {
  const folder = mkdtempSync(join(tmpdir(), 'top-stand-in-'));
  const system = join(folder, 'system');
  execFileSync('debootstrap', ['--variant=minbase', 'bookworm', system, debianMirror()], { stdio: 'pipe' });
  execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', 'node@24', 'npm@11'], {
    stdio: 'pipe',
  });
  const local = join(system, 'usr/local');
  cpSync(join(folder, 'node_modules/node/bin/node'), join(local, 'bin/node'));
  cpSync(join(folder, 'node_modules/npm'), join(local, 'lib/node_modules/npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
  symlinkSync('../lib/node_modules/npm/bin/npx-cli.js', join(local, 'bin/npx'));
  // How this machine reaches the registry of npm.
  mkdirSync(join(system, 'etc/ssl/certs'), { recursive: true });
  cpSync(CA, join(system, CA), { dereference: true });
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  const environment = [`NODE_EXTRA_CA_CERTS=${CA}`, `npm_config_cafile=${CA}`, `npm_config_registry=${registry}`];
  rmSync(join(system, 'dev'), { recursive: true });
  rmSync(join(system, 'var/cache/apt'), { recursive: true });
  const container = buildah('from', 'scratch');
  buildah('add', container, system, '/');
  buildah('config', ...environment.flatMap((variable) => ['--env', variable]), container);
  buildah('commit', '--rm', container, STAND_IN);
  rmSync(folder, { recursive: true });
}

function debianMirror(): string {
  const folder = '/etc/apt/sources.list.d';
  const files = [...readdirSync(folder).map((name) => join(folder, name)), '/etc/apt/sources.list'].filter(existsSync);
  for (const file of files) {
    const found = /^(?:URIs:|deb(?: \[.*?\])?) (\S+)/m.exec(readFileSync(file, 'utf8'));
    if (found?.[1]) return found[1];
  }
  throw new Error('No mirror of Debian is configured.');
}

/** buildah prints it in MB. */
function sizeOf(image: string): number {
  const [, megabytes] = /^([\d.]+) MB$/.exec(JSON.parse(buildah('images', '--json', image))[0].size) ?? [];
  if (megabytes === undefined) throw new Error(`The size of ${image} is not in MB.`);
  return Number(megabytes) * 1e6;
}

export const configOf = (image: string): { Entrypoint: string[]; User: string; Healthcheck: { Test: string[] } } =>
  JSON.parse(buildah('inspect', '--type', 'image', image)).Docker.config;

type Options = {
  environment?: Record<string, string>;
  /** Folders of this machine, by their path in the container. */
  volumes?: Record<string, string>;
  user?: string;
};

const flagsOf = ({ environment = {}, volumes = {}, user }: Options) => [
  ...['--isolation', 'chroot'],
  ...Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
  ...Object.entries(volumes).flatMap(([path, folder]) => ['--volume', `${folder}:${path}`]),
  ...(user ? ['--user', user] : []),
];

/** Starts a program in a container, in a process group of its own. */
export const startIn = (container: string, program: string[], options: Options = {}): ChildProcess =>
  spawn('buildah', ['run', ...flagsOf(options), container, '--', ...program], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });

/** Runs a program in a container, and returns what it prints. */
export const runIn = async (container: string, program: string[], options: Options = {}): Promise<string> =>
  (await promisify(execFile)('buildah', ['run', ...flagsOf(options), container, '--', ...program])).stdout;

/** The processes of this machine that run exactly this command: a container of buildah has no process ids of its own. */
export const processesOf = (command: string[]): number[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && commandOf(pid) === `${command.join('\0')}\0`)
    .map(Number);

/** Null if the process has ended. */
function commandOf(pid: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return null;
  }
}
