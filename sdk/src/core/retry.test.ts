import { errors } from '@tenant-open-platform/contract';
import { afterEach, expect, test, vi } from 'vitest';
import { networkFailure } from '../../test/fake-fetch.js';
import { ApiError, ConnectionError, TimeoutError } from '../errors.js';
import { backOffMs, effectOf, parseRetryAfterMs } from './retry.js';

afterEach(() => {
  vi.restoreAllMocks();
});

const connection = (cause: unknown) => new ConnectionError('No answer', { cause });
const unexpected = (status: number) => new ApiError(status, { code: 'UNEXPECTED_ANSWER', message: '' });
const unreachable = Object.assign(new AggregateError([]), {
  errors: [networkFailure('ETIMEDOUT', 'connect'), networkFailure('EHOSTUNREACH', 'connect')],
});

test.each([
  ['a refused connection', connection(networkFailure('ECONNREFUSED', 'connect')), 'none'],
  ['an unknown name', connection(networkFailure('ENOTFOUND', 'getaddrinfo')), 'none'],
  ['a connection that does not come about', connection(networkFailure('UND_ERR_CONNECT_TIMEOUT')), 'none'],
  ['a certificate that is not trusted', connection(networkFailure('DEPTH_ZERO_SELF_SIGNED_CERT')), 'none'],
  ['all addresses unreachable', connection(new TypeError('fetch failed', { cause: unreachable })), 'none'],
  ['a refused connection in Bun', connection(Object.assign(new Error(), { code: 'ConnectionRefused' })), 'none'],
  ['a refused connection in Deno', connection(new TypeError('error: client error (Connect): refused')), 'none'],
  ['a port that fetch blocks', connection(new TypeError('fetch failed', { cause: new Error('bad port') })), 'none'],
  ['a connection reset', connection(networkFailure('ECONNRESET', 'read')), 'unknown'],
  ['a host that became unreachable', connection(networkFailure('EHOSTUNREACH', 'read')), 'unknown'],
  ['a socket closed by the other side', connection(networkFailure('UND_ERR_SOCKET')), 'unknown'],
  ['a failure without a reason', connection(new TypeError('Failed to fetch')), 'unknown'],
  ['a timeout', new TimeoutError('No answer'), 'unknown'],
  ['a 429 of a proxy', unexpected(429), 'unknown'],
  ['a 502 of a proxy', unexpected(502), 'unknown'],
  ['a 503 of a proxy', unexpected(503), 'unknown'],
  ['a success that cannot be read', unexpected(200), 'unknown'],
  ['a redirect', unexpected(308), 'decided'],
  ['a redirect that the runtime hides', unexpected(0), 'decided'],
  ['a 404 of a proxy', unexpected(404), 'decided'],
  ['a defect of the caller', new TypeError('x'), 'decided'],
])('after %s, the effect is: %s', (_, error, effect) => {
  expect(effectOf(error)).toBe(effect);
});

const notDecided: Record<string, string> = {
  RATE_LIMITED: 'none',
  SERVICE_UNAVAILABLE: 'none',
  REQUEST_TIMEOUT: 'unknown',
  INTERNAL_ERROR: 'unknown',
  NONCE_REUSED: 'unknown',
};

test.each(Object.entries(errors))('%s of the error table has exactly one effect', (code, { status }) => {
  const error = new ApiError(status, { code, message: '' });
  expect(effectOf(error)).toBe(notDecided[code] ?? 'decided');
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
  ['Thu, 01 Jan 2026 00:00:10 GMT', 10_000],
  ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
])('reads Retry-After %j as %j ms', (value, ms) => {
  expect(parseRetryAfterMs(value, Date.parse('2026-01-01T00:00:00Z'))).toBe(ms);
});
