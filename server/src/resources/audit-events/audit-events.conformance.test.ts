import { randomUUID } from 'node:crypto';
import {
  type Answer,
  createCredential,
  createTenant,
  nextMillisecond,
  type Profile,
  platform,
  signedRequest,
  type TestTenant,
} from '@tenant-open-platform/testing';
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../../../test/support/expect-refusal.js';
import { newObjectCredential } from '../../../test/support/new-object.js';
import { newPrincipal } from '../../../test/support/new-principal.js';

type Entry = {
  audit_event_id: string;
  occurred_at: string;
  tenant_id: string;
  client_id: string;
  operation: string;
  target: string;
  changes: string[];
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  outcome: string;
  request_id: string;
};

const below = (of: TestTenant, path: string) => `/api/v1/platform/tenants/${of.tenant_id}/${path}`;

async function log(of: TestTenant, query: Record<string, string> = {}, caller: Profile = of.admin): Promise<Entry[]> {
  const pairs = Object.entries({ limit: '500', ...query }).map(
    ([name, value]) => `${name}=${encodeURIComponent(value)}`,
  );
  const answer = await signedRequest(caller, 'GET', `${below(of, 'audit-events')}?${pairs.join('&')}`);
  expect(answer.status, answer.raw).toBe(200);
  return answer.body.items;
}

const entriesOf = (entries: Entry[], { headers }: Answer) =>
  entries.filter(({ request_id }) => request_id === headers['x-request-id']);

/** Sends one request, and waits for the next millisecond. */
async function send(caller: Profile, method: string, target: string, body: object): Promise<Answer> {
  const answer = await signedRequest(caller, method, target, { body });
  await nextMillisecond();
  return answer;
}

const [tenant, other] = await Promise.all([createTenant(), createTenant()]);
const clientId = `client-${randomUUID()}`;
const principal = newPrincipal({ client_id: tenant.operator.client_id });
const answers = [
  await send(tenant.admin, 'POST', below(tenant, 'credentials'), { client_id: clientId, name: 'Backend' }),
  await send(platform().admin, 'PUT', below(tenant, `credentials/${clientId}`), { name: 'Frontend' }),
  await send(tenant.reader, 'PUT', below(tenant, `credentials/${clientId}`), { name: 'Mine' }),
  await send(tenant.admin, 'POST', below(tenant, 'bus/principals'), principal),
];
const principalId = answers[3]?.body.principal_id;
answers.push(
  await send(tenant.admin, 'PUT', below(tenant, `bus/principals/${principalId}`), {
    status: 'DISABLED',
    expires_at: null,
  }),
);
expect(answers.map(({ status }) => status)).toEqual([201, 200, 403, 201, 200]);
const entries = await log(tenant);
/** The entries of the changes below, in order, each in its own millisecond. */
const made = answers.flatMap((answer) => entriesOf(entries, answer));
expect(made).toHaveLength(answers.length);

test('an entry shows who changed which fields of which resource, the values before and after, when and by which request', async () => {
  const credential = `platform/tenants/${tenant.tenant_id}/credentials/${clientId}`;
  const principal = `platform/tenants/${tenant.tenant_id}/bus/principals/${principalId}`;
  const admin = tenant.admin.client_id;
  const created = ['bus_user', 'bus_account_public_key', 'bus_user_public_key', 'principal_type', 'client_id'];
  const newCredential = {
    client_id: clientId,
    tenant_id: tenant.tenant_id,
    name: 'Backend',
    status: 'ACTIVE',
    allowed_clock_skew_seconds: 300,
    replay_window_seconds: 300,
    secret_version: 1,
    secret: 'set',
  };
  const newPrincipal = expect.objectContaining({ principal_id: principalId, status: 'ACTIVE' });
  const expected: [string, string, string, string[], object | null, object | null, string][] = [
    [admin, 'credentials.create', credential, ['client_id', 'name'], null, newCredential, 'DONE'],
    [
      platform().admin.client_id,
      'credentials.update',
      credential,
      ['name'],
      { name: 'Backend' },
      { name: 'Frontend' },
      'DONE',
    ],
    [tenant.reader.client_id, 'credentials.update', credential, [], null, null, 'DENIED'],
    [admin, 'busPrincipals.create', principal, created, null, newPrincipal, 'DONE'],
    [
      admin,
      'busPrincipals.update',
      principal,
      ['status', 'expires_at'],
      { status: 'ACTIVE' },
      { status: 'DISABLED' },
      'DONE',
    ],
  ];
  expect(made).toEqual(
    expected.map(([client_id, operation, target, changes, before, after, outcome]) => ({
      audit_event_id: expect.any(String),
      occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      tenant_id: tenant.tenant_id,
      client_id,
      operation,
      target,
      changes,
      before,
      after,
      hidden_without: null,
      outcome,
      request_id: expect.any(String),
      source_address: '127.0.0.1',
    })),
  );
});

test('an entry names each secret that was set, rotated or removed, and shows none', async () => {
  const changed = await createTenant();
  const names = ['secret', 'secret_access_key', 'session_token'];
  /** Sends a change. Returns its answer, and the secrets that its audit entry names. */
  async function change(method: string, target: string, body: Record<string, unknown>) {
    const answer = await signedRequest(changed.admin, method, target, { body });
    expect(answer.status, answer.raw).toBeLessThan(300);
    const [entry] = entriesOf(await log(changed), answer);
    for (const secret of [answer.body.secret, body.secret_access_key, body.session_token]) {
      if (typeof secret === 'string') expect(JSON.stringify(entry)).not.toContain(secret);
    }
    const ofSecrets = (values: object | null | undefined) =>
      Object.fromEntries(Object.entries(values ?? {}).filter(([name]) => names.includes(name)));
    expect(ofSecrets(entry?.before)).toEqual({});
    return { answer: answer.body, secrets: ofSecrets(entry?.after) };
  }

  const credential = { client_id: `client-${randomUUID()}`, name: 'Backend' };
  const credentials = below(changed, 'credentials');
  expect((await change('POST', credentials, credential)).secrets).toEqual({ secret: 'set' });
  const rotation = { rotate_secret: true };
  expect((await change('POST', credentials, { ...credential, ...rotation })).secrets).toEqual({ secret: 'rotated' });
  const { secrets } = await change('PUT', `${credentials}/${credential.client_id}`, rotation);
  expect(secrets).toEqual({ secret: 'rotated' });

  const endpoints = '/api/v1/open/callbacks/endpoints';
  const endpoint = await change('POST', endpoints, { name: 'Orders', url: 'https://hooks.acme.example/top' });
  expect(endpoint.secrets).toEqual({ secret: 'set' });
  const ofEndpoint = `${endpoints}/${endpoint.answer.endpoint_id}`;
  expect((await change('PUT', ofEndpoint, rotation)).secrets).toEqual({ secret: 'rotated' });

  const objects = '/api/v1/open/objects/credentials';
  const stored = await change('POST', objects, newObjectCredential({ session_token: 'first-token' }));
  expect(stored.secrets).toEqual({ secret_access_key: 'set', session_token: 'set' });
  const key = { access_key_id: 'SECOND', secret_access_key: 'second-access-key' };
  for (const [body, expected] of [
    [{ session_token: 'second-token' }, { session_token: 'rotated' }],
    [key, { secret_access_key: 'rotated', session_token: 'removed' }],
    [{ session_token: 'third-token' }, { session_token: 'set' }],
    [{ session_token: null }, { session_token: 'removed' }],
    [{ name: 'Renamed' }, {}],
  ]) {
    expect(
      (await change('PUT', `${objects}/${stored.answer.credential_id}`, body as Record<string, unknown>)).secrets,
    ).toEqual(expected);
  }
});

test('an entry shows the scopes of a role before and after', async () => {
  const role = below(tenant, 'roles/reporter');
  const one = ['open:event:read'];
  const two = ['open:command:read', 'open:event:read'];
  const shown = async (answer: Answer) =>
    entriesOf(await log(tenant), answer).map(({ before, after }) => [before?.scopes, after?.scopes]);
  const put = (scopes: string[]) => signedRequest(tenant.admin, 'PUT', role, { body: { scopes } });
  expect(await shown(await put(one))).toEqual([[undefined, one]]);
  expect(await shown(await put(two))).toEqual([[one, two]]);
  expect(await shown(await signedRequest(tenant.admin, 'DELETE', role))).toEqual([[two, undefined]]);
});

test('the log is newest first, and the ids contain the time of the entries', async () => {
  const entries = await log(tenant);
  const ids = entries.map(({ audit_event_id }) => audit_event_id);
  expect(ids).toEqual([...ids].sort().reverse());
  for (const { audit_event_id, occurred_at } of entries) {
    const milliseconds = Number.parseInt(audit_event_id.replace('-', '').slice(0, 12), 16);
    expect(new Date(milliseconds).toISOString()).toBe(occurred_at);
  }
});

describe('filters', () => {
  /** The indexes of the changes that the list shows. */
  async function listed(query: Record<string, string>): Promise<number[]> {
    const entries = await log(tenant, query);
    return entries
      .map(({ audit_event_id }) => made.findIndex((entry) => entry.audit_event_id === audit_event_id))
      .filter((place) => place >= 0);
  }
  const at = (place: number) => made[place]?.occurred_at ?? '';

  test('by client, operation and outcome, alone and together', async () => {
    expect(await listed({})).toEqual([4, 3, 2, 1, 0]);
    expect(await listed({ client_id: tenant.admin.client_id })).toEqual([4, 3, 0]);
    expect(await listed({ client_id: platform().admin.client_id })).toEqual([1]);
    expect(await listed({ operation: 'credentials.update' })).toEqual([2, 1]);
    expect(await listed({ outcome: 'DENIED' })).toEqual([2]);
    expect(await listed({ outcome: 'DONE', operation: 'credentials.update' })).toEqual([1]);
    expect(await listed({ outcome: 'DENIED', client_id: tenant.admin.client_id })).toEqual([]);
  });

  test('by target and by address, alone and together with others', async () => {
    const target = made[0]?.target ?? '';
    expect(await listed({ target })).toEqual([2, 1, 0]);
    expect(await listed({ target, client_id: tenant.admin.client_id })).toEqual([0]);
    expect(await listed({ target: target.slice(0, -1) })).toEqual([]);
    expect(await listed({ source_address: '127.0.0.1' })).toEqual([4, 3, 2, 1, 0]);
    expect(await listed({ source_address: '127.0.0.1', outcome: 'DENIED' })).toEqual([2]);
    expect(await listed({ source_address: '192.0.2.1', target })).toEqual([]);
  });

  test('show only matching entries, and none for unknown values', async () => {
    const query = { client_id: tenant.admin.client_id, operation: 'busPrincipals.create', outcome: 'DONE' };
    expect(await log(tenant, query)).toEqual([made[3]]);
    expect(await log(tenant, { client_id: other.admin.client_id })).toEqual([]);
    expect(await log(tenant, { operation: 'nothing.ever' })).toEqual([]);
  });

  test('occurred_after includes its instant, occurred_before excludes it', async () => {
    expect(await listed({ occurred_after: at(1) })).toEqual([4, 3, 2, 1]);
    expect(await listed({ occurred_before: at(1) })).toEqual([0]);
    expect(await listed({ occurred_after: at(1), occurred_before: at(3) })).toEqual([2, 1]);
    expect(await listed({ occurred_after: at(3), occurred_before: at(1) })).toEqual([]);
  });

  test('an instant finer than milliseconds lies after the millisecond that it starts with, at any offset', async () => {
    const finer = at(1).replace('Z', '000001Z');
    expect(await listed({ occurred_after: finer })).toEqual([4, 3, 2]);
    expect(await listed({ occurred_before: finer })).toEqual([1, 0]);
    const shifted = new Date(Date.parse(at(1)) + 90 * 60_000).toISOString().replace('Z', '+01:30');
    expect(await listed({ occurred_after: shifted })).toEqual([4, 3, 2, 1]);
    expect(await listed({ occurred_before: '9999-12-31T23:59:59.999999999Z' })).toEqual([4, 3, 2, 1, 0]);
  });

  test.each([
    ['client_id', 'a b'],
    ['operation', 'credentials'],
    ['outcome', 'done'],
    ['target', 'a b'],
    ['source_address', 'localhost'],
    ['occurred_after', '2026-01-31'],
    ['occurred_before', '2026-02-30T00:00:00Z'],
  ])('refuse %s=%j with its location', async (name, value) => {
    const target = `${below(tenant, 'audit-events')}?${name}=${encodeURIComponent(value)}`;
    const answer = await signedRequest(tenant.admin, 'GET', target);
    expectRefusal(answer, 'VALIDATION_FAILED');
    expect(answer.body.details).toMatchObject([{ location: `query/${name}` }]);
  });
});

test('pages of a filtered log show every entry once', async () => {
  const filter = `outcome=DONE&client_id=${platform().admin.client_id}`;
  const whole = await log(tenant, { outcome: 'DONE', client_id: platform().admin.client_id });
  expect(whole.length).toBeGreaterThan(3);
  const seen: Entry[] = [];
  for (let cursor = ''; ; ) {
    const target = `${below(tenant, 'audit-events')}?limit=2&${filter}${cursor && `&cursor=${cursor}`}`;
    const { body } = await signedRequest(tenant.admin, 'GET', target);
    seen.push(...body.items);
    if (body.next_cursor === null) break;
    cursor = body.next_cursor;
  }
  expect(seen).toEqual(whole);
});

describe('the owner of a log', () => {
  test("another tenant's log is refused and never shown", async () => {
    expectRefusal(await signedRequest(other.admin, 'GET', below(tenant, 'audit-events')), 'FORBIDDEN');
    for (const [of, foreign] of [
      [tenant, other],
      [other, tenant],
    ] as const) {
      for (const caller of [of.admin, platform().admin]) {
        const entries = await log(of, {}, caller);
        expect(new Set(entries.map(({ tenant_id }) => tenant_id))).toEqual(new Set([of.tenant_id]));
        expect(JSON.stringify(entries)).not.toContain(foreign.tenant_id);
      }
    }
  });

  test('a denial is in the log of the caller, not in the log of the tenant that it tried to change', async () => {
    const { admin } = await createTenant();
    const caller = { ...other, tenant_id: admin.tenant_id, admin };
    const target = below(other, 'bus/principals');
    const denied = await signedRequest(admin, 'POST', target, { body: newPrincipal() });
    expectRefusal(denied, 'FORBIDDEN');
    expect(entriesOf(await log(caller), denied)).toMatchObject([
      { outcome: 'DENIED', tenant_id: admin.tenant_id, target: target.slice('/api/v1/'.length), changes: [] },
    ]);
    expect(entriesOf(await log(other), denied)).toEqual([]);
  });

  test('a new tenant is in the log of tenant platform', async () => {
    const body = { tenant_id: `tenant-${randomUUID()}`, name: 'Acme' };
    const created = await signedRequest(platform().admin, 'POST', '/api/v1/platform/tenants', { body });
    const ofPlatform = { ...tenant, tenant_id: 'platform', admin: platform().admin };
    const entries = await log(ofPlatform, { operation: 'tenants.create', occurred_after: created.body.created_at });
    expect(entriesOf(entries, created)).toMatchObject([{ target: `platform/tenants/${body.tenant_id}` }]);
    expect(await log({ ...ofPlatform, tenant_id: body.tenant_id })).toEqual([]);
  });
});

describe('with the change', () => {
  test('a refused change leaves no entry, however late it fails', async () => {
    const principal = newPrincipal();
    const target = below(tenant, 'bus/principals');
    const { body } = await signedRequest(tenant.admin, 'POST', target, { body: { ...principal, status: 'DELETED' } });
    const deleted = await createCredential(tenant.tenant_id, { status: 'DELETED' });
    const before = await log(tenant);
    const refused = [
      await signedRequest(tenant.admin, 'POST', target, { body: principal }),
      await signedRequest(tenant.admin, 'POST', target, { body: newPrincipal({ client_id: deleted.client_id }) }),
      await signedRequest(tenant.admin, 'POST', target, { body: newPrincipal({ client_id: 'never-existed' }) }),
      await signedRequest(tenant.admin, 'POST', target, { body: newPrincipal({ bus_user_public_key: 'U' }) }),
      await signedRequest(tenant.admin, 'POST', target, { body: newPrincipal({ bus_user_public_key: 'S' }) }),
      await signedRequest(tenant.admin, 'POST', target, { body: {} }),
      await signedRequest(tenant.admin, 'PUT', `${target}/${body.principal_id}`, { body: { status: 'ACTIVE' } }),
      await signedRequest(tenant.admin, 'PUT', `${target}/${randomUUID()}`, { body: { status: 'ACTIVE' } }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([409, 409, 404, 422, 422, 400, 409, 404]);
    expect(await log(tenant)).toEqual(before);
  });

  test('every one of many concurrent changes has one entry', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        signedRequest(tenant.admin, 'POST', below(tenant, 'bus/principals'), { body: newPrincipal() }),
      ),
    );
    const entries = await log(tenant, { operation: 'busPrincipals.create' });
    for (const answer of answers) {
      expect(answer.status, answer.raw).toBe(201);
      expect(entriesOf(entries, answer).map(({ target }) => target.split('/').at(-1))).toEqual([
        answer.body.principal_id,
      ]);
    }
  });
});
