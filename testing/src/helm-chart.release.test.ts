import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { chart, decodeStrictly, helm, objectsIn, renderChart } from './helm.js';

const least = {
  image: { repository: 'registry.example.com/top', tag: '1.0.0' },
  nats: { url: 'nats://nats.nats:4222' },
};
const peer = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } };
const key = `U${'A'.repeat(55)}`;
const everything = {
  image: {
    repository: 'registry.example.com/top',
    digest: `sha256:${'0'.repeat(64)}`,
    pullSecrets: [{ name: 'registry' }],
  },
  nats: { url: 'tls://nats.nats:4222' },
  ca: { existingSecret: 'ca' },
  trustProxy: 1,
  extraEnv: [{ name: 'COMMAND_RETENTION_DAYS', value: '30' }],
  api: { autoscaling: { enabled: true } },
  nodeSelector: { disk: 'fast' },
  tolerations: [{ key: 'platform', operator: 'Exists' }],
  service: { annotations: { owner: 'platform' } },
  ingress: {
    enabled: true,
    className: 'nginx',
    annotations: { owner: 'platform' },
    host: 'api.example.com',
    tlsSecret: 'api-example-com',
  },
  networkPolicy: { apiFrom: [peer], probesFrom: [peer], nats: { enabled: true, from: [peer] } },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  natsAccounts: { enabled: true, platformUserPublicKey: key },
};

type Pod = { securityContext: object; containers: { image: string; securityContext: object }[] };
type Manifest = {
  kind: string;
  spec?: { replicas?: number; template?: { spec: Pod }; jobTemplate?: { spec: { template: { spec: Pod } } } };
};

const podsIn = (manifests: string): Pod[] =>
  objectsIn<Manifest>(manifests).flatMap(
    ({ spec }) => spec?.template?.spec ?? spec?.jobTemplate?.spec.template.spec ?? [],
  );

// Builds Helm where that has not been done.
beforeAll(() => void helm(['version']), 900_000);

test.each([
  ['only what is required', least],
  ['every value', everything],
])('helm finds no fault in the chart with %s', (_, values) => {
  expect(helm(['lint', '--strict', chart], values)).toContain('0 chart(s) failed');
});

test('Kubernetes has a type for each object and each of its fields', () => {
  expect(decodeStrictly(renderChart(least)).toSorted()).toEqual([
    'Deployment top-api',
    'Deployment top-worker',
    'NetworkPolicy top',
    'NetworkPolicy top-api',
    'PodDisruptionBudget top-api',
    'PodDisruptionBudget top-worker',
    'Service top-api',
  ]);
  expect(decodeStrictly(renderChart(everything)).toSorted()).toEqual([
    'ConfigMap top-nats-accounts',
    'CronJob top-nats-accounts',
    'Deployment top-api',
    'Deployment top-worker',
    'HorizontalPodAutoscaler top-api',
    'Ingress top-api',
    'NetworkPolicy top',
    'NetworkPolicy top-api',
    'NetworkPolicy top-nats',
    'PodDisruptionBudget top-api',
    'PodDisruptionBudget top-worker',
    'Role top-nats-accounts',
    'RoleBinding top-nats-accounts',
    'Service top-api',
    'Service top-probes',
    'ServiceAccount top-nats-accounts',
    'ServiceMonitor top',
  ]);
});

test.each([
  ['readOnlyRootFilesystem', 'readOnlyRootFileSystem'],
  ['jobLabel', 'jobLable'],
  ['averageUtilization', 'averageUtilisation'],
  ['podSelector', 'podsSelector'],
  ['resourceNames', 'resourceName'],
  ['unhealthyPodEvictionPolicy', 'unhealthyPodsEvictionPolicy'],
  ['ingressClassName', 'className'],
  ['concurrencyPolicy', 'concurrencePolicy'],
])('a wrong field is seen: not %s but %s', (right, wrong) => {
  const manifests = renderChart(everything).replace(`${right}:`, `${wrong}:`);
  expect(() => decodeStrictly(manifests)).toThrow(`unknown field`);
});

test.each([
  ['an unknown value', { trustProxies: 1 }, 'trustProxies'],
  ['an image without tag and digest', { image: { repository: 'top' } }, '/image'],
  ['no address of NATS', { nats: { url: '' } }, '/nats/url'],
  [
    'an ingress whose address all callers seem to have',
    { ingress: { enabled: true, host: 'a', tlsSecret: 'a' } },
    '/trustProxy',
  ],
  ['an ingress without TLS', { trustProxy: 1, ingress: { enabled: true, host: 'a' } }, '/ingress/tlsSecret'],
  ['accounts of NATS without the platform', { natsAccounts: { enabled: true } }, '/natsAccounts/platformUserPublicKey'],
  ['a variable that the chart sets', { extraEnv: [{ name: 'ROLE', value: 'all' }] }, '/extraEnv/0/name'],
])('Helm refuses %s, and names it', (_, values, named) => {
  expect(() => renderChart({ ...least, ...values })).toThrow(named);
});

test('each container is as confined as those of compose.yaml: not root, nothing to write, no capabilities', () => {
  const pods = podsIn(renderChart(everything));
  expect(pods).toHaveLength(3);
  for (const { securityContext, containers } of pods) {
    expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    for (const container of containers) {
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  }
});

test('the image has its tag, its digest or both', () => {
  const imageOf = (image: object) => podsIn(renderChart({ ...least, image }))[0]?.containers[0]?.image;
  const digest = `sha256:${'1'.repeat(64)}`;
  expect(imageOf({ repository: 'r/top', tag: '1.0.0' })).toBe('r/top:1.0.0');
  expect(imageOf({ repository: 'r/top', digest })).toBe(`r/top@${digest}`);
  expect(imageOf({ repository: 'r/top', tag: '1.0.0', digest })).toBe(`r/top:1.0.0@${digest}`);
});

test('an upgrade does not undo what the autoscaler did', () => {
  const replicas = (manifests: string) =>
    objectsIn<Manifest>(manifests).flatMap(({ kind, spec }) => (kind === 'Deployment' ? [spec?.replicas] : []));
  expect(replicas(renderChart(least))).toEqual([2, 2]);
  expect(replicas(renderChart(everything))).toEqual([undefined, 2]);
});

test('the alerts are the spec of a PrometheusRule', () => {
  const alerts = readFileSync(`${chart}/../../monitoring/alerts.yaml`, 'utf8').replace(/^(?=.)/gm, '  ');
  const rule = `apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: { name: top }\nspec:\n${alerts}`;
  expect(decodeStrictly(rule)).toEqual(['PrometheusRule top']);
});
