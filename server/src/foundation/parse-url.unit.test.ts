import { expect, test } from 'vitest';
import { parseUrl } from './urls.js';

test('a host name with a letter of Latin-1 is parsed, however many URLs were parsed before', () => {
  const parsed = Array.from({ length: 20_000 }, () => parseUrl('https://bücher.example')?.hostname);
  expect(new Set(parsed)).toEqual(new Set(['xn--bcher-kva.example']));
});

test('what is no URL is null', () => {
  expect(parseUrl('https://')).toBeNull();
});
