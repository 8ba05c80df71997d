import { randomUUID } from 'node:crypto';
import { MAX_CLOCK_SKEW_SECONDS } from '@tenant-open-platform/contract/facts';
import { createCredential, createTenant, type Profile, platform, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { admissionOf, newSender } from '../../../test/support/new-sender.js';
import { onBothNodes } from '../../../test/support/on-both-nodes.js';
import { openPool } from '../../../test/support/open-pool.js';
import { untilServed } from '../../../test/support/until-served.js';
import { hashNonce } from './authenticate.js';

const COPIES = 40;
const ROUNDS = 50;

test('admits one of 40 identical signed requests that arrive at once on two nodes, 50 rounds', async () => {
  const { operator } = await createTenant();
  for (let round = 0; round < ROUNDS; round++) {
    const once = { timestamp: Math.floor(Date.now() / 1000), nonce: randomUUID() };
    const answers = await onBothNodes(COPIES, (node) =>
      untilServed(() => signedRequest(operator, 'GET', '/api/v1/open/me', { ...once, node })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ status, body }) => `${status} ${body.code}`)).toEqual(
      Array(COPIES - 1).fill('401 NONCE_REUSED'),
    );
  }
});

const signedRequestsOf = async (count: number, caller?: Profile) => {
  const statements: string[] = [];
  const log = (_connection: number, query: string) => statements.push(query);
  const database = openPool(platform().databaseUrl as string, { debug: log });
  const signed = await newSender(database, caller ?? (await createTenant()).operator);
  return { database, statements, signed, requests: Array<typeof signed>(count).fill(signed) };
};

test('admits the first of 40 identical requests in one batch', async () => {
  const { database, statements, signed, requests } = await signedRequestsOf(COPIES);
  const admit = admissionOf(database);
  const verdicts = await Promise.all(requests.map((request) => admit(request)));
  expect(statements.filter((statement) => statement.includes('admit_requests_v1'))).toHaveLength(1);
  expect(verdicts.map(({ is_fresh }) => is_fresh)).toEqual([true, ...Array(COPIES - 1).fill(false)]);
  expect(
    verdicts.every(({ is_live, is_in_clock_window, is_granted }) => is_live && is_in_clock_window && is_granted),
  ).toBe(true);

  expect((await admit(signed)).is_fresh).toBe(false);
  await database.close();
});

test('consumes no nonce for a revoked credential or outside the clock window, whatever else is in the batch', async () => {
  const { database, signed } = await signedRequestsOf(1);
  const admit = admissionOf(database);
  const another = () => ({ ...signed, nonceHash: hashNonce(randomUUID()) });
  const [late, revoked] = [another(), another()];
  const verdicts = await Promise.all([
    admit({ ...late, timestamp: String(Number(signed.timestamp) - 3_600) }),
    admit({ ...revoked, secretVersion: 7 }),
    admit(signed),
    admit({ ...signed, secretVersion: 7 }),
    admit(signed),
  ]);
  expect(verdicts.map(({ is_live, is_in_clock_window, is_fresh }) => [is_live, is_in_clock_window, is_fresh])).toEqual([
    [true, false, expect.anything()],
    [false, true, expect.anything()],
    [true, true, true],
    [false, true, expect.anything()],
    [true, true, false],
  ]);
  for (const spared of [late, revoked]) expect((await admit(spared)).is_fresh).toBe(true);
  await database.close();
});

test('keeps a nonce until no clock window that the credential may ever get accepts its timestamp', async () => {
  const { tenant_id } = await createTenant();
  const windows = { allowed_clock_skew_seconds: 30, replay_window_seconds: 30 };
  const { database, signed } = await signedRequestsOf(1, await createCredential(tenant_id, windows));
  for (const signedAt of [-5, 25].map((seconds) => Number(signed.timestamp) + seconds)) {
    const nonceHash = hashNonce(randomUUID());
    const { is_fresh } = await admissionOf(database)({ ...signed, timestamp: String(signedAt), nonceHash });
    const [nonce] = await database.sql.begin(async (tx) => {
      await tx`set local role top_system`;
      return tx`
        select extract(epoch from expires_at)::int as expires_at from nonces
        where credential_number = ${signed.credentialNumber} and nonce_hash = decode(${nonceHash}, 'hex')`;
    });
    expect([is_fresh, nonce?.expires_at]).toEqual([true, signedAt + MAX_CLOCK_SKEW_SECONDS + 60]);
  }
  await database.close();
});

test('keeps a nonce for the whole replay window of its credential, even with an older timestamp', async () => {
  const { tenant_id } = await createTenant();
  const { database, signed } = await signedRequestsOf(
    1,
    await createCredential(tenant_id, { replay_window_seconds: MAX_CLOCK_SKEW_SECONDS }),
  );
  const timestamp = String(Number(signed.timestamp) - 200);
  const { is_fresh, now_ms } = await admissionOf(database)({ ...signed, timestamp });
  const [nonce] = await database.sql.begin(async (tx) => {
    await tx`set local role top_system`;
    return tx`
      select extract(epoch from expires_at)::float8 as expires_at from nonces
      where credential_number = ${signed.credentialNumber}`;
  });
  expect(is_fresh).toBe(true);
  expect(nonce?.expires_at).toBeCloseTo(now_ms / 1000 + MAX_CLOCK_SKEW_SECONDS + 60, 0);
  await database.close();
});
