import { expect, test } from 'vitest';
import { isDatabaseUrl, urlsOfHosts } from './urls.js';

test('reads several hosts, each with its own port', () => {
  const url = 'postgresql://top:a,b%40@one:5432,10.0.0.2:5433/top?sslmode=verify-full';
  expect(urlsOfHosts(url)).toEqual([
    'postgresql://top:a,b%40@one:5432/top?sslmode=verify-full',
    'postgresql://top:a,b%40@10.0.0.2:5433/top?sslmode=verify-full',
  ]);
});

test.each([
  'postgres://one/top',
  'postgres://top@[::1]:5432/top',
  'postgres://top:secret@one,two:5433/top',
  'postgres://one:1,two:2?target_session_attrs=read-write',
])('accepts %s', (url) => {
  expect(isDatabaseUrl(url)).toBe(true);
});

test.each([
  '',
  'one',
  'mysql://one/top',
  'postgres://one:x/top',
  'postgres://one,two:x/top',
  'postgres://one,[::1]/top',
])('refuses "%s"', (url) => {
  expect(isDatabaseUrl(url)).toBe(false);
});
