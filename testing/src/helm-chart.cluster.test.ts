import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { atEnd, temporaryFolder } from './at-end.js';
import { blocksOf, jsonIn } from './documentation-blocks.js';
import { startPrivateNats } from './private-nats.js';
import { ownPostgres } from './private-postgres.js';
import { apiUrl, startKubernetes } from './stand-in-kubernetes.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const soon = { timeout: 60_000 };

const ADAPTER = `import { serveVendor } from '@tenant-open-platform/sdk/adapter';
const [servers, seedFile] = process.argv.slice(2);
await serveVendor({ servers, seedFile, tenantId: 'acme', vendor: 'acme_pumps', onCommand: ({ payload }) => payload });
`;

const REGISTER_ADAPTER = `
admin() { topctl --profile-file platform-admin.json "$@"; }
admin tenants create --tenant-id acme --name Acme
admin credentials create --tenant acme --client-id acme-backend --name Backend --secret-file acme-backend.json
admin role-bindings create --tenant acme --client-id acme-backend --role integration_operator
admin vendors put acme_pumps --enabled true
admin command-types put acme_pumps set_speed --description 'Sets the speed of the pump.' --payload-schema '{ "type": "object" }'
topctl bus keygen pumps
admin bus-principals create --tenant acme --principal-type SERVICE --bus-user pumps --vendors acme_pumps \
  --bus-user-public-key "$(cat pumps.pub)" --bus-account-public-key "$(cat pumps-account.pub)"
`;

const SEND_COMMAND = `topctl --profile-file acme-backend.json commands create --vendor acme_pumps --device-id pump-7 \
  --command-type set_speed --payload '{"rpm":1200}' --timeout-seconds 60 --wait`;

test('docs/kubernetes.md, pasted: an adapter gets in once the job has run, and completes a command; pods start, answer their probes and end as Kubernetes asks', async () => {
  const folder = temporaryFolder();
  // The pods run as another user.
  chmodSync(folder, 0o755);
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  const link = (path: string, target: string) => symlinkSync(join(root, target), join(folder, path));
  link('programs/topctl', 'cli/bin/topctl.mjs');
  link('programs/tenant-open-platform', 'server/dist/main.js');
  link('node_modules', 'examples/vendor-adapter/node_modules');
  link('deploy', 'deploy');
  writeFileSync(join(folder, 'adapter.mjs'), ADAPTER);
  const postgres = await ownPostgres();
  const nats = await startPrivateNats('', { isLate: true });
  atEnd(nats.stop);
  const kubernetes = await startKubernetes({ folder, programs, nats });

  const replaced = {
    'nats://nats.nats:4222': nats.url,
    'https://api.example.com': apiUrl,
    'http://top-api': apiUrl,
  };
  const paste = async (text: string): Promise<string> => {
    const code = Object.entries(replaced).reduce((done, [from, to]) => done.replaceAll(from, to), text);
    const env = {
      PATH: [kubernetes.standIns, programs, process.env.PATH].join(':'),
      CLUSTER: kubernetes.url,
      DATABASE_URL: postgres.url,
      HOME: folder,
    };
    return (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', code], { cwd: folder, env })).stdout;
  };
  const startAdapter = () =>
    spawn(process.execPath, ['adapter.mjs', nats.url, 'pumps.nk'], { cwd: folder, stdio: 'ignore' });

  await paste(
    blocksOf('docs/kubernetes.md')
      .map(({ code }) => code)
      .join('\n'),
  );
  await paste(REGISTER_ADAPTER);
  expect(await once(startAdapter(), 'exit')).toEqual([1, null]);
  await kubernetes.runJob();
  expect(kubernetes.accounts()).toContain(readFileSync(join(folder, 'pumps.pub'), 'utf8').trim());
  const adapter = startAdapter();
  atEnd(() => adapter.kill());
  expect(jsonIn(await paste(SEND_COMMAND))).toContainEqual(
    expect.objectContaining({ status: 'SUCCEEDED', result: { rpm: 1200 } }),
  );

  const pods = ['top-api-0', 'top-api-1', 'top-worker-0', 'top-worker-1'].map((name) => kubernetes.pods[name]);
  const probes = (kind: 'livenessProbe' | 'readinessProbe') => Promise.all(pods.map(async (pod) => pod?.probe(kind)));
  const allReady = async () => expect(await probes('readinessProbe')).toEqual([true, true, true, true]);
  await vi.waitFor(allReady, soon);
  await nats.suspend();
  await vi.waitFor(async () => expect(await probes('readinessProbe')).toEqual([true, true, false, false]), soon);
  expect(await probes('livenessProbe')).toEqual([true, true, true, true]);
  await nats.resume();
  await vi.waitFor(allReady, soon);

  for (const pod of pods) {
    const { code, seconds, graceSeconds } = (await pod?.stop()) ?? {};
    expect(code, pod?.log()).toBe(0);
    expect(seconds).toBeLessThan(graceSeconds ?? 0);
  }
}, 600_000);
