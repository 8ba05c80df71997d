import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { answer, credential, fakeClient, networkFailure, refusal } from '../test/fake-fetch.js';

const everything = (value: unknown) =>
  inspect(value, { depth: 20, showHidden: true, getters: true }) + JSON.stringify(value) + String(value);
const random = credential.secret.slice(4);

test('the secret is not visible in the client or in its parts', () => {
  const { client } = fakeClient([]);
  for (const value of [client, ...Object.values(client), { ...client }, structuredClone({ ...client.commands })]) {
    expect(everything(value)).not.toContain(random);
  }
});

test.each([
  ['a refusal', refusal(401, 'UNAUTHENTICATED', { metadata: { string_to_sign: 'HMAC-SHA256-V1' } })],
  ['a failure of the network', networkFailure('ECONNRESET')],
  ['an unexpected answer', new Response('?', { status: 500 })],
])('the error of %s contains neither secret nor signature', async (_, step) => {
  const { client, fetch } = fakeClient([step], { maxRetries: 0 });
  const error = await client.tenants.create({ tenant_id: 'a', name: 'A' }).catch((error) => error);
  expect(everything(error)).toContain('tenants.create');
  expect(everything(error)).not.toContain(random);
  expect(everything(error)).not.toContain(fetch.sent[0]?.headers['X-Api-Signature']);
});

test('logs and hooks get no secrets, signatures or bodies', async () => {
  const seen: unknown[] = [];
  const see = (...what: unknown[]) => void seen.push(what);
  const { client, fetch } = fakeClient(
    [refusal(503, 'SERVICE_UNAVAILABLE', {}, { 'Retry-After': '0' }), answer(201, { secret: 'osk_new' })],
    { logger: { debug: see, warn: see }, hooks: { onRequest: see, onResponse: see, onError: see, onRetry: see } },
  );
  await client.credentials.create('acme', { client_id: 'c', name: 'in the body' });
  expect(seen.length).toBeGreaterThanOrEqual(10);
  for (const hidden of [random, 'osk_new', 'in the body', ...fetch.sent.map((it) => it.headers['X-Api-Signature'])]) {
    expect(everything(seen)).not.toContain(hidden);
  }
});
