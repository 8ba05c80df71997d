import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, type Profile, signedRequest, temporaryFolder, unlimited } from '@tenant-open-platform/testing';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { type RunningServer, type ServerExited, startServer } from '@tenant-open-platform/testing/start-server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isStalled, type Sent, startLoad } from '../../test/support/load.js';
import { newObjectCredential, newObjectResource } from '../../test/support/new-object.js';
import { openSession } from '../../test/support/open-pool.js';
import { runMain } from '../../test/support/private-platform.js';

const k1 = randomBytes(32).toString('base64');
const k2 = randomBytes(32).toString('base64');
const keyring = (primary: string, keys: Record<string, string>) => JSON.stringify({ primary, keys });

const start = (KEYRING: string) => startServer({ ...environment, KEYRING });

const folder = temporaryFolder();
const database = await ownPostgres();
const superuser = openSession(database.superuserUrl);
const environment = {
  DATA_DIR: folder,
  DATABASE_URL: database.url,
  ...unlimited,
};

const profile = (file: string): Profile => JSON.parse(readFileSync(join(folder, file), 'utf8'));

/** The ids of the keys of all sealed secrets. */
async function keysInUse(): Promise<string[]> {
  const rows = await superuser<{ id: string }[]>`
    select distinct convert_from(substring(sealed from 2 for get_byte(sealed, 0)), 'UTF8') as id
    from (
      select unnest(array[secret_sealed, previous_secret_sealed]) as sealed from credentials
      union all select unnest(array[secret_sealed, previous_secret_sealed]) from callback_endpoints
      union all select unnest(array[secret_access_key_sealed, session_token_sealed]) from object_credentials
      union all select answer_sealed from idempotent_answers
    ) as secrets where sealed is not null order by 1`;
  return rows.map(({ id }) => id);
}

/** A tenant with a secret of every kind, previous ones included. */
async function createSecrets(admin: Profile, node: string) {
  const call = async (caller: Profile, method: string, target: string, body: object): Promise<Answer['body']> => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const answer = await signedRequest(caller, method, target, { node, body, headers });
    expect(answer.status, answer.raw).toBeLessThan(300);
    return answer.body;
  };
  const tenant = '/api/v1/platform/tenants/globex';
  await call(admin, 'POST', '/api/v1/platform/tenants', { tenant_id: 'globex', name: 'Globex' });
  const body = { client_id: 'globex-admin', name: 'Administrator' };
  const { secret: first } = await call(admin, 'POST', `${tenant}/credentials`, body);
  for (const role of ['tenant_admin', 'integration_operator']) {
    await call(admin, 'POST', `${tenant}/role-bindings`, { client_id: 'globex-admin', role });
  }
  const rotation = { rotate_secret: true, previous_secret_ttl_seconds: 86_400 };
  const { secret } = await call(admin, 'PUT', `${tenant}/credentials/globex-admin`, rotation);
  const owner = { base_url: node, tenant_id: 'globex', client_id: 'globex-admin', secret };
  const credential = newObjectCredential({ session_token: 'session' });
  const { credential_id } = await call(owner, 'POST', '/api/v1/open/objects/credentials', credential);
  const resource = newObjectResource(credential_id);
  const { resource_id } = await call(owner, 'POST', '/api/v1/open/objects/resources', resource);
  const endpoint = { name: 'Orders', url: 'https://hooks.acme.example/top' };
  const { endpoint_id } = await call(owner, 'POST', '/api/v1/open/callbacks/endpoints', endpoint);
  await call(owner, 'PUT', `/api/v1/open/callbacks/endpoints/${endpoint_id}`, rotation);
  return { owner, withPreviousSecret: { ...owner, secret: first }, resource_id, endpoint_id };
}

const status = async (KEYRING: string) => {
  const { exitCode, stdout, stderr } = await runMain(['keys', 'status'], { ...environment, KEYRING });
  expect([exitCode, stderr]).toEqual([0, '']);
  return JSON.parse(stdout).keys;
};

test('the master key is rotated under 100 requests a second on two nodes: no request fails, and the old key can go, and cursors continue', async () => {
  const rings = {
    old: keyring('k1', { k1 }),
    added: keyring('k1', { k1, k2 }),
    switched: keyring('k2', { k1, k2 }),
    removed: keyring('k2', { k2 }),
  };
  const nodes: RunningServer[] = [await start(rings.old), await start(rings.old)];
  onTestFinished(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
  });
  const [admin, demo] = [profile('platform-admin.json'), profile('demo.json')];
  const secrets = await createSecrets(admin, nodes[0]?.baseUrl as string);

  /** As a load balancer has it: a node that is being restarted gets no requests. */
  let inService = nodes.map(({ baseUrl }) => baseUrl);
  let turn = 0;
  const node = () => inService[turn++ % inService.length] as string;
  // 20 clients that pause for 100 ms: 100 requests a second and more, if each takes less than 100 ms.
  const load = startLoad(demo, node, {
    writers: 15,
    readers: 4,
    restMs: 100,
    command: () => ({ timeout_seconds: 300 }),
  });
  /** Requests that open and seal secrets. */
  const administered: Pick<Sent, 'answer' | 'milliseconds'>[] = [];
  const administer = async (...[caller, method, target, body]: [Profile, string, string, object?]) => {
    const from = performance.now();
    const answer = await signedRequest(caller, method, target, { node: node(), ...(body && { body }) });
    administered.push({ answer, milliseconds: performance.now() - from });
  };
  let isOver = false;
  const administering = (async () => {
    const presign = { operation: 'DOWNLOAD', resource_id: secrets.resource_id, object_key: 'pump-7.bin' };
    const rotation = { rotate_secret: true, previous_secret_ttl_seconds: 60 };
    while (!isOver) {
      await administer(secrets.owner, 'POST', '/api/v1/open/objects/presign', presign);
      await administer(secrets.withPreviousSecret, 'GET', '/api/v1/open/me');
      await administer(secrets.owner, 'PUT', `/api/v1/open/callbacks/endpoints/${secrets.endpoint_id}`, rotation);
      await delay(50);
    }
  })();
  const everyOne = load.sent;
  const answered = (count: number) => load.seen(count, ({ answer }) => answer !== null);

  async function restartAll(ring: string) {
    for (const [index, running] of nodes.entries()) {
      inService = inService.filter((url) => url !== running.baseUrl);
      await answered(60);
      expect(await running.stop()).toBe(0);
      const restarted = await start(ring);
      nodes[index] = restarted;
      inService = [...inService, restarted.baseUrl];
      await answered(60);
    }
  }

  await answered(100);
  const eventsAfter = async (query: string) =>
    (await signedRequest(demo, 'GET', `/api/v1/open/events?limit=1${query}`, { node: node() })).body;
  // Events are logged a moment after their commands.
  const one = (query: string) =>
    vi.waitFor(async () => {
      const page = await eventsAfter(query);
      expect(page.items).toHaveLength(1);
      return page;
    }, 60_000);
  const { next_cursor } = await one('');
  const second = (await one(`&cursor=${next_cursor}`)).items;
  expect(await keysInUse()).toEqual(['k1']);
  await restartAll(rings.added);
  await restartAll(rings.switched);
  expect(await keysInUse()).toEqual(['k1', 'k2']);
  const rewrap = await runMain(['keys', 'rewrap'], { ...environment, KEYRING: rings.switched });
  expect([rewrap.exitCode, rewrap.stderr]).toEqual([0, '']);
  expect(await keysInUse()).toEqual(['k2']);
  await restartAll(rings.removed);
  await answered(100);
  expect((await eventsAfter(`&cursor=${next_cursor}`)).items).toEqual(second);
  isOver = true;
  await administering;
  await load.stop();

  const failed = [...everyOne.filter(({ kind }) => kind !== 'forged'), ...administered]
    .filter((done) => (done.answer === null || done.answer.status >= 300) && !isStalled(done))
    .map(({ answer }) => answer?.raw ?? 'no answer');
  expect(failed).toEqual([]);
  expect(administered.length).toBeGreaterThan(30);
  expect(await status(rings.removed)).toEqual([
    { key_id: 'k2', is_primary: true, is_in_keyring: true, secrets: expect.any(Number) },
  ]);
}, 300_000);

test('a node that lacks a key answers 503 to every signature that it cannot verify, and logs once which key it is', async () => {
  // One after the other: a node does not start without a key that is in use.
  const [small, large] = [await start(keyring('k2', { k2 })), await start(keyring('k3', { k2, k3: k1 }))];
  onTestFinished(async () => {
    await Promise.all([small.stop(), large.stop()]);
  });
  const body = { client_id: 'sealed-by-k3', name: 'Backend' };
  const credentials = '/api/v1/platform/tenants/demo/credentials';
  const created = await signedRequest(profile('platform-admin.json'), 'POST', credentials, {
    node: large.baseUrl,
    body,
  });
  const caller = { ...profile('demo.json'), client_id: 'sealed-by-k3', secret: created.body.secret };
  for (let attempt = 0; attempt < 3; attempt++) {
    const answer = await signedRequest(caller, 'GET', '/api/v1/open/me', { node: small.baseUrl });
    expect([answer.status, answer.body.code, answer.headers['retry-after']]).toEqual([503, 'SERVICE_UNAVAILABLE', '5']);
  }
  expect((await signedRequest(caller, 'GET', '/api/v1/open/me', { node: large.baseUrl })).status).toBe(200);
  expect((await signedRequest(profile('demo.json'), 'GET', '/api/v1/open/me', { node: small.baseUrl })).status).toBe(
    200,
  );

  // No signature can be called wrong there, so nobody learns which client_ids exist.
  const answerOf = async (client_id: string, node: string) => {
    const forged = { ...caller, client_id, secret: 'guessed' };
    const headers = { 'X-Request-Id': 'request-1' };
    const { status, raw } = await signedRequest(forged, 'GET', '/api/v1/open/me', { node, headers });
    return [status, raw];
  };
  const ids = ['sealed-by-k3', profile('demo.json').client_id, 'nobody'];
  const onSmall = await Promise.all(ids.map((id) => answerOf(id, small.baseUrl)));
  expect(onSmall.map(([status]) => status)).toEqual([503, 503, 503]);
  expect(new Set(onSmall.map(([, raw]) => raw)).size).toBe(1);
  const onLarge = await Promise.all(ids.map((id) => answerOf(id, large.baseUrl)));
  expect(onLarge.map(([status]) => status)).toEqual([401, 401, 401]);

  const lines = `${small.stdout()}${small.stderr()}`.split('\n').filter((line) => line.includes('"key_id"'));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { key_id: 'k3', msg: expect.stringContaining('Add it') },
  ]);
});

test('a credential whose sealed secret is damaged is answered exactly as an unknown one, and logged once; a rewrap goes on behind it', async () => {
  const server = await start(keyring('k2', { k2, k3: k1 }));
  onTestFinished(async () => {
    await server.stop();
  });
  const node = server.baseUrl;
  const admin = profile('platform-admin.json');
  const damages = {
    // A bit is turned: a fixed byte would equal the sealed one in one of 256 runs.
    'damaged-text': superuser`set_byte(secret_sealed, 29, get_byte(secret_sealed, 29) # 1)`,
    'damaged-key-id': superuser`overlay(secret_sealed placing 'x'::bytea from 2)`,
    'damaged-length': superuser`substring(secret_sealed for 9)`,
    'damaged-empty': superuser`''::bytea`,
  };
  const callers: Profile[] = [];
  for (const [client_id, damage] of Object.entries(damages)) {
    const body = { client_id, name: 'Backend' };
    const created = await signedRequest(admin, 'POST', '/api/v1/platform/tenants/demo/credentials', { node, body });
    callers.push({ ...profile('demo.json'), client_id, secret: created.body.secret });
    await superuser`update credentials set secret_sealed = ${damage} where client_id = ${client_id}`;
  }
  const answerOf = async (caller: Profile) => {
    const headers = { 'X-Request-Id': 'request-1' };
    const sent = { node, headers, nonce: 'nonce-of-the-test', timestamp: Math.floor(Date.now() / 1000) };
    const { status, raw } = await signedRequest(caller, 'GET', '/api/v1/open/me', sent);
    return `${status} ${raw}`.replaceAll(caller.client_id, 'client').replaceAll(/\\n\d{10}\\n/g, '');
  };
  const unknown = await answerOf({ ...profile('demo.json'), client_id: 'nobody', secret: 'guessed' });
  expect(unknown).toMatch(/^401 .*UNAUTHENTICATED/);
  for (const caller of [...callers, ...callers]) expect(await answerOf(caller)).toBe(unknown);
  const lines = server
    .stderr()
    .split('\n')
    .filter((line) => line.includes('does not open'));
  expect(lines.map((line) => JSON.parse(line).client_id)).toEqual(Object.keys(damages));

  const rewrap = await runMain(['keys', 'rewrap'], { ...environment, KEYRING: keyring('k3', { k2, k3: k1 }) });
  expect(rewrap.exitCode).toBe(9);
  const { rewrapped, not_opened, keys } = JSON.parse(rewrap.stdout);
  const damaged = Object.keys(damages).sort();
  const reason = expect.stringMatching(/^(Unsupported state|Invalid authentication tag|A secret is sealed with)/);
  expect(not_opened).toEqual(damaged.map((id) => ({ tenant_id: 'demo', table: 'credentials', id, reason })));
  expect(rewrapped).toBeGreaterThan(1);
  expect(keys).toContainEqual({ key_id: 'k2', is_primary: false, is_in_keyring: true, secrets: 2 });
  expect((await signedRequest(profile('demo.json'), 'GET', '/api/v1/open/me', { node })).status).toBe(200);
});

test('KEYRING_COMMAND prints the keyring; where it fails, the start says so in one line and shows no key', async () => {
  writeFileSync(join(folder, 'printed.json'), keyring('k2', { k2, k3: k1 }));
  const from = (KEYRING_COMMAND: string) => startServer({ ...environment, KEYRING_COMMAND });
  const server = await from(`cat ${join(folder, 'printed.json')}`);
  expect((await signedRequest(profile('demo.json'), 'GET', '/api/v1/open/me', { node: server.baseUrl })).status).toBe(
    200,
  );
  await server.stop();
  for (const command of [`echo '${k2}' >&2; exit 3`, `echo '${k2}'`]) {
    const exit = await from(command).catch((error: ServerExited) => error);
    expect(exit).toMatchObject({ exitCode: 1 });
    const { stdout, stderr } = exit as ServerExited;
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toMatch(
      /^(KEYRING_COMMAND ended with 3\. Its output is not shown|What KEYRING_COMMAND prints is not JSON\.)/,
    );
    expect(`${stdout}${stderr}`).not.toContain(k2);
  }
});
