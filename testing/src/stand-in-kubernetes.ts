import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { atEnd } from './at-end.js';
import { helm, objectsIn } from './helm.js';
import { type Cluster, type PodSpec, startPod } from './kubelet.js';
import type { PrivateNats } from './private-nats.js';

type Manifest = {
  kind: string;
  metadata: { name: string; namespace?: string };
  data?: Record<string, string>;
  rules?: { resourceNames: string[]; verbs: string[] }[];
  subjects?: { name: string }[];
  roleRef?: { name: string };
  spec?: {
    replicas?: number;
    template?: { spec: PodSpec };
    jobTemplate?: { spec: { template: { spec: PodSpec } } };
  };
};

/** Of the deployments. All pods share the network of this machine. */
const addresses = { 'top-api': ['127.77.1.1', '127.77.1.2'], 'top-worker': ['127.77.2.1', '127.77.2.2'] };
export const apiUrl = 'http://127.77.1.1:8787';

const STAND_IN = `#!/usr/bin/env node
const [program, ...args] = [process.argv[1].split('/').at(-1), ...process.argv.slice(2)];
const answer = await fetch(process.env.CLUSTER, { method: 'POST', body: JSON.stringify({ program, args }) });
const text = await answer.text();
(answer.ok ? process.stdout : process.stderr).write(text);
process.exitCode = answer.ok ? 0 : 1;
`;

const soon = { timeout: 20_000 };

const textOf = async (request: IncomingMessage) => (await request.setEncoding('utf8').toArray()).join('');

async function listen(server: ReturnType<typeof createServer | typeof createTlsServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await vi.waitFor(() => expect(server.listening).toBe(true));
  atEnd(() => server.close());
  return (server.address() as AddressInfo).port;
}

/**
 * A cluster with one namespace of NATS and one of the platform, as far as docs/kubernetes.md uses it. `kubectl` and
 * `helm` in `folder` ask it. The real `helm` renders the chart, the real `kubectl` makes secrets and ConfigMaps, and the
 * pods are processes of this machine.
 */
export async function startKubernetes({ folder, programs, nats }: Options) {
  const standIns = join(folder, 'stand-ins');
  mkdirSync(standIns);
  for (const name of ['kubectl', 'helm']) writeFileSync(join(standIns, name), STAND_IN, { mode: 0o755 });
  writeFileSync(join(standIns, 'package.json'), '{ "type": "module" }');
  let objects: Manifest[] = [];
  const find = (kind: string, name: string) =>
    objects.find((object) => object.kind === kind && object.metadata.name === name);

  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name)) as [string, string];
  const subject = ['-subj', '/CN=kubernetes', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...subject];
  execFileSync('openssl', request, { stdio: 'pipe' });
  const tls = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (...call) => void api(...call));
  const token = 'the token of top-nats-accounts';
  const cluster: Cluster = {
    secrets: {},
    configMaps: {},
    serviceAccount: { token, 'ca.crt': readFileSync(cert, 'utf8') },
    environment: { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(await listen(tls)) },
  };
  const accounts = () => cluster.configMaps['nats/nats-accounts']?.['accounts.conf'] ?? '';

  /** The API of Kubernetes, as far as the job uses it. It allows what the Role of the chart allows. */
  async function api(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, namespace, name = ''] = /^\/api\/v1\/namespaces\/(.+)\/configmaps\/(.+)$/.exec(request.url ?? '') ?? [];
    const binding = find('RoleBinding', 'top-nats-accounts');
    const role = find('Role', binding?.roleRef?.name ?? '');
    const configMap = cluster.configMaps[`${namespace}/${name}`];
    const isAllowed =
      request.headers.authorization === `Bearer ${token}` &&
      request.method === 'PATCH' &&
      request.headers['content-type'] === 'application/merge-patch+json' &&
      binding?.subjects?.some((subject) => subject.name === 'top-nats-accounts') &&
      [role, binding].every((object) => object?.metadata.namespace === namespace) &&
      role?.rules?.some(({ verbs, resourceNames }) => verbs.includes('patch') && resourceNames.includes(name));
    if (!isAllowed || !configMap) {
      response.writeHead(403).end('forbidden');
      return;
    }
    Object.assign(configMap, JSON.parse(await textOf(request)).data);
    // As the reloader of the chart of NATS does. nats-server 2.9 needs the second reload.
    for (const _ of ['accounts', 'imports']) await nats.reconfigure(accounts());
    response.end('{}');
  }

  const pods: Record<string, ReturnType<typeof startPod>> = {};
  const start = (name: string, spec: PodSpec | undefined, address: string) => {
    if (!spec) throw new Error(`The chart has no ${name}.`);
    return startPod(spec, { folder: join(folder, 'pods', name), programs, address, cluster });
  };
  async function startDeployments(): Promise<string> {
    for (const [deployment, own] of Object.entries(addresses)) {
      const { replicas, template } = find('Deployment', deployment)?.spec ?? {};
      expect(replicas).toBe(own.length);
      for (const [index, address] of own.entries()) {
        const name = `${deployment}-${index}`;
        pods[name] = start(name, template?.spec, address);
      }
    }
    for (const pod of Object.values(pods)) {
      await pod.started();
      await vi.waitFor(async () => expect(await pod.probe('readinessProbe')).toBe(true), soon);
    }
    return 'successfully rolled out\n';
  }
  let jobs = 0;
  async function runJob(): Promise<string> {
    const spec = find('CronJob', 'top-nats-accounts')?.spec?.jobTemplate?.spec.template.spec;
    const job = start(`top-nats-accounts-${jobs++}`, spec, '127.77.3.1');
    if ((await job.ended) !== 0) throw new Error(`The job failed: ${job.log()}`);
    expect(job.log()).toBe('');
    return 'job created\n';
  }
  function create(args: string[]): string {
    const options = ['--dry-run=client', '--output=json'];
    const text = execFileSync('kubectl', [...args, ...options], { cwd: folder, encoding: 'utf8' });
    const { kind, metadata, data = {} } = JSON.parse(text) as Manifest;
    const decoded = Object.entries(data).map(([name, value]) => [name, Buffer.from(value, 'base64').toString()]);
    if (kind === 'Secret') cluster.secrets[metadata.name] = Object.fromEntries(decoded);
    if (kind === 'ConfigMap') cluster.configMaps[`${metadata.namespace}/${metadata.name}`] = data;
    return `${kind} created\n`;
  }
  async function installNats(): Promise<string> {
    await nats.reconfigure(accounts());
    await nats.resume();
    return 'installed\n';
  }
  function install(args: string[]): string {
    objects = objectsIn(helm(['template', ...args, '--kube-version', '1.29.0'], undefined, folder));
    for (const { kind, metadata, data = {} } of objects) {
      if (kind === 'ConfigMap') cluster.configMaps[metadata.name] = data;
    }
    return 'installed\n';
  }
  async function answer(program: string, args: string[]): Promise<string> {
    if (program === 'helm') return args[1] === 'nats' ? installNats() : install(args.slice(1));
    const [verb, ...rest] = args[0] === '--namespace' ? args.slice(2) : args;
    const names = Object.keys(pods).filter((name) => name.startsWith('top-api'));
    switch (verb) {
      case 'create':
        return rest[0] === 'job' ? runJob() : create(args);
      case 'rollout':
        return startDeployments();
      case 'get':
        return names.map((name) => `pod/${name}\n`).join('');
      case 'exec':
        return pods[rest[0]?.replace('pod/', '') ?? '']?.exec(rest.slice(2)) ?? '';
      case 'label':
        return '';
      default:
        throw new Error(`Unknown: ${program} ${args.join(' ')}`);
    }
  }
  async function control(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const { program, args } = JSON.parse(await textOf(request));
      response.end(await answer(program, args));
    } catch (error) {
      response.writeHead(500).end(`${error}\n`);
    }
  }
  const server = createServer((...call) => void control(...call));
  return { standIns, url: `http://127.0.0.1:${await listen(server)}`, pods, accounts, runJob };
}

type Options = {
  folder: string;
  /** The folder of `topctl` and `tenant-open-platform`. */
  programs: string;
  /** Not yet started. */
  nats: PrivateNats;
};
