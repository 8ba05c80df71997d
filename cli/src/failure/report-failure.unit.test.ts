import { expect, test } from 'vitest';
import { topctl, unusedSecret } from '../../test/topctl.js';

const env = { TOP_BASE_URL: 'http://127.0.0.1:1', TOP_CLIENT_ID: 'x', TOP_SECRET: unusedSecret };
const argv = 'credentials create --tenant t --client-id c --name c --timeout 1'.split(' ');

const refusal = (status: number, code: string, headers = {}) =>
  Response.json({ code, message: 'No.', request_id: 'r' }, { status, headers });
const lost = (): Response => {
  throw new TypeError('fetch failed');
};
const conflict = () => refusal(409, 'CREDENTIAL_ALREADY_EXISTS');
/** Longer than the time limit, so the first answer is the last. */
const rateLimited = () => refusal(429, 'RATE_LIMITED', { 'Retry-After': '60' });

/** Runs against these answers; the last one repeats. */
async function answering(...answers: (() => Response)[]) {
  const keys: (string | null)[] = [];
  const fetch: typeof globalThis.fetch = async (_, init) => {
    // Asked for the message only: the tenant of the credential.
    if (init?.method === 'GET') return refusal(404, 'NOT_FOUND');
    const answer = answers[Math.min(keys.length, answers.length - 1)] ?? lost;
    keys.push(new Headers(init?.headers).get('Idempotency-Key'));
    return answer();
  };
  const { stderr } = await topctl(argv, { env, fetch });
  return { named: /--idempotency-key (\S+)/.exec(stderr)?.[1], sent: keys.at(-1) };
}

test.each([
  ['no answer', [lost]],
  ['a 201 that cannot be read', [() => new Response('<html>', { status: 201 })]],
  ['a time-out of a proxy', [() => new Response('', { status: 408, headers: { 'Retry-After': '60' } })]],
  ['a rate limit', [rateLimited]],
  ['a lost answer, then a rate limit', [lost, rateLimited]],
  ['a lost answer, then a refusal', [lost, conflict]],
  ['a failure of the platform', [() => new Response('', { status: 502 })]],
  ['a nonce that a proxy sent twice', [() => refusal(401, 'NONCE_REUSED')]],
])('after %s the message names the idempotency key', async (_, answers) => {
  const { named, sent } = await answering(...answers);
  expect(named).toBe(sent);
  expect(named).toMatch(/^[0-9a-f-]{36}$/);
});

test('after a refusal of the first attempt it does not: nothing was created', async () => {
  expect((await answering(conflict)).named).toBeUndefined();
});
