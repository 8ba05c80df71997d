import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { renderChart } from './helm.js';

const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url));
const run = (file: string, parameters: string[], env = {}) =>
  execFileSync(file, parameters, { encoding: 'utf8', stdio: 'pipe', env: { ...process.env, ...env } });

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'top-deploy-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('systemd finds no fault in the units, and an exposure of the server of at most 1.5 of 10', () => {
  const units = readdirSync(join(deploy, 'systemd')).map((name) => join(deploy, 'systemd', name));
  expect(run('systemd-analyze', ['verify', '--man=no', ...units])).toBe('');
  const unit = join(deploy, 'systemd/tenant-open-platform.service');
  run('systemd-analyze', ['security', '--offline=true', '--threshold=15', unit]);
});

test('Kubernetes accepts the objects of the chart, in its oldest supported and in its newest version', () => {
  const rendered = join(folder, 'rendered.yaml');
  writeFileSync(
    rendered,
    renderChart({
      image: { repository: 'registry.example.com/top', tag: '1.0.0' },
      nats: { url: 'nats://nats.nats:4222' },
      trustProxy: 1,
      api: { autoscaling: { enabled: true } },
      ingress: { enabled: true, host: 'api.example.com', tlsSecret: 'api-example-com' },
      networkPolicy: { nats: { enabled: true } },
      natsAccounts: { enabled: true, platformUserPublicKey: `U${'A'.repeat(55)}` },
    }),
  );
  // It brings the schemas; kubeconform would load them from the internet.
  const python = join(folder, 'python');
  run('python3', ['-m', 'venv', python]);
  run(join(python, 'bin/pip'), ['install', '--quiet', 'kubernetes-validate==1.37.0']);
  for (const version of ['1.31', '1.37']) {
    const printed = run(join(python, 'bin/kubernetes-validate'), ['--strict', '-k', version, rendered]);
    expect(printed.match(/ passed /g)).toHaveLength(15);
  }
});
