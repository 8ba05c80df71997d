import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { atEnd } from './at-end.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

type Items = { items?: { key: string; path: string }[]; defaultMode?: number };
type Volume = {
  name: string;
  emptyDir?: object;
  configMap?: { name: string };
  secret?: { secretName: string } & Items;
  projected?: { defaultMode?: number; sources: { secret: { name: string } & Items }[] };
};
type Probe = {
  httpGet: { path: string; port: string };
  periodSeconds: number;
  timeoutSeconds?: number;
  failureThreshold?: number;
};
type Container = {
  command?: string[];
  args?: string[];
  env: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[];
  ports?: { name: string; containerPort: number }[];
  volumeMounts: { name: string; mountPath: string }[];
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  lifecycle?: { preStop: { exec: { command: string[] } } };
};
export type PodSpec = {
  automountServiceAccountToken?: boolean;
  terminationGracePeriodSeconds?: number;
  securityContext: { runAsUser: number; runAsGroup: number; fsGroup: number };
  volumes: Volume[];
  containers: Container[];
};

/** What a pod gets from the API of Kubernetes, by name: the files of secrets and ConfigMaps, and its token. */
export type Cluster = {
  secrets: Record<string, Record<string, string>>;
  configMaps: Record<string, Record<string, string>>;
  serviceAccount: Record<string, string>;
  environment: Record<string, string>;
};

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** What the Dockerfile says. Its programs are those of this repository. */
function image(programs: string) {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const variables = /^ENV (NODE_ENV=.*)$/m.exec(dockerfile)?.[1] ?? '';
  const [, entrypoint = ''] = /^ENTRYPOINT (\[.*\])$/m.exec(dockerfile) ?? [];
  const here = entrypoint.replace('/app/node_modules/@tenant-open-platform/server/', join(root, 'server/'));
  const environment = Object.fromEntries(variables.split(' ').map((variable) => variable.split('=')));
  return {
    entrypoint: JSON.parse(here) as string[],
    environment: { ...environment, PATH: `${programs}:${process.env.PATH}` },
  };
}

/**
 * Runs the container of a pod as a process of this machine, as the kubelet would: with its command, its environment, its
 * files and its user. The paths of its volumes are folders of this machine, and each pod has an address of its own.
 */
export function startPod(spec: PodSpec, { folder, programs, address, cluster }: PodOptions) {
  const [container] = spec.containers as [Container];
  const { runAsUser: uid, runAsGroup: gid, fsGroup } = spec.securityContext;
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? { uid, gid } : {};
  const mounts = container.volumeMounts.map(({ name, mountPath }) => ({
    mountPath,
    volume: spec.volumes.find((volume) => volume.name === name),
  }));
  const withToken = spec.automountServiceAccountToken !== false;
  const paths = [...mounts.map(({ mountPath }) => mountPath), ...(withToken ? [SERVICE_ACCOUNT] : [])];
  const here = (text: string) =>
    paths.reduce(
      (done, path) => done.replace(new RegExp(`(?<![\\w./-])${path}(?![\\w-])`, 'g'), join(folder, path)),
      text,
    );
  function write(path: string, content: string, mode: number) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    if (isRoot) chownSync(file, 0, fsGroup);
    chmodSync(file, mode);
  }
  const writeItems = (mountPath: string, name: string, { items }: Items, mode: number) => {
    const files = cluster.secrets[name];
    if (!files) throw new Error(`There is no secret ${name}.`);
    for (const { key, path } of items ?? Object.keys(files).map((key) => ({ key, path: key }))) {
      if (files[key] === undefined) throw new Error(`The secret ${name} has no key ${key}.`);
      write(join(mountPath, path), files[key], mode);
    }
  };
  for (const { mountPath, volume } of mounts) {
    mkdirSync(join(folder, mountPath), { recursive: true });
    if (isRoot && volume?.emptyDir) chownSync(join(folder, mountPath), uid, gid);
    for (const { secret } of volume?.projected?.sources ?? []) {
      writeItems(mountPath, secret.name, secret, volume?.projected?.defaultMode ?? 0o644);
    }
    if (volume?.secret)
      writeItems(mountPath, volume.secret.secretName, volume.secret, volume.secret.defaultMode ?? 0o644);
    for (const [name, text] of Object.entries(cluster.configMaps[volume?.configMap?.name ?? ''] ?? {})) {
      write(join(mountPath, name), here(text), 0o644);
    }
  }
  if (withToken) {
    for (const [name, text] of Object.entries(cluster.serviceAccount)) write(join(SERVICE_ACCOUNT, name), text, 0o440);
  }

  const { entrypoint, environment } = image(programs);
  const env = {
    ...environment,
    ...cluster.environment,
    ...Object.fromEntries(
      container.env.map(({ name, value, valueFrom: { secretKeyRef } = { secretKeyRef: { name: '', key: '' } } }) => [
        name,
        here(value ?? cluster.secrets[secretKeyRef.name]?.[secretKeyRef.key] ?? ''),
      ]),
    ),
    // All pods share the network of this machine.
    HOST: address,
  };
  const [program = '', ...parameters] = [...(container.command ?? entrypoint), ...(container.args ?? [])].map(here);
  const child: ChildProcess = spawn(program, parameters, {
    ...user,
    env,
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  }
  const ended = once(child, 'close').then(([code]) => code as number | null);
  atEnd(async () => {
    child.kill('SIGKILL');
    await ended;
  });

  async function probe(kind: 'startupProbe' | 'livenessProbe' | 'readinessProbe'): Promise<boolean> {
    const { httpGet, timeoutSeconds = 1 } = container[kind] as Probe;
    const port = container.ports?.find(({ name }) => name === httpGet.port)?.containerPort;
    try {
      const signal = AbortSignal.timeout(timeoutSeconds * 1_000);
      return (await fetch(`http://${address}:${port}${httpGet.path}`, { signal })).ok;
    } catch {
      return false;
    }
  }
  const exec = (command: string[]): string =>
    execFileSync(command[0] ?? '', command.slice(1).map(here), { ...user, env, cwd: folder, encoding: 'utf8' });
  return {
    log: () => log,
    ended,
    exec,
    probe,
    /** Resolves when the start-up probe succeeds. */
    started: async () => {
      const { periodSeconds, failureThreshold = 3 } = container.startupProbe as Probe;
      for (let failures = 0; !(await probe('startupProbe')); await delay(periodSeconds * 1_000)) {
        if (++failures === failureThreshold || child.exitCode !== null) throw new Error(`It did not start:\n${log}`);
      }
    },
    /** Resolves to the exit code, and to the seconds that the stop took. */
    stop: async () => {
      const startedAt = Date.now();
      if (container.lifecycle) exec(container.lifecycle.preStop.exec.command);
      child.kill('SIGTERM');
      const code = await ended;
      return { code, seconds: (Date.now() - startedAt) / 1_000, graceSeconds: spec.terminationGracePeriodSeconds };
    },
  };
}

type PodOptions = {
  /** For its volumes. */
  folder: string;
  /** The folder of `topctl` and `tenant-open-platform`. */
  programs: string;
  address: string;
  cluster: Cluster;
};
