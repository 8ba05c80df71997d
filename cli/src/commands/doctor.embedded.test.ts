import { createAccount, createUser } from '@nats-io/nkeys';
import { readinessOf } from '@tenant-open-platform/contract';
import { createCredential, createTenant, platform, signedRequest } from '@tenant-open-platform/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { environmentOf, topctl, unusedSecret } from '../../test/topctl.js';

const { admin, operator, tenant_id } = await createTenant();
const env = environmentOf(operator);
const put = (target: string, body: object) =>
  signedRequest(platform().admin, 'PUT', `/api/v1/platform/${target}`, { body });
/** Other test files add vendors that nobody serves. */
const limitTo = (...vendors: string[]) => put(`tenants/${tenant_id}`, { vendors });
await limitTo('vendor_a');
type Check = { check: string; result: string; found: string; fix: string };
const resultsOf = (stdout: string) =>
  Object.fromEntries((JSON.parse(stdout) as Check[]).map(({ check, result }) => [check, result]));

afterEach(() => {
  vi.useRealTimers();
});

test('where all is well, it says so', async () => {
  await vi.waitFor(
    async () => {
      const { exitCode, stdout } = await topctl(['doctor'], { env });
      expect(exitCode).toBe(0);
      expect(resultsOf(stdout)).toEqual({
        versions: 'ok',
        signature: 'ok',
        reachability: 'ok',
        readiness: 'ok',
        clock: 'ok',
        credential: 'ok',
        scopes: 'ok',
        adapters: 'ok',
      });
    },
    { timeout: 50_000 },
  );
});

test('a vendor that nobody serves is named, to its tenant and to the administrator of the platform', async () => {
  await put('catalog/vendors/acme_doctor', { enabled: true });
  await limitTo('vendor_a', 'acme_doctor');
  for (const profile of [operator, platform().admin]) {
    const { exitCode, stdout } = await topctl(['doctor'], { env: environmentOf(profile) });
    const adapters = (JSON.parse(stdout) as Check[]).find(({ check }) => check === 'adapters');
    expect([exitCode, adapters?.result]).toEqual([0, 'warning']);
    expect(adapters?.found).toMatch(/^nobody reads commands of .*acme_doctor \(never\)/);
    expect(adapters?.found).not.toContain('vendor_a');
    expect(adapters?.fix).toContain('topctl bus-principals create');
  }
  await put('catalog/vendors/acme_doctor', { enabled: false });
  const { stdout } = await topctl(['doctor'], { env: environmentOf(platform().admin) });
  expect(stdout).not.toContain('acme_doctor');
});

/** Answers as the platform does, but for /readyz. */
const withProbe = (answer: () => Response) =>
  (async (input: string, init?: RequestInit) =>
    String(input).endsWith('/readyz') ? answer() : fetch(input, init)) as typeof fetch;
const ready = readinessOf(null);
const at = (seconds: number) => ({ headers: { Date: new Date(Date.now() + seconds * 1000).toUTCString() } });

test.each([
  ['clock', 'failed', 1, () => Response.json(ready, at(600))],
  ['clock', 'warning', 0, () => Response.json(ready, at(-60))],
  ['readiness', 'failed', 1, () => new Response('busy', { status: 503, ...at(0) })],
  ['readiness', 'warning', 0, () => new Response('no such page', { status: 404, ...at(0) })],
])('%s: %s', async (check, result, exitCode, answer) => {
  const outcome = await topctl(['doctor'], { env, fetch: withProbe(answer) });
  expect(outcome.exitCode).toBe(exitCode);
  expect(resultsOf(outcome.stdout)[check]).toBe(result);
  const found = (JSON.parse(outcome.stdout) as Check[]).find((each) => each.check === check);
  expect(found?.fix).not.toBe('');
});

test.each([
  [30, 2, 'ok'],
  [30, 20, 'warning'],
  [30, 60, 'failed'],
  [900, 60, 'ok'],
  [900, 400, 'warning'],
  [900, 1_000, 'failed'],
])('for a credential that allows %i s, a clock that is %i s behind is: %s', async (allowed, seconds, result) => {
  const credential = await createCredential(tenant_id, { allowed_clock_skew_seconds: allowed });
  const fetched = withProbe(() => Response.json(ready, at(seconds)));
  const { stdout } = await topctl(['doctor'], { env: environmentOf(credential), fetch: fetched });
  const clock = (JSON.parse(stdout) as Check[]).find(({ check }) => check === 'clock');
  expect(clock?.result).toBe(result);
  expect(clock?.found).toContain(`at most ${allowed} s are allowed`);
});

test('says why the platform is not ready', async () => {
  const reason = 'the database refuses writes: its disk is full';
  const answer = () => Response.json(readinessOf(reason), { status: 503, ...at(0) });
  const { exitCode, stdout } = await topctl(['doctor'], { env, fetch: withProbe(answer) });
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toContainEqual(
    expect.objectContaining({ check: 'readiness', result: 'failed', found: `not ready: ${reason}` }),
  );
});

test('a clock that is ahead does not make adapters look absent', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 20 * 60_000 });
  const { exitCode, stdout } = await topctl(['doctor'], { env });
  expect(exitCode).toBe(1);
  expect(resultsOf(stdout)).toMatchObject({ clock: 'failed', credential: 'ok', adapters: 'ok' });
});

test.each([
  ['its tenant', operator],
  ['the administrator of the platform', platform().admin],
])('a list of vendors that cannot be read is no fault of the credential, to %s', async (_, profile) => {
  const broken: typeof fetch = async (input, init) =>
    String(input).includes('/catalog') ? new Response('busy', { status: 503 }) : fetch(input, init);
  const { exitCode, stdout } = await topctl(['doctor'], { env: environmentOf(profile), fetch: broken });
  expect(exitCode).toBe(1);
  expect(resultsOf(stdout)).toMatchObject({ credential: 'ok', scopes: 'ok', adapters: 'failed' });
  expect(stdout).toContain('the vendors cannot be read: UNEXPECTED_ANSWER');
});

test('what NATS refuses to a principal is a failed check of its tenant', async () => {
  const target = `/api/v1/platform/tenants/${tenant_id}/bus/principals`;
  const principal = {
    bus_user: 'adapter',
    bus_account_public_key: createAccount().getPublicKey(),
    bus_user_public_key: createUser().getPublicKey(),
    principal_type: 'SERVICE',
  };
  expect((await signedRequest(platform().admin, 'POST', target, { body: principal })).status).toBe(201);
  const check = async (fetched: typeof fetch) =>
    (JSON.parse((await topctl(['doctor'], { env: environmentOf(admin), fetch: fetched })).stdout) as Check[]).find(
      ({ check }) => check === 'bus principals',
    );
  expect(await check(fetch)).toMatchObject({ result: 'ok' });
  const problem = 'NATS refuses the durable acme+vendor_a of TOP_COMMANDS: maximum consumers limit reached.';
  const refusing: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    if (!String(input).includes('/bus/principals')) return answer;
    const page = (await answer.json()) as { items: object[] };
    return Response.json({ ...page, items: page.items.map((item) => ({ ...item, problem })) }, answer);
  };
  expect(await check(refusing)).toMatchObject({ result: 'failed', found: expect.stringContaining(problem) });
});

test('a platform that cannot be reached, and a wrong secret', async () => {
  const away = await topctl(['doctor'], { env: { ...env, TOP_BASE_URL: 'http://127.0.0.1:2' } });
  expect(away.exitCode).toBe(1);
  expect(resultsOf(away.stdout)).toEqual({ versions: 'ok', signature: 'ok', reachability: 'failed' });
  const wrong = await topctl(['doctor'], { env: { ...env, TOP_SECRET: unusedSecret } });
  expect(wrong.exitCode).toBe(1);
  expect(resultsOf(wrong.stdout)).toMatchObject({ reachability: 'ok', credential: 'failed' });
  expect(wrong.stdout + wrong.stderr).not.toContain(unusedSecret);
});
