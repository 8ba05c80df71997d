import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';

/**
 * Gives NATS the accounts of the registered adapters and readers of events: renders them, and writes them into the
 * ConfigMap that nats-server includes. Kubernetes changes nothing if they are the same.
 */
const {
  CONFIG_MAP = '',
  PLATFORM_USER_PUBLIC_KEY = '',
  KUBERNETES_SERVICE_HOST = '',
  KUBERNETES_SERVICE_PORT,
} = process.env;
const [namespace, name] = CONFIG_MAP.split('/');

// Not --profile-file: topctl warns about a file that the group can read, and Kubernetes makes it so.
const { base_url, client_id, secret } = JSON.parse(readFileSync('/profile/nats-accounts.json', 'utf8'));
const { status, stdout, error } = spawnSync(
  'topctl',
  ['bus', 'render-config', '--platform-user-public-key', PLATFORM_USER_PUBLIC_KEY],
  {
    env: { ...process.env, TOP_BASE_URL: base_url, TOP_CLIENT_ID: client_id, TOP_SECRET: secret },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  },
);
if (error) throw error;
// 9: a principal is left out, which stderr names.
if (status !== 0 && status !== 9) process.exit(1);

const token = readFileSync('/var/run/secrets/kubernetes.io/serviceaccount/token', 'utf8');
const host = isIPv6(KUBERNETES_SERVICE_HOST) ? `[${KUBERNETES_SERVICE_HOST}]` : KUBERNETES_SERVICE_HOST;
const url = `https://${host}:${KUBERNETES_SERVICE_PORT}/api/v1/namespaces/${namespace}/configmaps/${name}`;
const answer = await fetch(url, {
  method: 'PATCH',
  headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/merge-patch+json' },
  body: JSON.stringify({ data: { 'accounts.conf': stdout } }),
});
if (!answer.ok) {
  console.error(`Kubernetes refuses to change the ConfigMap ${CONFIG_MAP}: ${answer.status} ${await answer.text()}`);
  process.exit(1);
}
