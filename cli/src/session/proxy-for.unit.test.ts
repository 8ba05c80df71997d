import { expect, test } from 'vitest';
import { proxyFor } from './proxy-for.js';

const via = (env: Record<string, string>, url: string) => proxyFor(env, new URL(url))?.url.href;
const PROXY = 'http://proxy.example:3128/';

test.each([
  [{ HTTPS_PROXY: PROXY }, 'https://api.example.com', PROXY],
  [{ HTTPS_PROXY: PROXY }, 'http://api.example.com', undefined],
  [{ HTTP_PROXY: PROXY }, 'http://api.example.com', PROXY],
  [{ HTTPS_PROXY: 'http://other', https_proxy: PROXY }, 'https://api.example.com', PROXY],
  [{ HTTPS_PROXY: 'proxy.example:3128' }, 'https://api.example.com', PROXY],
  [{ HTTPS_PROXY: PROXY }, 'https://localhost:8787', undefined],
  [{ HTTPS_PROXY: PROXY }, 'https://127.0.0.5', undefined],
  [{ HTTPS_PROXY: PROXY }, 'https://[::1]:8787', undefined],
])('%j: %s', (env, url, proxy) => {
  expect(via(env, url)).toBe(proxy);
});

test.each([
  ['*', 'https://api.example.com', true],
  ['example.com', 'https://api.example.com', true],
  ['.example.com, other', 'https://API.example.com', true],
  ['*.example.com', 'https://api.example.com', true],
  ['ample.com', 'https://api.example.com', false],
  ['example.com:443', 'https://api.example.com', true],
  ['example.com:8443', 'https://api.example.com', false],
  ['10.0.0.0/8', 'https://10.1.2.3', true],
  ['10.0.0.0/8', 'https://11.1.2.3', false],
  ['10.1.2.3', 'https://10.1.2.3', true],
  ['2.3', 'https://10.1.2.3', false],
  ['fd00::/8', 'https://[fd00::1]', true],
  ['[fd00::1]:443', 'https://[fd00::1]', true],
  ['fd00::1', 'https://[fd00::1]', true],
])('NO_PROXY=%s excludes %s: %s', (excluded, url, isExcluded) => {
  expect(via({ HTTPS_PROXY: PROXY, NO_PROXY: excluded }, url) === undefined).toBe(isExcluded);
});

test('what is no URL of an HTTP proxy is refused by the name of its variable, without its password', () => {
  expect(() => via({ HTTPS_PROXY: 'socks5://ann:hidden@proxy' }, 'https://api.example.com')).toThrow(
    /^HTTPS_PROXY must be the URL of an HTTP proxy, such as \S+$/,
  );
});
