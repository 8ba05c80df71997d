import { randomUUID } from 'node:crypto';
import { createCredential, type Profile, signedRequest, usePlatform } from '@tenant-open-platform/testing';
import { expect, onTestFinished, test } from 'vitest';
import { startIdlePlatform } from '../../../test/support/idle-platform.js';
import { beforeAdmission, newSender } from '../../../test/support/new-sender.js';
import { openPool, openSession } from '../../../test/support/open-pool.js';
import { createRateLimits } from '../limits/rate-limits.js';
import { createAdmit } from './admission.js';
import { hashNonce } from './authenticate.js';
import { createLastUses } from './last-uses.js';

/** The server here is only asked when the test asks it, and the test itself stores the uses that it notes. */
const idle = await startIdlePlatform();
const { admin, demo, databaseUrl, superuserUrl } = idle;
usePlatform({ nodes: [admin.base_url], admin, demo, databaseUrl, natsUrl: null });
const database = openPool(databaseUrl);
const superuser = openSession(superuserUrl, { max: 2 });

const target = (profile: Profile) => `/api/v1/platform/tenants/${profile.tenant_id}/credentials/${profile.client_id}`;

async function usesOf(profile: Profile): Promise<(string | null)[]> {
  const { status, body, raw } = await signedRequest(idle.admin, 'GET', target(profile));
  expect(status, raw).toBe(200);
  return [body.last_used_at, body.secret_last_used_at, body.previous_secret_last_used_at];
}

const rotate = async (profile: Profile) => {
  const body = { rotate_secret: true, previous_secret_ttl_seconds: 600 };
  expect((await signedRequest(idle.admin, 'PUT', target(profile), { body })).status).toBe(200);
};

const useOf = ({ tenant_id, client_id }: Profile, usedAt: string, version = 1) => ({
  tenant_id,
  client_id,
  version,
  used_at: new Date(usedAt),
});

const at = (minute: number) => `2026-01-31T09:${String(minute).padStart(2, '0')}:00.000Z`;

test('of what two nodes store, the latest instant wins, whoever stores last', async () => {
  const profile = await createCredential('demo');
  expect(await usesOf(profile)).toEqual([null, null, null]);
  const [one, other] = [createLastUses(database), createLastUses(database)];
  one.note(useOf(profile, at(5)));
  other.note(useOf(profile, at(1)));
  await one.store(0);
  await other.store(0);
  expect(await usesOf(profile)).toEqual([at(5), at(5), null]);
});

test('each live secret has its own instant, and a rotation takes the current one along as the previous one', async () => {
  const profile = await createCredential('demo');
  const uses = createLastUses(database);
  uses.note(useOf(profile, at(1), 1));
  await uses.store(0);
  await rotate(profile);
  expect(await usesOf(profile)).toEqual([at(1), null, at(1)]);
  uses.note(useOf(profile, at(2), 2));
  uses.note(useOf(profile, at(3), 1));
  await uses.store(0);
  expect(await usesOf(profile)).toEqual([at(3), at(2), at(3)]);
  uses.note(useOf(profile, at(4), 2));
  await uses.store(0);
  expect(await usesOf(profile)).toEqual([at(4), at(4), at(3)]);
  await rotate(profile);
  // Admitted before the second rotation: the secret is no longer live.
  uses.note(useOf(profile, at(5), 1));
  await uses.store(0);
  expect(await usesOf(profile)).toEqual([at(5), null, at(4)]);
});

test('writes a credential at most once a minute, and keeps the uses in between', async () => {
  const profile = await createCredential('demo');
  const uses = createLastUses(database);
  const [first, second] = [Date.now() - 2_000, Date.now() - 1_000].map((time) => new Date(time).toISOString());
  uses.note(useOf(profile, String(first)));
  await uses.store();
  uses.note(useOf(profile, String(second)));
  await uses.store();
  expect(await usesOf(profile)).toEqual([first, first, null]);
  await superuser`
    update credentials set last_used_at = last_used_at - interval '1 minute'
    where tenant_id = 'demo' and client_id = ${profile.client_id}`;
  await uses.store();
  expect(await usesOf(profile)).toEqual([second, second, null]);
});

test('waits for nobody who changes a credential, stores the other ones, and stores this one later', async () => {
  const [changed, other] = [await createCredential('demo'), await createCredential('demo')];
  const uses = createLastUses(database);
  uses.note(useOf(changed, at(1)));
  uses.note(useOf(other, at(1)));
  await superuser.begin(async (tx) => {
    await tx`
      select from credentials where tenant_id = 'demo' and client_id = ${changed.client_id} for no key update`;
    await uses.store(0);
    expect(await usesOf(other)).toEqual([at(1), at(1), null]);
    expect(await usesOf(changed)).toEqual([null, null, null]);
  });
  await uses.store(0);
  expect(await usesOf(changed)).toEqual([at(1), at(1), null]);
});

test('keeps what it could not store', async () => {
  const profile = await createCredential('demo');
  const uses = createLastUses(database);
  uses.note(useOf(profile, at(1)));
  await superuser`revoke update (last_used_at) on credentials from top_system`;
  await expect(uses.store(0)).rejects.toMatchObject({ cause: { code: '42501' } });
  await superuser`grant update (last_used_at) on credentials to top_system`;
  await uses.store(0);
  expect(await usesOf(profile)).toEqual([at(1), at(1), null]);
});

test('a use that comes while an earlier one is being stored is stored next', async () => {
  const profile = await createCredential('demo');
  const uses = createLastUses(database);
  uses.note(useOf(profile, at(1)));
  const storing = uses.store(0);
  uses.note(useOf(profile, at(2)));
  await storing;
  await uses.store(0);
  expect(await usesOf(profile)).toEqual([at(2), at(2), null]);
});

test('a request that is replayed or outside the clock window is no use of its credential', async () => {
  const signed = await newSender(database, await createCredential('demo'));
  const noted: string[] = [];
  const lastUses = {
    ...createLastUses(database),
    note: ({ client_id }: { client_id: string }) => void noted.push(client_id),
  };
  const quota = 1_000;
  const limits = createRateLimits({
    REQUESTS_PER_MINUTE: quota,
    REQUESTS_PER_MINUTE_PER_TENANT: quota,
    FAILED_AUTHENTICATIONS_PER_MINUTE: quota,
  });
  const admit = createAdmit({ database, limits, lastUses, changeBytesPerDay: 0 });
  const ask = (fields: object = {}) => admit(beforeAdmission({ ...signed, ...fields }));
  await ask();
  await expect(ask()).rejects.toMatchObject({ code: 'NONCE_REUSED' });
  const late = { timestamp: '1767225600', nonceHash: hashNonce(randomUUID()) };
  await expect(ask(late)).rejects.toMatchObject({ code: 'CLOCK_SKEW' });
  expect(noted).toEqual([signed.clientId]);
});

test('a request does not store its use itself', async () => {
  const profile = await createCredential('demo');
  await superuser`revoke update (last_used_at) on credentials from top_system`;
  onTestFinished(async () => void (await superuser`grant update (last_used_at) on credentials to top_system`));
  expect((await signedRequest(profile, 'GET', '/api/v1/open/me')).status).toBe(200);
  expect(await usesOf(profile)).toEqual([null, null, null]);
});

test('writes no index entry', async () => {
  const { client_id } = await createCredential('demo');
  const counts = await superuser.begin(async (tx) => {
    await tx`update credentials set last_used_at = now(), secret_last_used_at = now() where client_id = ${client_id}`;
    return tx`
      select pg_stat_get_xact_tuples_updated('credentials'::regclass)::int as updated,
        pg_stat_get_xact_tuples_hot_updated('credentials'::regclass)::int as heap_only`;
  });
  // The session also counts its updates of earlier tests.
  const { updated, heap_only } = counts[0] as { updated: number; heap_only: number };
  expect(updated).toBeGreaterThan(0);
  expect(heap_only).toBe(updated);
});

test('changes neither updated_at nor the audit log', async () => {
  const profile = await createCredential('demo');
  const { body: before } = await signedRequest(idle.admin, 'GET', target(profile));
  const uses = createLastUses(database);
  uses.note(useOf(profile, at(1)));
  await uses.store(0);
  await rotate(profile);
  const { body } = await signedRequest(idle.admin, 'GET', `/api/v1/platform/tenants/demo/audit-events?limit=1`);
  expect(Object.keys(body.items[0].after).sort()).toEqual(['previous_secret_expires_at', 'secret', 'secret_version']);
  const [row] = await superuser`
    select created_at = ${before.created_at}::timestamptz as is_same from credentials
    where tenant_id = 'demo' and client_id = ${profile.client_id}`;
  expect(row).toEqual({ is_same: true });
});

test('the processes of one start store at the stop which requests each of them admitted', async () => {
  const server = await idle.startBeside({ ROLE: 'api', WORKERS: '2' });
  let isStopped = false;
  const stop = async () => {
    if (!isStopped) await server.stop();
    isStopped = true;
  };
  onTestFinished(stop);
  const profiles = await Promise.all(Array.from({ length: 8 }, () => createCredential('demo')));
  for (const profile of profiles) {
    expect((await signedRequest(profile, 'GET', '/api/v1/open/me', { node: server.baseUrl })).status).toBe(200);
  }
  const refused = await createCredential('demo');
  const last = refused.secret.endsWith('x') ? 'y' : 'x';
  const forged = { ...refused, secret: refused.secret.slice(0, -1) + last };
  expect((await signedRequest(forged, 'GET', '/api/v1/open/me', { node: server.baseUrl })).status).toBe(401);
  await stop();
  for (const profile of profiles) {
    const [lastUsed] = await usesOf(profile);
    expect(Math.abs(Date.parse(String(lastUsed)) - Date.now())).toBeLessThan(600_000);
  }
  expect(await usesOf(refused)).toEqual([null, null, null]);
});
