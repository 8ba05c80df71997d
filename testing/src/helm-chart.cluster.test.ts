import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { atEnd, temporaryFolder } from './at-end.js';
import { blocksOf, jsonIn } from './documentation-blocks.js';
import { helm, objectsIn } from './helm.js';
import { type Cluster, type PodSpec, startPod } from './kubelet.js';
import { startPrivateNats } from './private-nats.js';
import { ownPostgres } from './private-postgres.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

type Manifest = {
  kind: string;
  metadata: { name: string; namespace?: string };
  data?: Record<string, string>;
  rules?: { apiGroups: string[]; resources: string[]; resourceNames: string[]; verbs: string[] }[];
  subjects?: { name: string; namespace: string }[];
  roleRef?: { name: string };
  spec?: {
    replicas: number;
    template: { spec: PodSpec };
    jobTemplate: { spec: { template: { spec: PodSpec & { serviceAccountName: string } } } };
  };
};

/** `kubectl` and `helm` of the page: the test answers their calls. */
const STAND_IN = `#!/usr/bin/env node
const [program, ...args] = [process.argv[1].split('/').at(-1), ...process.argv.slice(2)];
const answer = await fetch(process.env.CLUSTER, { method: 'POST', body: JSON.stringify({ program, args }) });
const text = await answer.text();
(answer.ok ? process.stdout : process.stderr).write(text);
process.exitCode = answer.ok ? 0 : 1;
`;

const ADAPTER = `import { serveVendor } from '@tenant-open-platform/sdk/adapter';
const [servers, seedFile] = process.argv.slice(2);
await serveVendor({ servers, seedFile, tenantId: 'acme', vendor: 'acme_pumps', onCommand: ({ payload }) => payload });
`;

const REGISTER = `
admin tenants create --tenant-id acme --name Acme
admin credentials create --tenant acme --client-id acme-backend --name Backend --secret-file acme-backend.json
admin role-bindings create --tenant acme --client-id acme-backend --role integration_operator
admin vendors put acme_pumps --enabled true
admin command-types put acme_pumps set_speed --description 'Sets the speed of the pump.' --payload-schema '{ "type": "object" }'
topctl bus keygen pumps
admin bus-principals create --tenant acme --principal-type SERVICE --bus-user pumps --vendors acme_pumps \
  --bus-user-public-key "$(cat pumps.pub)" --bus-account-public-key "$(cat pumps-account.pub)"
`;

const api = ['127.77.1.1', '127.77.1.2'];
const worker = ['127.77.2.1', '127.77.2.2'];

async function textOf(request: IncomingMessage): Promise<string> {
  return (await request.setEncoding('utf8').toArray()).join('');
}

async function listen(server: ReturnType<typeof createServer | typeof createTlsServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await vi.waitFor(() => expect(server.listening).toBe(true));
  atEnd(() => server.close());
  return (server.address() as AddressInfo).port;
}

test('docs/kubernetes.md, pasted: the pods of the chart start and stop as Kubernetes asks, and an adapter gets in and completes a command', async () => {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  symlinkSync(join(root, 'cli/bin/topctl.mjs'), join(programs, 'topctl'));
  symlinkSync(join(root, 'server/dist/main.js'), join(programs, 'tenant-open-platform'));
  symlinkSync(join(root, 'examples/vendor-adapter/node_modules'), join(folder, 'node_modules'));
  symlinkSync(join(root, 'deploy'), join(folder, 'deploy'));
  const standIns = join(folder, 'stand-ins');
  mkdirSync(standIns);
  for (const name of ['kubectl', 'helm']) writeFileSync(join(standIns, name), STAND_IN, { mode: 0o755 });
  writeFileSync(join(standIns, 'package.json'), '{ "type": "module" }');

  const postgres = await ownPostgres();
  const nats = await startPrivateNats('', { isLate: true });
  atEnd(nats.stop);

  const certificate = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')];
  const names = ['-subj', '/CN=kubernetes', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...certificate, ...names], {
    stdio: 'pipe',
  });
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const token = 'the token of top-nats-accounts';
  const cluster: Cluster = {
    secrets: {},
    configMaps: {},
    serviceAccount: { token, 'ca.crt': read('cert.pem') },
    environment: {},
  };
  let objects: Manifest[] = [];
  const find = (kind: string, name: string) =>
    objects.find((object) => object.kind === kind && object.metadata.name === name);

  /** The API of Kubernetes, as far as the job uses it: it allows what the Role of the chart allows. */
  const patch: RequestListener = async (request, response) => {
    const [, namespace, name = ''] = /^\/api\/v1\/namespaces\/(.+)\/configmaps\/(.+)$/.exec(request.url ?? '') ?? [];
    const binding = find('RoleBinding', 'top-nats-accounts');
    const role = find('Role', binding?.roleRef?.name ?? '');
    const isBound = binding?.subjects?.some((subject) => subject.name === 'top-nats-accounts');
    const isAllowed =
      request.headers.authorization === `Bearer ${token}` &&
      request.method === 'PATCH' &&
      isBound &&
      [role?.metadata.namespace, binding?.metadata.namespace].every((place) => place === namespace) &&
      role?.rules?.some(({ verbs, resourceNames }) => verbs.includes('patch') && resourceNames.includes(name));
    const key = `${namespace}/${name}`;
    if (!isAllowed || !cluster.configMaps[key]) return void response.writeHead(403).end('forbidden');
    expect(request.headers['content-type']).toBe('application/merge-patch+json');
    Object.assign(cluster.configMaps[key], JSON.parse(await textOf(request)).data);
    await reloadNats();
    response.end('{}');
  };
  const tls = createTlsServer({ key: read('key.pem'), cert: read('cert.pem') }, patch);
  cluster.environment = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(await listen(tls)) };

  /** The reloader of the chart of NATS. nats-server 2.9 needs the second reload. */
  async function reloadNats(): Promise<void> {
    for (const _ of ['accounts', 'imports']) await nats.reconfigure(accounts());
  }
  const accounts = () => cluster.configMaps['nats/nats-accounts']?.['accounts.conf'] ?? '';

  const pods: Record<string, ReturnType<typeof startPod>> = {};
  const start = (name: string, spec: PodSpec, address: string) => {
    pods[name] = startPod(spec, { folder: join(folder, 'pods', name), programs, address, cluster });
    return pods[name];
  };
  async function startDeployments(): Promise<string> {
    for (const [name, addresses] of Object.entries({ api, worker })) {
      const { replicas, template } = find('Deployment', `top-${name}`)?.spec as NonNullable<Manifest['spec']>;
      expect(replicas).toBe(addresses.length);
      addresses.forEach((address, index) => void start(`top-${name}-${index}`, template.spec, address));
    }
    await Promise.all(Object.values(pods).map((pod) => pod.started()));
    for (const pod of Object.values(pods))
      await vi.waitFor(async () => expect(await pod.probe('readinessProbe')).toBe(true), { timeout: 20_000 });
    return 'successfully rolled out\n';
  }
  let jobs = 0;
  async function runJob(): Promise<string> {
    const spec = find('CronJob', 'top-nats-accounts')?.spec?.jobTemplate.spec.template.spec as PodSpec;
    // A name of its own: the volumes of an ended pod are gone.
    const job = start(`job-${jobs++}`, spec, '127.77.3.1');
    const code = await job.ended;
    delete pods[`job-${jobs - 1}`];
    if (code !== 0) throw new Error(`The job ended with ${code}: ${job.log()}`);
    expect(job.log()).toBe('');
    return 'job created\n';
  }
  /** The object of `kubectl create`, which checks the arguments and reads the files. */
  function create(args: string[]): string {
    const text = execFileSync('kubectl', [...args, '--dry-run=client', '--output=json'], {
      cwd: folder,
      encoding: 'utf8',
    });
    const { kind, metadata, data = {} } = JSON.parse(text) as Manifest;
    if (kind === 'Secret') {
      cluster.secrets[metadata.name] = Object.fromEntries(
        Object.entries(data).map(([name, value]) => [name, Buffer.from(value, 'base64').toString()]),
      );
    }
    if (kind === 'ConfigMap') cluster.configMaps[`${metadata.namespace}/${metadata.name}`] = data;
    return `${kind} created\n`;
  }
  async function answer(program: string, args: string[]): Promise<string> {
    const line = [program, ...args].join(' ');
    if (line.startsWith('helm install nats ')) {
      await nats.reconfigure(accounts());
      await nats.resume();
      return 'installed\n';
    }
    if (/^helm (install|upgrade) top /.test(line)) {
      objects = objectsIn(helm(['template', ...args.slice(1), '--kube-version', '1.29.0'], undefined, folder));
      for (const { kind, metadata, data } of objects)
        if (kind === 'ConfigMap') cluster.configMaps[metadata.name] = data ?? {};
      return 'installed\n';
    }
    const rest = args[0] === '--namespace' ? args.slice(2) : args;
    if (rest[0] === 'label') return '';
    if (rest[0] === 'rollout') return startDeployments();
    if (rest[0] === 'get')
      return Object.keys(pods)
        .filter((name) => name.startsWith('top-api'))
        .map((name) => `pod/${name}\n`)
        .join('');
    if (rest[0] === 'exec') return pods[rest[1]?.replace('pod/', '') ?? '']?.exec(rest.slice(3)) ?? '';
    if (rest[0] === 'create' && rest[1] === 'job') return runJob();
    if (rest[0] === 'create') return create(args);
    throw new Error(`The page has a new command: ${line}`);
  }
  const control = createServer(async (request, response) => {
    try {
      const { program, args } = JSON.parse(await textOf(request));
      response.end(await answer(program, args));
    } catch (error) {
      response.writeHead(500).end(`${error}\n`);
    }
  });
  control.requestTimeout = 0;
  const CLUSTER = `http://127.0.0.1:${await listen(control)}`;

  const here = (text: string) =>
    text
      .replaceAll('nats://nats.nats:4222', nats.url)
      .replaceAll('https://api.example.com', `http://${api[0]}:8787`)
      .replaceAll('http://top-api', `http://${api[0]}:8787`);
  const PATH = [standIns, programs, process.env.PATH].join(':');
  const paste = async (code: string): Promise<string> => {
    const env = { PATH, CLUSTER, DATABASE_URL: postgres.url, HOME: folder };
    return (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', here(code)], { cwd: folder, env })).stdout;
  };
  const blocks = blocksOf('docs/kubernetes.md').map(({ code }) => code);
  await paste(blocks.join('\n'));

  writeFileSync(join(folder, 'adapter.mjs'), ADAPTER);
  const startAdapter = () =>
    spawn(process.execPath, ['adapter.mjs', nats.url, 'pumps.nk'], { cwd: folder, stdio: 'ignore' });
  const administrator = 'admin() { topctl --profile-file platform-admin.json "$@"; }\n';
  await paste(administrator + REGISTER);
  const [refused] = await once(startAdapter(), 'exit');
  expect(refused).toBe(1);
  await runJob();
  const adapter = startAdapter();
  atEnd(() => void adapter.kill());
  const command = `topctl --profile-file acme-backend.json commands create --vendor acme_pumps --device-id pump-7 \
    --command-type set_speed --payload '{"rpm":1200}' --timeout-seconds 60 --wait`;
  expect(jsonIn(await paste(command))).toContainEqual(
    expect.objectContaining({ status: 'SUCCEEDED', result: { rpm: 1200 } }),
  );

  await nats.suspend();
  const probes = (kind: 'livenessProbe' | 'readinessProbe') =>
    Promise.all(['top-api-0', 'top-api-1', 'top-worker-0', 'top-worker-1'].map((name) => pods[name]?.probe(kind)));
  await vi.waitFor(async () => expect(await probes('readinessProbe')).toEqual([true, true, false, false]), {
    timeout: 20_000,
  });
  expect(await probes('livenessProbe')).toEqual([true, true, true, true]);
  await nats.resume();
  await vi.waitFor(async () => expect(await probes('readinessProbe')).toEqual([true, true, true, true]), {
    timeout: 20_000,
  });

  for (const pod of Object.values(pods)) {
    const { code, seconds, graceSeconds } = await pod.stop();
    expect(code, pod.log()).toBe(0);
    expect(seconds).toBeLessThan(graceSeconds ?? 0);
  }
}, 300_000);
