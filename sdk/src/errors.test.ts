import { readFileSync } from 'node:fs';
import { errors } from '@tenant-open-platform/contract';
import { expect, test } from 'vitest';
import { answer, fakeClient, networkFailure, refusal } from '../test/fake-fetch.js';
import * as sdk from './index.js';

const reboot = { vendor: 'vendor_a', device_id: 'd', command_type: 'reboot', payload: {} };

test.each(Object.entries(errors))('%s becomes an ApiError with all its fields', async (code, { status, retryable }) => {
  const details = [{ location: 'body/name', code: 'x', message: 'y' }];
  const { client } = fakeClient(
    [refusal(status, code, { details, metadata: { a: 1 } }, { 'X-Request-Id': 'r1', 'Retry-After': '7' })],
    { maxRetries: 0 },
  );
  const error = await client.me.get().catch((error) => error);
  expect(error).toBeInstanceOf(sdk.ApiError);
  expect(error).toBeInstanceOf(sdk.TenantOpenPlatformError);
  expect({ ...error, name: error.name, message: error.message }).toEqual({
    name: 'ApiError',
    message: `me.get: It is ${code}.`,
    docUrl: `https://platform.test/docs/errors#${code}`,
    operation: 'me.get',
    requestId: 'r1',
    attempts: 1,
    status,
    code,
    retryable,
    details,
    metadata: { a: 1 },
    retryAfterMs: 7000,
  });
  expect(error.reason).toBe(`It is ${code}.`);
  expect(sdk.isApiError(error, code)).toBe(true);
  expect(sdk.isApiError(error, 'ANOTHER')).toBe(false);
});

test('a code of a later version is an ApiError too', async () => {
  const { client } = fakeClient([refusal(418, 'TEAPOT_EMPTY')]);
  await expect(client.me.get()).rejects.toMatchObject({ name: 'ApiError', code: 'TEAPOT_EMPTY', retryable: false });
});

test.each([
  ['a page of a proxy', new Response('<h1>Bad Gateway</h1>', { status: 502 }), /status 502.*a proxy in front of it/],
  ['JSON of a proxy', answer(403, { code: 'DENIED', message: 'Not on the list.' }), /status 403/],
  ['another server', new Response('<h1>Welcome</h1>', { status: 200 }), /check baseUrl/],
  ['JSON of another server', answer(404, { error: 'no route' }), /status 404/],
  ['an empty answer', new Response(null, { status: 204 }), /status 204/],
  [
    'a redirect, which is not followed',
    new Response(null, { status: 308, headers: { Location: 'https://new.test/' } }),
    /redirects to https:\/\/new\.test/,
  ],
])('%s is an unexpected answer, and its beginning is shown', async (_, reply, message) => {
  const text = await reply.clone().text();
  const { client, fetch } = fakeClient([reply], { maxRetries: 0 });
  const call = client.me.get();
  await expect(call).rejects.toMatchObject({ name: 'ApiError', code: 'UNEXPECTED_ANSWER', status: reply.status });
  await expect(call).rejects.toThrow(message);
  await expect(call).rejects.toThrow(/^me\.get: /);
  const error = await call.catch((error) => error);
  expect(error.metadata.text).toBe(text);
  expect(error.headers.get('content-type')).toBe(reply.headers.get('content-type'));
  expect(fetch.sent).toHaveLength(1);
});

test('a used idempotency_key of another command is an IdempotencyMismatchError with the existing command', async () => {
  const command = { command_id: 'c1', status: 'ACCEPTED', accepted_at: '2026-01-31T09:30:00.000Z', request_id: 'r1' };
  const { client, fetch } = fakeClient([
    answer(202, command, { 'Idempotent-Replayed': 'true', 'Idempotency-Mismatch': 'payload,device_id' }),
  ]);
  const error = await client.commands.create({ ...reboot, idempotency_key: 'k1' }).catch((error) => error);
  expect(sdk.isIdempotencyMismatchError(error)).toBe(true);
  expect(error).toMatchObject({ command, fields: ['payload', 'device_id'], idempotencyKey: 'k1' });
  expect(fetch.sent).toHaveLength(1);
});

test('docUrl leads to the row of the error on the page of errors', async () => {
  const { client } = fakeClient([
    networkFailure('ECONNREFUSED'),
    new Response('<h1>Welcome</h1>', { status: 404 }),
    answer(202, { command_id: 'c1' }, { 'Idempotency-Mismatch': 'payload' }),
    answer(200, { command_id: 'c1', status: 'DISPATCHED', completed_at: null }),
    (_, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  ]);
  const rows = [];
  for (const call of [
    () => client.me.get({ maxRetries: 0 }),
    () => client.me.get(),
    () => client.commands.create(reboot),
    () => client.commands.wait('c1', { timeoutSeconds: 0 }),
    () => client.me.get({ timeoutMs: 1, maxRetries: 0 }),
    () => client.commands.wait('c1', { signal: AbortSignal.abort() }),
  ]) {
    const { docUrl } = (await call().catch((error) => error)) as sdk.ApiError;
    rows.push(docUrl?.replace('https://platform.test/docs/errors#', ''));
  }
  expect(rows).toEqual([
    'ConnectionError',
    'UNEXPECTED_ANSWER',
    'IdempotencyMismatchError',
    'WaitTimeoutError',
    'TimeoutError',
    'WaitAbortedError',
  ]);
  const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
  for (const row of rows) expect(page).toContain(`\n| \`${row}\` | `);
});

test('the stack of an error begins with its name', async () => {
  const error = new sdk.TimeoutError('No answer');
  expect(error.stack).toMatch(/^TimeoutError: No answer\n/);
});

test('the guards recognise errors of another copy of the package, and nothing else', async () => {
  const secondCopy = './errors.js?copy';
  const copy: typeof import('./errors.js') = await import(secondCopy);
  expect(copy.ApiError).not.toBe(sdk.ApiError);
  const body = { code: 'NOT_FOUND', message: 'No' } as const;
  const cases: [(error: unknown) => boolean, Error][] = [
    [sdk.isApiError, new copy.ApiError(404, body)],
    [sdk.isConfigurationError, new copy.ConfigurationError('')],
    [sdk.isConnectionError, new copy.ConnectionError('')],
    [sdk.isInvalidArgumentError, new copy.InvalidArgumentError('')],
    [sdk.isTimeoutError, new copy.TimeoutError('')],
  ];
  for (const [guard, error] of cases) {
    expect(error).not.toBeInstanceOf(sdk.TenantOpenPlatformError);
    expect(cases.filter(([it]) => it(error))).toEqual([[guard, error]]);
    expect(sdk.isTenantOpenPlatformError(error)).toBe(true);
  }
  for (const other of [new Error('x'), new DOMException('x', 'TimeoutError'), { name: 'ApiError' }, null, undefined]) {
    expect(cases.some(([guard]) => guard(other)) || sdk.isTenantOpenPlatformError(other)).toBe(false);
  }
});
