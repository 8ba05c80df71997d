import { allOperations, type Operation } from '@tenant-open-platform/contract';
import { createCredential, createTenant, type Profile, platform, signedRequest } from '@tenant-open-platform/testing';
import { describe, expect, test } from 'vitest';
import { isAudited } from './support/audited.js';
import { newObjectCredential } from './support/new-object.js';
import { bodyFor } from './support/operation-bodies.js';
import {
  administer,
  createCatalogIds,
  createIds,
  type Ids,
  parameters,
  renewIds,
  target,
} from './support/operation-ids.js';

type Entry = {
  operation: string;
  request_id: string;
  before: object | null;
  after: object | null;
  hidden_without: string | null;
};

const AUDIT = 'platform:audit:read';

await createCatalogIds();
const [tenant, neighbor] = await Promise.all([createTenant(), createTenant()]);
const ids = await createIds(tenant);

const holders = new Map<string, Promise<Profile>>();

/** A credential with these scopes, and nothing else. */
function holding(tenantId: string, ...scopes: string[]): Promise<Profile> {
  const key = [tenantId, ...scopes.sort()].join();
  const made = holders.get(key) ?? makeHolder(tenantId, scopes);
  holders.set(key, made);
  return made;
}

async function makeHolder(tenantId: string, scopes: string[]): Promise<Profile> {
  const profile = await createCredential(tenantId);
  const { client_id } = profile;
  for (const scope of new Set(scopes)) {
    await administer('POST', `/api/v1/platform/tenants/${tenantId}/policies`, { client_id, scope }, 201);
  }
  return profile;
}

async function entryOf(
  log: string,
  caller: Profile,
  { operation, request_id }: Pick<Entry, 'operation' | 'request_id'>,
) {
  const list = `/api/v1/platform/tenants/${log}/audit-events?limit=500&operation=${operation}`;
  const { status, body, raw } = await signedRequest(caller, 'GET', list);
  expect(status, raw).toBe(200);
  return (body.items as Entry[]).find((entry) => entry.request_id === request_id);
}

/** What a reader of the resource calls. */
function readingOf({ name }: Operation): Operation {
  const [resource] = name.split('.');
  const found = ['get', 'list'].flatMap((verb) => allOperations.filter(({ name }) => name === `${resource}.${verb}`));
  if (!found[0])
    throw new Error(`Nothing reads what ${name} changes, so nobody would see its values in the audit log.`);
  return found[0];
}

const scopeOf = ({ route }: Operation) => route.metadata.scope as string;
const audited = allOperations.filter(isAudited);
const everyReadingScope = [...new Set(audited.map((operation) => scopeOf(readingOf(operation))))];

async function idsFor(operation: Operation): Promise<Ids> {
  return operation.route.method === 'DELETE' || /\.(create|retry)$/.test(operation.name)
    ? renewIds(tenant, ids, operation)
    : ids;
}

describe.each(audited)('$name', (operation) => {
  test('its values are in the audit log for those who may read the resource, and for nobody else', async () => {
    const values = await idsFor(operation);
    const isOfPlatform = operation.route.metadata.tenant === 'platform';
    const caller = isOfPlatform ? platform().admin : tenant.admin;
    const log = parameters(operation).includes('tenant_id') ? tenant.tenant_id : caller.tenant_id;
    const { method } = operation.route;
    const done = await signedRequest(caller, method, target(operation, values), { body: bodyFor(operation, values) });
    expect(done.status, done.raw).toBeLessThan(300);
    const made = { operation: operation.name, request_id: done.headers['x-request-id'] as string };

    const reading = readingOf(operation);
    const scope = scopeOf(reading);
    const others = everyReadingScope.filter((one) => one !== scope);
    const readers = {
      'may read it': await holding(log, AUDIT, scope),
      'reads the log alone': await holding(log, AUDIT),
      'reads all else': await holding(
        log,
        AUDIT,
        ...others.filter((one) => one !== 'platform:catalog:read' || log === 'platform'),
      ),
      ...(log !== 'platform' && { 'of tenant platform': await holding('platform', AUDIT, scope) }),
    };
    const full = await entryOf(log, readers['may read it'], made);
    expect(full).toMatchObject({ ...made, hidden_without: null });
    expect(full?.before ?? full?.after).toEqual(expect.any(Object));
    for (const [who, reader] of Object.entries(readers)) {
      // The real answer decides what this reader may see: a list of its own tenant does not show the resource.
      const { status } = await signedRequest(reader, 'GET', target(reading, values));
      const isElsewhere = reading.route.metadata.tenant === 'own' && reader.tenant_id !== log;
      const expected =
        status === 403 || isElsewhere ? { ...full, before: null, after: null, hidden_without: scope } : full;
      expect([who, await entryOf(log, reader, made)]).toEqual([who, expected]);
    }
  });
});

describe('what the role support_reader withholds', () => {
  const endpoint = { name: 'Chat', url: 'https://hooks.acme.example/services/T0/B0/TOKEN-in-path' };
  const changed = { name: 'Chat', url: 'https://hooks.acme.example/services/T0/B0/NEXT-in-path' };
  const credential = newObjectCredential({ access_key_id: 'AKIA-KEY-ID' });

  test.each([
    ['the URL of a callback endpoint', 'callbacks/endpoints', endpoint, changed, ['TOKEN-in-path', 'NEXT-in-path']],
    ['the access key id of an object credential', 'objects/credentials', credential, { name: 'N' }, ['AKIA-KEY-ID']],
  ])(
    '%s is not in its audit log, nor in that of tenant platform or of a neighbor',
    async (_, path, body, next, texts) => {
      const of = await createTenant();
      const { body: made } = await signedRequest(of.admin, 'POST', `/api/v1/open/${path}`, { body });
      const resource = `/api/v1/open/${path}/${made.endpoint_id ?? made.credential_id}`;
      for (const [method, body] of [
        ['PUT', next],
        ['DELETE', undefined],
      ] as const) {
        const { status, raw } = await signedRequest(of.admin, method, resource, { body });
        expect(status, raw).toBe(200);
      }
      const log = (caller: Profile) =>
        signedRequest(caller, 'GET', `/api/v1/platform/tenants/${of.tenant_id}/audit-events?limit=500`);
      const role = 'support_reader';
      for (const tenantId of [of.tenant_id, 'platform']) {
        const { status, raw, body } = await log(await createCredential(tenantId, { role }));
        expect(status, raw).toBe(200);
        for (const text of texts) expect(raw).not.toContain(text);
        // What it may read stays: credentials, roles and policies.
        const shown = (body.items as Entry[]).filter(({ hidden_without }) => hidden_without === null);
        expect(new Set(shown.map(({ operation }) => operation))).toEqual(
          new Set(['credentials.create', 'roleBindings.create']),
        );
      }
      const { raw: own } = await log(of.admin);
      for (const text of texts) expect(own).toContain(text);
      for (const foreign of [neighbor.admin, await createCredential(neighbor.tenant_id, { role })]) {
        expect((await log(foreign)).status).toBe(403);
      }
    },
  );
});
