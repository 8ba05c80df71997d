import { errors } from '@tenant-open-platform/contract';
import { afterEach, expect, test, vi } from 'vitest';
import { networkFailure } from '../../test/fake-fetch.js';
import { ApiError, ConnectionError, TimeoutError } from '../errors.js';
import { backOffMs, isDecided, parseRetryAfterMs } from './retry.js';

afterEach(() => {
  vi.restoreAllMocks();
});

const connection = (cause: unknown) => new ConnectionError('No answer', { cause });
const unexpected = (status: number) => new ApiError(status, { code: 'UNEXPECTED_ANSWER', message: '' });

test.each([
  ['a refused connection', connection(networkFailure('ECONNREFUSED', 'connect')), false],
  ['a connection reset', connection(networkFailure('ECONNRESET', 'read')), false],
  ['a timeout', new TimeoutError('No answer'), false],
  ['a 429 of a proxy', unexpected(429), false],
  ['a 502 of a proxy', unexpected(502), false],
  ['a 503 of a proxy', unexpected(503), false],
  ['a success that cannot be read', unexpected(200), false],
  ['a redirect', unexpected(308), true],
  ['a redirect that the runtime hides', unexpected(0), true],
  ['a 404 of a proxy', unexpected(404), true],
  ['a defect of the caller', new TypeError('x'), true],
])('%s decides a request: %s', (_, error, decides) => {
  expect(isDecided(error)).toBe(decides);
});

const undecided = 'RATE_LIMITED SERVICE_UNAVAILABLE TENANT_MOVING REQUEST_TIMEOUT INTERNAL_ERROR NONCE_REUSED'.split(
  ' ',
);

test.each(Object.entries(errors))('%s of the error table decides a request, or does not', (code, { status }) => {
  expect(isDecided(new ApiError(status, { code, message: '' }))).toBe(!undecided.includes(code));
});

test('waits a random part of a delay that doubles up to 8 seconds', () => {
  vi.spyOn(Math, 'random').mockReturnValue(1);
  expect([0, 1, 2, 3, 4, 5, 99].map((retry) => backOffMs(retry))).toEqual([500, 1000, 2000, 4000, 8000, 8000, 8000]);
  vi.mocked(Math.random).mockReturnValue(0);
  expect(backOffMs(3)).toBe(0);
});

test('never waits less than the server asks for', () => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  expect(backOffMs(0, 3000)).toBe(3000);
});

test.each([
  [null, undefined],
  ['', undefined],
  ['soon', undefined],
  ['0', 0],
  ['7', 7000],
  ['5.5', 5500],
  ['0.0004', 1],
  ['-1', undefined],
  ['2026-01-01', undefined],
  ['Thu, 01 Jan 2026 00:00:10 GMT', 10_000],
  ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
])('reads Retry-After %j as %j ms', (value, ms) => {
  expect(parseRetryAfterMs(value, Date.parse('2026-01-01T00:00:00Z'))).toBe(ms);
});
