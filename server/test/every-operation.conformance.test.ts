import { randomUUID } from 'node:crypto';
import { allOperations, builtInRoles, type Operation, PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import {
  type Answer,
  createCredential,
  createTenant,
  type Profile,
  platform,
  type RequestOptions,
  sign,
  signedRequest,
} from '@tenant-open-platform/testing';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { isAudited } from './support/audited.js';
import { expectRefusal } from './support/expect-refusal.js';
import { newDeviceRequest } from './support/new-device-request.js';
import { bodyFor, exampleBodies, staleBodies } from './support/operation-bodies.js';
import {
  administer,
  createCatalogIds,
  createIds,
  type Ids,
  MALFORMED_ID,
  missingIds,
  parameters,
  path,
  queries,
  queryReferences,
  renewIds,
  target,
} from './support/operation-ids.js';
import { unique } from './support/unique.js';

/** Creates the resource if its id is missing, so a missing id is not refused. */
const UPSERTS = ['roles.put'];

/** No built-in role grants it. */
const POLICY_SCOPE = 'open:device-request:create';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];
const TENANT_ROLES = Object.keys(builtInRoles).filter((role) => role !== 'platform_admin');

await createCatalogIds();
const [tenant, foreign, closed] = await Promise.all([createTenant(), createTenant(), createTenant()]);
const own = tenant;
/** Has by a policy the permissions that no built-in role grants. */
const [ids, foreignIds, unbound, byPolicy] = await Promise.all([
  createIds(own),
  createIds(foreign),
  createCredential(own.tenant_id),
  createCredential(own.tenant_id),
]);
const policies = `/api/v1/platform/tenants/${own.tenant_id}/policies`;
await signedRequest(own.admin, 'POST', policies, { body: { client_id: byPolicy.client_id, scope: POLICY_SCOPE } });
const perRole = await credentialPerRole(own.tenant_id);
const disabled = await credentialPerRole(own.tenant_id);
for (const { tenant_id, client_id } of Object.values(disabled)) {
  await administer('PUT', `/api/v1/platform/tenants/${tenant_id}/credentials/${client_id}`, { status: 'DISABLED' });
}
const ofDisabledTenant = await credentialPerRole(closed.tenant_id);
await administer('PUT', `/api/v1/platform/tenants/${closed.tenant_id}`, { status: 'DISABLED' });

/** Operations that succeed only once for the same ids. */
const usesUpIds = ({ name, route }: Operation) =>
  route.method === 'DELETE' ||
  ['roleBindings.create', 'policies.create', 'callbackSubscriptions.create', 'parkedMessages.retry'].includes(name);

async function idsFor(operation: Operation): Promise<Ids> {
  // A request takes one reply, and waits for it for five minutes.
  if (operation.name === 'deviceRequests.reply') {
    return { ...ids, request_id: (await newDeviceRequest(own)).device_request_id };
  }
  return usesUpIds(operation) ? renewIds(own, ids, operation) : ids;
}

/** Ids of an example's own: it may disable what it changes. */
async function idsForExample(operation: Operation): Promise<Ids> {
  if (operation.name === 'tenants.update') return { ...ids, tenant_id: (await createTenant()).tenant_id };
  if (operation.name === 'deviceRequests.reply') return idsFor(operation);
  if (operation.name === 'vendors.put') return { ...ids, vendor: unique('vendor') };
  const renewed = await renewIds(own, ids, operation);
  if (operation.name === 'callbackSubscriptions.create') {
    const { endpoint_id, subscription_id } = renewed;
    const subscription = `/api/v1/open/callbacks/endpoints/${endpoint_id}/subscriptions/${subscription_id}`;
    await signedRequest(own.admin, 'DELETE', subscription);
  }
  return renewed;
}

async function credentialPerRole(tenantId: string): Promise<Record<string, Profile>> {
  const made = TENANT_ROLES.map(async (role) => [role, await createCredential(tenantId, { role })] as const);
  return Object.fromEntries(await Promise.all(made));
}

const takesBody = ({ route }: Operation) => 'body' in route && route.body !== undefined;

const needsBody = (operation: Operation) =>
  takesBody(operation) && !(operation.route as { body: z.ZodType }).body.safeParse(undefined).success;

/** Only credentials of tenant `platform` may call it. */
const isPlatformOnly = ({ route }: Operation) => route.metadata.tenant === 'platform';

const grants = (role: string, { route }: Operation) =>
  route.metadata.scope === null || builtInRoles[role]?.includes(route.metadata.scope) === true;

const rolesGranting = (operation: Operation) => Object.keys(builtInRoles).filter((role) => grants(role, operation));

const fail = (message: string): never => {
  throw new Error(message);
};

/** Every kind of credential, and whether the contract permits it to call the operation. */
const callers = (operation: Operation) => [
  ...TENANT_ROLES.map((role) => ({
    role,
    caller: perRole[role] ?? fail(`No credential of role ${role}.`),
    may: grants(role, operation) && !isPlatformOnly(operation),
  })),
  { role: 'platform_admin', caller: platform().admin, may: grants('platform_admin', operation) },
  { role: 'a policy', caller: byPolicy, may: operation.route.metadata.scope === POLICY_SCOPE || grants('', operation) },
  { role: 'no role', caller: unbound, may: grants('', operation) && !isPlatformOnly(operation) },
];

const permitted = (operation: Operation) =>
  callers(operation).find(({ may }) => may)?.caller ?? fail('No role may call it.');

/** A role that permits the operation, so that a refusal has the tested cause only. */
const permittedRole = (operation: Operation) => TENANT_ROLES.find((role) => grants(role, operation)) ?? 'tenant_admin';

/** Sends one request and checks the properties that every answer must have. */
async function send(caller: Profile, method: string, target: string, options: RequestOptions = {}): Promise<Answer> {
  const requestId = unique('request');
  const answer = await signedRequest(caller, method, target, {
    ...options,
    headers: { 'X-Request-Id': requestId, ...options.headers },
  });
  expect(answer.headers['x-request-id']).toBe(options.headers?.['X-Request-Id'] ?? requestId);
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.headers).not.toHaveProperty('x-powered-by');
  expect(answer.headers).not.toHaveProperty('etag');
  expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  if (method !== 'HEAD') {
    for (const element of Array.isArray(answer.body) ? answer.body : [answer.body]) {
      expect(element.request_id).toBe(answer.headers['x-request-id']);
    }
  }
  return answer;
}

const call = (caller: Profile, operation: Operation, values: Ids, options: RequestOptions = {}) =>
  send(caller, operation.route.method, target(operation, values), { body: bodyFor(operation, values), ...options });

const isCreation = ({ route }: Operation) => 201 in route.responses;

type AuditEvent = { request_id: string; changes: string[] };

/** The entries of one request in the audit log of a tenant. Other test files write to that of tenant platform, too. */
async function auditOf(tenantId: string, requestId: string): Promise<AuditEvent[]> {
  const log = `/api/v1/platform/tenants/${tenantId}/audit-events?limit=500`;
  const { body } = await signedRequest(tenantId === own.tenant_id ? own.admin : platform().admin, 'GET', log);
  const entries = body.items.filter(({ request_id }: AuditEvent) => request_id === requestId);
  return entries.map((entry: AuditEvent) => ({ ...entry, changes: entry.changes.toSorted() }));
}

/** Checks all values at the same time: one after the other, this file would mostly wait for answers. */
const forEach = <Value>(values: readonly Value[], check: (value: Value) => Promise<void>) =>
  Promise.all(values.map(check));

/** Leaves out the fields that may differ between two answers to one X-Request-Id. */
const bytesOf = ({ status, headers: { date: _, ...headers }, raw }: Answer) => ({ status, headers, raw });

test('every operation with a body or a required query has an example, and every path parameter has a value', () => {
  for (const operation of allOperations) {
    expect(bodyFor(operation, ids) !== undefined).toBe(takesBody(operation));
    for (const name of parameters(operation)) {
      expect(missingIds(), 'server/test/support/operation-ids.ts needs a value').toHaveProperty(name);
    }
  }
  const withQuery = allOperations.filter(({ route }) => !(route.query as z.ZodType).safeParse({}).success);
  expect(Object.keys(queries).sort()).toEqual(withQuery.map(({ name }) => name).sort());
  expect(staleBodies(allOperations.map(({ name }) => name))).toEqual([]);
});

describe.each(allOperations)('$name', (operation) => {
  const { method } = operation.route;
  const { scope } = operation.route.metadata;

  test('refuses a request without a signature', async () => {
    const headers = Object.fromEntries(Object.keys(sign(own.admin, 'GET', '/')).map((name) => [name, undefined]));
    expectRefusal(await call(permitted(operation), operation, ids, { headers }), 'UNAUTHENTICATED');
  });

  test('refuses a malformed and a wrong signature', async () => {
    await forEach(['v1=00', `V1=${'0'.repeat(64)}`, `v1=${'0'.repeat(64)}`], async (signature) => {
      expectRefusal(await call(permitted(operation), operation, ids, { signature }), 'UNAUTHENTICATED');
    });
  });

  test('refuses the same bytes a second time, whatever the first answer was', async () => {
    const again = { nonce: randomUUID(), timestamp: Math.floor(Date.now() / 1000), body: bodyFor(operation, ids) };
    expect((await call(unbound, operation, ids, again)).status).not.toBe(401);
    expectRefusal(await call(unbound, operation, ids, again), 'NONCE_REUSED');
  });

  test('refuses an expired timestamp and returns the server time', async () => {
    const timestamp = Math.floor(Date.now() / 1000) - 330;
    const answer = await call(permitted(operation), operation, ids, { timestamp });
    expectRefusal(answer, 'CLOCK_SKEW');
    expect(answer.body.metadata).toEqual({ server_time: expect.any(String), allowed_clock_skew_seconds: 300 });
    expect(Math.abs(Date.parse(answer.body.metadata.server_time) - Date.now())).toBeLessThan(30_000);
  });

  test('refuses a disabled credential and one of a disabled tenant', async () => {
    await forEach([disabled, ofDisabledTenant], async (credentials) => {
      const caller = credentials[permittedRole(operation)] ?? fail('No such credential.');
      const answer = await call(caller, operation, { ...ids, tenant_id: caller.tenant_id });
      expectRefusal(answer, 'UNAUTHENTICATED');
    });
  });

  test('is refused to every caller without its scope, and to no other', async () => {
    await forEach(callers(operation), async ({ role, caller, may }) => {
      const answer = await call(caller, operation, may ? await idsFor(operation) : ids);
      if (may) {
        expect(answer.status, `${role}: ${answer.raw}`).toBeLessThan(300);
        return;
      }
      expect(answer.status, `${role}: ${answer.raw}`).toBe(403);
      expect(answer.body).toEqual({
        code: 'FORBIDDEN',
        message: expect.any(String),
        request_id: expect.any(String),
        metadata: { required_scope: scope, granted_by_roles: rolesGranting(operation) },
      });
    });
  });

  test('answers a success with the declared status and schema', async () => {
    const answer = await call(permitted(operation), operation, await idsFor(operation));
    const schema = operation.route.responses[answer.status] as z.ZodType | undefined;
    expect(answer.status, answer.raw).toBeLessThan(300);
    expect(schema?.parse(answer.body)).toEqual(answer.body);
  });

  if (takesBody(operation)) {
    test('carries out each example of its description', async () => {
      await forEach(exampleBodies(operation, ids), async ([title]) => {
        const values = await idsForExample(operation);
        const body = Object.fromEntries(exampleBodies(operation, values))[title];
        const caller =
          isPlatformOnly(operation) || values.tenant_id !== own.tenant_id ? platform().admin : permitted(operation);
        const answer = await call(caller, operation, values, { body });
        expect(answer.status, `${title}: ${answer.raw}`).toBeLessThan(300);
      });
    });
  }

  if (operation.route.metadata.repeat === 'BY_HEADER') {
    test('repeats its first answer for the same Idempotency-Key, and changes nothing more', async () => {
      const values = await idsFor(operation);
      const options = { body: bodyFor(operation, values), headers: { 'Idempotency-Key': unique('key') } };
      const caller = permitted(operation);
      const first = await call(caller, operation, values, options);
      const again = await call(caller, operation, values, options);
      expect(first.status, first.raw).toBeLessThan(300);
      expect([again.status, again.body]).toEqual([first.status, { ...first.body, request_id: again.body.request_id }]);
      expect(first.headers).not.toHaveProperty('idempotent-replayed');
      expect(again.headers['idempotent-replayed']).toBe('true');
      const changed = parameters(operation).includes('tenant_id') ? own.tenant_id : caller.tenant_id;
      const audits = [first, again].map(({ body }) => auditOf(changed, body.request_id));
      expect((await Promise.all(audits)).map(({ length }) => length)).toEqual([1, 0]);
    });
  }

  if (isAudited(operation)) {
    test('leaves one entry in the audit log of the changed tenant, with the values before and after', async () => {
      const values = await idsFor(operation);
      const body = bodyFor(operation, values);
      const caller = permitted(operation);
      const { body: answer } = await call(caller, operation, values, { body });
      const changed = parameters(operation).includes('tenant_id') ? own.tenant_id : caller.tenant_id;
      const entries = await auditOf(changed, answer.request_id);
      const { secret_access_key, session_token } = (body ?? {}) as Record<string, unknown>;
      for (const secret of [answer.secret, secret_access_key, session_token]) {
        if (typeof secret === 'string') expect(JSON.stringify(entries)).not.toContain(secret);
      }
      expect(entries).toEqual([
        {
          audit_event_id: expect.any(String),
          occurred_at: expect.any(String),
          tenant_id: changed,
          client_id: caller.client_id,
          operation: operation.name,
          target: expect.stringMatching(`^${path(operation, values).slice('/api/v1/'.length)}`),
          changes: Object.keys(body ?? {}).sort(),
          before: isCreation(operation) ? null : expect.any(Object),
          after: method === 'DELETE' ? null : expect.any(Object),
          hidden_without: null,
          outcome: 'DONE',
          request_id: answer.request_id,
          source_address: '127.0.0.1',
        },
      ]);
    });
  }

  if (isAudited(operation) && scope?.startsWith('platform:')) {
    test("leaves an entry in the audit log of the caller's own tenant if it was refused", async () => {
      // The log has at most 60 denials a minute of one credential.
      const denied = await createCredential(own.tenant_id);
      const { body: refusal } = await call(denied, operation, foreignIds);
      expect(refusal.code).toBe('FORBIDDEN');
      expect(await auditOf(denied.tenant_id, refusal.request_id)).toMatchObject([
        {
          client_id: denied.client_id,
          operation: operation.name,
          target: path(operation, foreignIds).slice('/api/v1/'.length),
          changes: [],
          before: null,
          after: null,
          outcome: 'DENIED',
        },
      ]);
    });
  }

  const references = parameters(operation).filter((name) => name !== 'tenant_id');

  if (references.length > 0 && !UPSERTS.includes(operation.name) && !isPlatformOnly(operation)) {
    test("answers another tenant's ids and malformed ids exactly like missing ids", async () => {
      const headers = { 'X-Request-Id': unique('request') };
      const answerFor = (values: Ids, caller = permitted(operation)) =>
        call(caller, operation, { ...values, tenant_id: own.tenant_id }, { headers });
      const missing = await answerFor(missingIds());
      expectRefusal(missing, 'NOT_FOUND');
      expect(Object.keys(missing.body).sort()).toEqual(['code', 'message', 'request_id']);
      const mixed = references.flatMap((name) => [
        { ...missingIds(), [name]: MALFORMED_ID },
        { ...missingIds(), [name]: foreignIds[name] },
        ...(name === 'bound_role' ? [] : [{ ...ids, [name]: foreignIds[name] }]),
      ]);
      await forEach([foreignIds, ...mixed], async (values) => {
        expect(bytesOf(await answerFor(values))).toEqual(bytesOf(missing));
      });
      if (grants('platform_admin', operation)) {
        expect(bytesOf(await answerFor(foreignIds, platform().admin))).toEqual(bytesOf(missing));
      }
    });
  }

  const namedInQuery = queryReferences(operation);

  if (namedInQuery.length > 0) {
    test("answers another tenant's ids in its query exactly like missing ids", async () => {
      const headers = { 'X-Request-Id': unique('request') };
      const answerFor = (values: Ids) => call(permitted(operation), operation, values, { headers });
      for (const name of namedInQuery) {
        const missing = await answerFor({ ...ids, [name]: missingIds()[name] });
        expectRefusal(missing, 'NOT_FOUND');
        expect(bytesOf(await answerFor({ ...ids, [name]: foreignIds[name] }))).toEqual(bytesOf(missing));
      }
    });
  }

  if (parameters(operation).includes('tenant_id')) {
    test('is refused in another tenant in the same way whether the tenant exists or not', async () => {
      const caller = perRole[permittedRole(operation)] ?? fail('No such credential.');
      const headers = { 'X-Request-Id': unique('request') };
      const foreign = await call(caller, operation, foreignIds, { headers });
      expectRefusal(foreign, 'FORBIDDEN');
      await forEach([missingIds().tenant_id, PLATFORM_TENANT_ID, MALFORMED_ID], async (tenant_id) => {
        const answer = await call(caller, operation, { ...foreignIds, tenant_id }, { headers });
        expect(bytesOf(answer)).toEqual(bytesOf(foreign));
      });
    });
  }

  if (parameters(operation).includes('tenant_id') && grants('platform_admin', operation)) {
    test('answers a platform administrator NOT_FOUND for a missing or malformed tenant', async () => {
      const headers = { 'X-Request-Id': unique('request') };
      const missing = await call(platform().admin, operation, missingIds(), { headers });
      expectRefusal(missing, 'NOT_FOUND');
      const malformed = await call(platform().admin, operation, { ...ids, tenant_id: MALFORMED_ID }, { headers });
      expect(bytesOf(malformed)).toEqual(bytesOf(missing));
    });
  }

  if (takesBody(operation)) {
    test('refuses an undeclared field, especially tenant_id', async () => {
      const unknown = ['nonsense', 'status_reason', 'created_at'];
      if (operation.name !== 'tenants.create') unknown.push('tenant_id');
      await forEach(unknown, async (name) => {
        const body = { ...bodyFor(operation, ids), [name]: foreignIds.tenant_id };
        const answer = await call(permitted(operation), operation, ids, { body });
        expectRefusal(answer, 'VALIDATION_FAILED');
        expect(answer.body.details).toEqual([
          { location: `body/${name}`, code: 'UNKNOWN_FIELD', message: expect.any(String) },
        ]);
      });
    });
  }

  test('refuses an undeclared query parameter', async () => {
    await forEach(['nonsense', 'tenant_id'], async (name) => {
      const answer = await send(permitted(operation), method, target(operation, ids, { [name]: '1' }), {
        body: bodyFor(operation, ids),
      });
      expectRefusal(answer, 'VALIDATION_FAILED');
      expect(answer.body.details).toMatchObject([{ location: `query/${name}`, code: 'UNKNOWN_FIELD' }]);
    });
  });

  if (!takesBody(operation)) {
    test('refuses a body', async () => {
      expectRefusal(await call(permitted(operation), operation, ids, { body: {} }), 'MALFORMED_HTTP');
    });
  }

  if (takesBody(operation)) {
    test('refuses null, a body that is not an object, and an empty body unless the body is optional', async () => {
      const empty = [undefined, Buffer.alloc(0)];
      await forEach([...(needsBody(operation) ? empty : []), null, [], '', 1, true], async (body) => {
        expectRefusal(await call(permitted(operation), operation, ids, { body }), 'VALIDATION_FAILED');
      });
    });
  }

  if (takesBody(operation) && !needsBody(operation)) {
    test('accepts an empty body', async () => {
      for (const body of [undefined, Buffer.alloc(0)]) {
        const { status, raw } = await call(permitted(operation), operation, await idsFor(operation), { body });
        expect(status, raw).toBe(200);
      }
    });
  }

  test('answers every other method with the methods of the path', async () => {
    const declared = allOperations.filter(({ route }) => route.path === operation.route.path);
    const allowed = declared.map(({ route }) => route.method as string);
    const others = METHODS.filter((candidate) => !allowed.includes(candidate));
    await forEach(others, async (other) => {
      const answer = await send(unbound, other, target(operation, ids));
      expect(answer.status, other).toBe(405);
      expect(answer.headers.allow?.split(', ').sort()).toEqual(allowed.toSorted());
      if (other !== 'HEAD') expectRefusal(answer, 'METHOD_NOT_ALLOWED');
    });
  });
});
