import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CommandStatus } from '@tenant-open-platform/contract';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import type { Profile } from './profile.js';
import { signedRequest } from './signed-request.js';
import { startPrometheus } from './start-prometheus.js';
import { type RunningServer, startServer } from './start-server.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'deploy/monitoring');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

type Rule = {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; description: string };
};
type Panel = { id: number; description?: string; targets?: { expr: string; legendFormat: string }[] };

const alerts: Rule[] = parse(read('deploy/monitoring/alerts.yaml')).groups.flatMap(
  ({ rules }: { rules: Rule[] }) => rules,
);
const panels: Panel[] = JSON.parse(read('deploy/monitoring/dashboard.json')).panels;
const targets = panels.flatMap((panel) => panel.targets ?? []);

const promtool = (...args: string[]) => promisify(execFile)('promtool', args, { cwd: folder });

test('promtool accepts the alerts and the configuration, and every alert is quiet up to its threshold and fires above it', async () => {
  await promtool('check', 'rules', 'alerts.yaml');
  await promtool('check', 'config', 'prometheus.yaml');
  await promtool('test', 'rules', 'alerts.test.yaml');
  const { tests } = parse(read('deploy/monitoring/alerts.test.yaml'));
  for (const { name, promql_expr_test: looks } of tests) {
    expect(looks.map(({ expr }: Rule) => expr)).toEqual(
      Array(2).fill(`group by (alertname) (ALERTS{alertname="${name}", alertstate="firing"})`),
    );
    expect(looks.map(({ exp_samples: samples = [] }) => samples.length)).toEqual([0, 1]);
  }
  expect(new Set(tests.map(({ name }: { name: string }) => name))).toEqual(new Set(alerts.map(({ alert }) => alert)));
});

test('a test of on-call breaks the real thing for every alert', () => {
  const files = readdirSync(join(root, 'server/test')).filter((file) => /^on-call.*\.cluster\.test\.ts$/.test(file));
  const broken = files.flatMap((file) =>
    [...read(`server/test/${file}`).matchAll(/\b(Top\w+): \d+/g)].map(([, name]) => name),
  );
  expect(new Set(broken)).toEqual(new Set(alerts.map(({ alert }) => alert)));
});

test('the code of the server has every reason for which these tests stand in', () => {
  const code = ['readiness', 'pipeline/bus/streams', 'pipeline/bus/nats-bus'].map((file) =>
    read(`server/src/${file}.ts`),
  );
  const missing = (rare.reason ?? []).filter(
    (reason) => !code.join('').includes(reason.replace('TOP_COMMANDS', '$' + '{name}')),
  );
  expect(missing).toEqual([]);
});

test('every alert says what happened and what to do, and is in docs/monitoring.md', () => {
  for (const { alert, labels, annotations } of alerts) {
    expect(['critical', 'warning']).toContain(labels.severity);
    const [, page = '', anchor] = / See (docs\/[\w-]+\.md)(?:#([\w-]+))?\.$/.exec(annotations.description) ?? [];
    const headings = [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading.toLowerCase().replaceAll('`', '').replaceAll(' ', '-'),
    );
    if (anchor) expect(headings, alert).toContain(anchor);
  }
  const documented = [...read('docs/monitoring.md').matchAll(/^- `(Top\w+)`: /gm)].map(([, alert]) => alert);
  const isCritical = ({ labels }: Rule) => labels.severity === 'critical';
  const inOrder = [...alerts.filter(isCritical), ...alerts.filter((rule) => !isCritical(rule))];
  expect(documented).toEqual(inOrder.map(({ alert }) => alert));
});

describe('on a running platform', () => {
  let data: string;
  let server: RunningServer;
  let demo: Profile;

  beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), 'top-monitoring-'));
    server = await startServer({ DATA_DIR: data });
    demo = JSON.parse(readFileSync(join(data, 'demo.json'), 'utf8'));
    await untilMetricsOfCommands();
  });

  afterAll(async () => {
    await server?.stop();
    rmSync(data, { recursive: true, force: true });
  });

  const metrics = async () => (await fetch(`${server.baseUrl}/metrics`)).text();

  /** A simulated device behaves as the beginning of its id says. */
  async function send(deviceId: string, timeout_seconds = 300, idempotency_key = deviceId): Promise<void> {
    const command = {
      vendor: 'vendor_a',
      device_id: deviceId,
      command_type: 'reboot',
      payload: {},
      timeout_seconds,
    };
    const body = { ...command, idempotency_key };
    expect(await signedRequest(demo, 'POST', '/api/v1/open/downlink/commands', { body })).toMatchObject({
      status: 202,
    });
  }

  /** Until the outcomes of commands, among them a late one, are in the metrics. */
  async function untilMetricsOfCommands(): Promise<void> {
    await fetch(`${server.baseUrl}/api/v1/open/me`);
    await signedRequest(demo, 'GET', '/api/v1/open/downlink/commands/none');
    await Promise.all([send('ok-1'), send('offline-1', 5)]);
    const late = /^top_command_reports_total\{outcome="LATE"\} [1-9]\d*$/m;
    // A slow device answers after 10 seconds: 3 are the time to dispatch its command, and 7 the time to end it. A busy
    // machine may need more for one of them.
    for (let attempt = 1; !late.test(await metrics()); attempt++) {
      await send('slow-1', 3, `slow-${attempt}`);
      await vi
        .waitFor(async () => expect(await metrics()).toMatch(late), { timeout: 20_000, interval: 250 })
        .catch(() => {});
    }
  }

  test('Prometheus evaluates every alert and every query of the dashboard, and TopMessagesRefused fires after a malformed update', {
    timeout: 180_000,
  }, async () => {
    const prometheus = await startPrometheus([server.baseUrl]);
    const firing = async (): Promise<Rule[]> => (await prometheus.ask('alerts')).alerts.filter(isFiring);
    const refused = (rule: { labels: object }) => 'alertname' in rule.labels && rule.labels.alertname === name;
    const name = 'TopMessagesRefused';
    const seen = () => prometheus.query('top_bus_messages_total{kind="command-updates",outcome="REFUSED"}');
    await vi.waitFor(async () => expect(await seen()).toHaveLength(1), { timeout: 60_000, interval: 100 });
    expect((await firing()).filter(refused)).toEqual([]);

    await send('verbose-1');
    await vi.waitFor(async () => expect((await firing()).filter(refused)).toHaveLength(1), {
      timeout: 60_000,
      interval: 100,
    });
    expect((await firing()).find(refused)).toMatchObject({
      labels: { kind: 'command-updates', severity: 'warning' },
      annotations: { summary: 'The platform refused command-updates of an adapter.' },
    });

    await vi.waitFor(
      async () => {
        const { groups } = await prometheus.ask('rules');
        const health = groups.flatMap(({ rules }: { rules: { health: string }[] }) => rules.map((rule) => rule.health));
        expect(health).toEqual(Array(alerts.length).fill('ok'));
        for (const { expr } of targets) expect(await prometheus.query(asQuery(expr)), expr).not.toEqual([]);
      },
      { timeout: 60_000, interval: 250 },
    );
  });

  test('emits every series that the tests of the alerts feed, with the same labels', async () => {
    const platform = samplesIn(await metrics());
    const { tests } = parse(read('deploy/monitoring/alerts.test.yaml'));
    const fed = samplesIn(
      tests
        .flatMap((one: { input_series: { series: string }[] }) => one.input_series.map(({ series }) => `${series} 0`))
        .join('\n'),
    );
    expect(fed.length).toBeGreaterThan(tests.length);
    for (const { name, labels } of fed) {
      if (OF_PROMETHEUS.has(name)) continue;
      const own = Object.entries(labels).filter(([label]) => !OF_PROMETHEUS.has(label));
      const emitted = platform.filter((sample) => sample.name === name);
      const names = own.map(([label]) => label).sort();
      expect(emitted.map((sample) => Object.keys(sample.labels).sort())[0], name).toEqual(names);
      for (const [label, value] of own) {
        const values = [...emitted.map((sample) => sample.labels[label]), ...(rare[label] ?? [])];
        // Operators choose the names of vendors.
        if (label !== 'vendor') expect(values, `${name}{${label}}`).toContain(value);
      }
    }
  });

  test('has every metric, label and value that alerts and dashboard name', async () => {
    const platform = samplesIn(await metrics());
    const names = new Set([...platform].map(({ name }) => name));
    const labels = new Set([...platform].flatMap((sample) => Object.keys(sample.labels)));
    const known = new Set([...names, ...labels, ...OF_PROMETHEUS, ...WORDS]);
    for (const { expr } of [...alerts, ...targets]) {
      const words = expr.replace(/"[^"]*"|\[[^\]]*\]|\b\d+\w*/g, ' ').match(/[a-z_]\w*/gi) ?? [];
      expect(words.filter((word) => !known.has(word), expr)).toEqual([]);
      for (const [, metric = '', matchers = ''] of expr.matchAll(/(\w+)\{([^}]*)\}/g)) {
        const own = platform.filter(({ name }) => name === metric);
        for (const [, label = '', value = ''] of matchers.matchAll(/(\w+)=~?"([^"]*)"/g)) {
          if (OF_PROMETHEUS.has(label) || OF_PROMETHEUS.has(metric)) continue;
          const values = [...own.map((sample) => sample.labels[label] ?? ''), ...(rare[label] ?? [])];
          for (const one of value.split('|')) {
            expect(
              values.filter((each) => new RegExp(`^(?:${one})$`).test(each)),
              `${metric}{${label}="${one}"}`,
            ).not.toEqual([]);
          }
        }
      }
    }
    const shown = targets.flatMap(({ legendFormat }) =>
      [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, it]) => it),
    );
    expect(shown.filter((label = '') => !known.has(label))).toEqual([]);
  });
});

/** What Prometheus and other exporters add, and what only a closed tenant has: on-call-bus and on-call-requests of the server see it. `process` is a label of a node with several processes. */
const OF_PROMETHEUS = new Set([
  ...['node_filesystem_avail_bytes', 'node_filesystem_size_bytes', 'node_filesystem_readonly'],
  'probe_ssl_earliest_cert_expiry',
  ...['top_tenant_closed_since_seconds', 'tenant_id'],
  'up',
  'ALERTS',
  'job',
  'instance',
  'alertname',
  'alertstate',
  'severity',
  'process',
]);
const WORDS = 'sum max by rate increase absent histogram_quantile min_over_time time and or unless offset vector'.split(
  ' ',
);
/** Values of labels that this test does not bring about. The reasons are seen by the tests of outages. */
const rare: Record<string, string[]> = {
  status: ['401', '500', '503', ...CommandStatus.options],
  reason: [
    'starting',
    'stopping',
    'the bus does not answer',
    'the database does not answer',
    'NATS answers, but JetStream does not for the stream TOP_COMMANDS; after a full disk, restart nats-server',
    'the stream TOP_COMMANDS has no leader on NATS',
    'most copies of the stream TOP_COMMANDS on NATS are lost',
  ],
};

const samplesIn = (text: string) =>
  [...text.matchAll(/^(\w+)(?:\{(.*)\})? /gm)].map(([, name = '', labels = '']) => ({
    name,
    labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, value]) => [label, value])),
  }));

const isFiring = ({ state }: { state: string }) => state === 'firing';

/** As Grafana asks it, for all jobs and instances. */
const asQuery = (expr: string) => expr.replaceAll(/\$(job|instance)/g, '.+').replaceAll('$__rate_interval', '1m');
