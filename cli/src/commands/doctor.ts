import type { Command } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { FailedCheckError } from '../errors.js';
import { reasonOf } from '../failure/reason-of.js';
import { addExamples } from '../input/examples.js';
import type { Invocation } from '../invocation.js';
import type { View } from '../output/render.js';
import { platformVersion, type Session } from '../session/session.js';

type Check = {
  check: string;
  result: 'ok' | 'warning' | 'failed';
  found: string;
  /** What to do; empty where nothing is wrong. */
  fix: string;
};

const view: View<Check> = { id: ({ check }) => check, columns: ['check', 'result', 'found', 'fix'], wraps: true };

/** The platform refuses what differs by more than 300 seconds. A clock that drifts will. */
const TOLERATED_SECONDS = 5;
const ALLOWED_SECONDS = 300;
const TIMEOUT_MS = 10_000;

export function addDoctor(program: Command, invocation: Invocation): void {
  addExamples(program.command('doctor'), ['topctl doctor', 'topctl doctor --profile admin'])
    .summary('Find out why calls fail.')
    .description(
      'Checks this program, the connection to the platform, its readiness, the clock, the credential and its scopes, and whether every vendor has an adapter. For each problem it prints how to repair it. The exit code is 1 if a check failed.',
    )
    .action(async () => {
      const session = await invocation.connect();
      const checks = await runChecks(session, invocation.context.fetch);
      await invocation.printItems(checks, view, { limit: checks.length, all: true });
      if (checks.some(({ result }) => result === 'failed')) throw new FailedCheckError('a check failed');
    });
}

async function runChecks({ client }: Session, fetch: typeof globalThis.fetch): Promise<Check[]> {
  const checks = [await versions(client), await signature()];
  const { baseUrl } = client;
  const sentAtMs = Date.now();
  const ready = await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error) => error);
  if (!(ready instanceof Response)) return [...checks, unreachable(baseUrl, ready)];
  const tookMs = Date.now() - sentAtMs;
  checks.push(
    { check: 'reachability', result: 'ok', found: `${baseUrl} answered in ${tookMs} ms`, fix: '' },
    await readiness(ready),
    clock(ready, sentAtMs + tookMs / 2),
  );
  return [...checks, ...(await credential(client))];
}

async function versions(client: Session['client']): Promise<Check> {
  const own = `topctl ${packageJson.version}, Node ${process.versions.node}`;
  const platform = await platformVersion(client);
  return { check: 'versions', result: 'ok', found: platform ? `${own}, platform ${platform}` : own, fix: '' };
}

/** A request of the signature's public test values. */
async function signature(): Promise<Check> {
  const { explain } = await import('@tenant-open-platform/sdk/sign');
  const { headers } = await explain({
    clientId: 'demo-client',
    secret: 'osk_3nTQ8ZkWb1xYv5RcJd0LmPf7GhUe2SaKo9BiNqXtE4w3go6Vf',
    method: 'GET',
    target: '/api/v1/open/me',
    timestamp: 1_769_851_800,
    nonce: 'doctor-0',
  });
  const isRight = headers['X-Api-Signature'] === SIGNATURE_OF_DOCTOR;
  return isRight
    ? { check: 'signature', result: 'ok', found: 'this program signs as the test values say', fix: '' }
    : { check: 'signature', result: 'failed', found: 'this program signs wrongly', fix: 'Install topctl again.' };
}

function unreachable(baseUrl: string, error: unknown): Check {
  const fix = 'Check the base URL, the name, the proxy and the firewall, and that the platform runs.';
  return { check: 'reachability', result: 'failed', found: `${baseUrl}: ${reasonOf(error)}`, fix };
}

async function readiness(response: Response): Promise<Check> {
  const body = (await response.json().catch(() => undefined)) as { status?: string } | undefined;
  if (body?.status === 'ready') return { check: 'readiness', result: 'ok', found: 'the platform is ready', fix: '' };
  if (response.status === 503) {
    const fix = 'Look into the log of the platform: it waits for its database or its bus, or it is about to stop.';
    return { check: 'readiness', result: 'failed', found: `not ready: ${body?.status ?? 'no reason'}`, fix };
  }
  // Probes may have a port of their own.
  const found = `/readyz answered ${response.status}`;
  const fix = 'The probes may be elsewhere. If the checks below fail, the base URL may be of another server.';
  return { check: 'readiness', result: 'warning', found, fix };
}

function clock(response: Response, atMs: number): Check {
  const server = Date.parse(response.headers.get('date') ?? '');
  if (Number.isNaN(server)) {
    return { check: 'clock', result: 'warning', found: 'the answer has no Date', fix: 'Compare the clock yourself.' };
  }
  const seconds = Math.round((atMs - server) / 1000);
  const found = `${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} the platform`;
  if (Math.abs(seconds) <= TOLERATED_SECONDS) return { check: 'clock', result: 'ok', found, fix: '' };
  const result = Math.abs(seconds) > ALLOWED_SECONDS ? 'failed' : 'warning';
  return { check: 'clock', result, found, fix: 'Set the clock of this machine, for example by NTP.' };
}

async function credential(client: Session['client']): Promise<Check[]> {
  try {
    const { client_id, tenant_id, roles, scopes } = await client.me.get({ timeoutMs: TIMEOUT_MS });
    const found = `${client_id} of tenant ${tenant_id}, roles: ${roles.join(', ') || 'none'}`;
    const checks: Check[] = [{ check: 'credential', result: 'ok', found, fix: '' }, scopesOf(scopes)];
    const vendors = await vendorsOf(client, scopes, tenant_id);
    return vendors ? [...checks, adapters(vendors)] : checks;
  } catch (error) {
    const { code, name, message, requestId } = error as Error & { code?: string; requestId?: string };
    const found = `${code ?? name}: ${message}${requestId ? ` (request ${requestId})` : ''}`;
    const fix =
      code === 'UNAUTHENTICATED'
        ? 'Check client_id and secret: topctl login. "topctl whoami" shows the line that differs, if a proxy changed the request.'
        : 'Follow the message.';
    return [{ check: 'credential', result: 'failed', found, fix }];
  }
}

type Vendor = { vendor: string; last_read_at: string | null };

/** The enabled vendors; null if the credential may not read them. */
async function vendorsOf(client: Session['client'], scopes: readonly string[], tenantId: string) {
  if (scopes.includes('platform:catalog:read') && tenantId === 'platform') {
    const vendors: Vendor[] = [];
    for await (const vendor of client.vendors.list()) if (vendor.enabled) vendors.push(vendor);
    return vendors;
  }
  return scopes.includes('open:catalog:read') ? (await client.catalog.get()).vendors : null;
}

/** An adapter reads all the time, and the platform stores that about once a minute. */
const UNREAD_MS = 10 * 60_000;

function adapters(vendors: readonly Vendor[]): Check {
  const unread = vendors.filter(({ last_read_at }) => Date.now() - Date.parse(last_read_at ?? '0000') > UNREAD_MS);
  if (unread.length === 0) return { check: 'adapters', result: 'ok', found: 'every vendor has an adapter', fix: '' };
  const named = unread.map(
    ({ vendor, last_read_at }) => `${vendor} (${last_read_at ? `since ${last_read_at}` : 'never'})`,
  );
  const fix =
    'Commands of these vendors reach no device. Register an adapter (topctl bus-principals create) and start it, or disable the vendor.';
  return { check: 'adapters', result: 'warning', found: `nobody reads commands of ${named.join(', ')}`, fix };
}

function scopesOf(scopes: readonly string[]): Check {
  if (scopes.length > 0) return { check: 'scopes', result: 'ok', found: scopes.join(' '), fix: '' };
  const fix = 'Ask an administrator: topctl role-bindings create --client-id … --role integration_operator';
  return { check: 'scopes', result: 'warning', found: 'none', fix };
}

const SIGNATURE_OF_DOCTOR = 'v1=6548cd6ff9e97408b9a6ad28e9054bb144bc1d412c80121ba65a806384fa1840';
