import type { Readiness } from '@tenant-open-platform/contract';
import { MAX_CLOCK_SKEW_SECONDS } from '@tenant-open-platform/contract/facts';
import type { Me } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import type { Context } from '../context.js';
import { FailedCheckError } from '../errors.js';
import { isUntrusted, reasonOf, TRUST } from '../failure/reason-of.js';
import { addExamples } from '../input/examples.js';
import type { Invocation } from '../invocation.js';
import type { View } from '../output/render.js';
import { nameOf, proxyFor } from '../session/proxy-for.js';
import { platformVersion, type Session } from '../session/session.js';

type Check = {
  check: string;
  result: 'ok' | 'warning' | 'failed';
  found: string;
  /** What to do; empty where nothing is wrong. */
  fix: string;
};

const view: View<Check> = { id: ({ check }) => check, columns: ['check', 'result', 'found', 'fix'], wraps: true };

/** A clock that differs by more than this share of what the credential allows drifts. */
const TOLERATED_SHARE = 0.1;
const TIMEOUT_MS = 10_000;

export function addDoctor(program: Command, invocation: Invocation): void {
  addExamples(program.command('doctor'), ['topctl doctor', 'topctl doctor --profile admin'])
    .summary('Find out why calls fail.')
    .description(
      'Checks this program, the connection to the platform, its readiness, the clock, the credential and its scopes, whether every vendor has an adapter, and whether the bus principals of the tenant have problems. For each problem it prints how to repair it. The exit code is 1 if a check failed.',
    )
    .action(async () => {
      const session = await invocation.connect();
      const checks = await runChecks(session, invocation.context);
      await invocation.printItems(checks, view, { limit: checks.length, all: true });
      if (checks.some(({ result }) => result === 'failed')) throw new FailedCheckError('a check failed');
    });
}

async function runChecks({ client, clockOffsetMs, network }: Session, { env }: Context): Promise<Check[]> {
  const checks = [await versions(client), await signature()];
  const { baseUrl } = client;
  const proxy = proxyFor(env, new URL(baseUrl));
  const through = proxy ? ` through the proxy ${nameOf(proxy)}` : '';
  const sentAtMs = Date.now();
  const ready = await network(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error) => error);
  if (!(ready instanceof Response)) return [...checks, unreachable(baseUrl, ready)];
  const tookMs = Date.now() - sentAtMs;
  const aheadMs = aheadOf(ready, sentAtMs + tookMs / 2);
  const me = await client.me.get({ timeoutMs: TIMEOUT_MS }).catch((error: Error) => error);
  checks.push(
    { check: 'reachability', result: 'ok', found: `${baseUrl} answered in ${tookMs} ms${through}`, fix: '' },
    await readiness(ready),
    clock(aheadMs, me instanceof Error ? MAX_CLOCK_SKEW_SECONDS : me.allowed_clock_skew_seconds),
  );
  const platformNowMs = () => Date.now() - (aheadMs ?? -clockOffsetMs());
  return [...checks, ...(await credential(client, me, platformNowMs))];
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
    ? { check: 'signature', result: 'ok', found: "topctl's signatures match the published test vectors", fix: '' }
    : { check: 'signature', result: 'failed', found: 'this program signs wrongly', fix: 'Install topctl again.' };
}

function unreachable(baseUrl: string, error: unknown): Check {
  const fix = isUntrusted(error)
    ? `If this certificate is of your own CA: ${TRUST}`
    : 'Check the base URL, the name, the proxy and the firewall, and that the platform runs.';
  return { check: 'reachability', result: 'failed', found: `${baseUrl}: ${reasonOf(error)}`, fix };
}

async function readiness(response: Response): Promise<Check> {
  const body = (await response.json().catch(() => undefined)) as Readiness | undefined;
  if (body?.status === 'ready') return { check: 'readiness', result: 'ok', found: 'the platform is ready', fix: '' };
  if (response.status === 503) {
    // A load balancer in front of the platform may answer, too.
    const found = `not ready: ${body?.status === 'unready' ? body.reason : '/readyz answered 503 without a reason'}`;
    return {
      check: 'readiness',
      result: 'failed',
      found,
      fix: 'Fix the cause shown on the left; the server log has details.',
    };
  }
  // Probes may have a port of their own.
  const found = `/readyz answered ${response.status}`;
  const fix = 'The probes may be elsewhere. If the checks below fail, the base URL may be of another server.';
  return { check: 'readiness', result: 'warning', found, fix };
}

/** How far this machine's clock is ahead of the platform's; undefined if the answer has no Date. */
function aheadOf(response: Response, atMs: number): number | undefined {
  const server = Date.parse(response.headers.get('date') ?? '');
  return Number.isNaN(server) ? undefined : atMs - server;
}

/** `allowedSeconds`: of the credential; if it cannot be read, the most that one may allow. */
function clock(aheadMs: number | undefined, allowedSeconds: number): Check {
  if (aheadMs === undefined) {
    return { check: 'clock', result: 'warning', found: 'the answer has no Date', fix: 'Compare the clock yourself.' };
  }
  const seconds = Math.round(aheadMs / 1000);
  const found = `${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} the platform, at most ${allowedSeconds} s are allowed`;
  if (Math.abs(seconds) <= TOLERATED_SHARE * allowedSeconds) return { check: 'clock', result: 'ok', found, fix: '' };
  const result = Math.abs(seconds) > allowedSeconds ? 'failed' : 'warning';
  return { check: 'clock', result, found, fix: 'Set the clock of this machine, for example by NTP.' };
}

async function credential(client: Session['client'], me: Me | Error, platformNowMs: () => number): Promise<Check[]> {
  if (me instanceof Error) {
    const fix = isUnauthenticated(me)
      ? 'Check client_id and secret: topctl login. "topctl whoami" shows the line that differs, if a proxy changed the request.'
      : 'Follow the message.';
    return [{ check: 'credential', result: 'failed', found: failureOf(me), fix }];
  }
  const found = `${me.client_id} of tenant ${me.tenant_id}, roles: ${me.roles.join(', ') || 'none'}`;
  return [
    { check: 'credential', result: 'ok', found, fix: '' },
    scopesOf(me.scopes),
    ...(await adapters(client, me, platformNowMs)),
    ...(await principals(client, me)),
  ];
}

const isUnauthenticated = (error: unknown) => (error as { code?: string }).code === 'UNAUTHENTICATED';

function failureOf(error: unknown): string {
  const { code, name, message, requestId } = error as Error & { code?: string; requestId?: string };
  return `${code ?? name}: ${message}${requestId ? ` (request ${requestId})` : ''}`;
}

/** None if the credential may not read the vendors. */
async function adapters(client: Session['client'], me: Me, platformNowMs: () => number): Promise<Check[]> {
  try {
    const vendors = await vendorsOf(client, me);
    return vendors ? [adaptersOf(vendors, platformNowMs())] : [];
  } catch (error) {
    const found = `the vendors cannot be read: ${failureOf(error)}`;
    return [{ check: 'adapters', result: 'failed', found, fix: 'Follow the message.' }];
  }
}

type Vendor = { vendor: string; last_read_at: string | null };

/** The enabled vendors; null if the credential may not read them. */
async function vendorsOf(client: Session['client'], { scopes, tenant_id }: Me) {
  const limits = { timeoutMs: TIMEOUT_MS };
  if (scopes.includes('platform:catalog:read') && tenant_id === 'platform') {
    const vendors: Vendor[] = [];
    for await (const vendor of client.vendors.list({}, limits)) if (vendor.enabled) vendors.push(vendor);
    return vendors;
  }
  return scopes.includes('open:catalog:read') ? (await client.catalog.get(limits)).vendors : null;
}

/** An adapter reads all the time, and the platform stores that about once a minute. */
const UNREAD_MS = 10 * 60_000;

function adaptersOf(vendors: readonly Vendor[], nowMs: number): Check {
  const unread = vendors.filter(({ last_read_at }) => nowMs - Date.parse(last_read_at ?? '0000') > UNREAD_MS);
  if (unread.length === 0) return { check: 'adapters', result: 'ok', found: 'every vendor has an adapter', fix: '' };
  const named = unread.map(
    ({ vendor, last_read_at }) => `${vendor} (${last_read_at ? `since ${last_read_at}` : 'never'})`,
  );
  const fix =
    'Commands of these vendors reach no device. Register an adapter (topctl bus-principals create) and start it, or disable the vendor.';
  return { check: 'adapters', result: 'warning', found: `nobody reads commands of ${named.join(', ')}`, fix };
}

/** None if the credential may not read the principals of its tenant. */
async function principals(client: Session['client'], { scopes, tenant_id }: Me): Promise<Check[]> {
  if (!scopes.includes('platform:bus-principal:read')) return [];
  const check = 'bus principals';
  try {
    const refused: string[] = [];
    for await (const one of client.busPrincipals.list(tenant_id, { status: 'ACTIVE' }, { timeoutMs: TIMEOUT_MS })) {
      if (one.problem) refused.push(`${one.bus_user} (${one.principal_id}): ${one.problem}`);
    }
    if (refused.length === 0) return [{ check, result: 'ok', found: 'each reads what it should', fix: '' }];
    return [{ check, result: 'failed', found: refused.join(' '), fix: 'Follow the message.' }];
  } catch (error) {
    const found = `the bus principals cannot be read: ${failureOf(error)}`;
    return [{ check, result: 'failed', found, fix: 'Follow the message.' }];
  }
}

function scopesOf(scopes: readonly string[]): Check {
  if (scopes.length > 0) return { check: 'scopes', result: 'ok', found: scopes.join(' '), fix: '' };
  const fix = 'Ask an administrator: topctl role-bindings create --client-id … --role integration_operator';
  return { check: 'scopes', result: 'warning', found: 'none', fix };
}

const SIGNATURE_OF_DOCTOR = 'v1=6548cd6ff9e97408b9a6ad28e9054bb144bc1d412c80121ba65a806384fa1840';
