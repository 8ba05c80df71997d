import { expect, test } from 'vitest';
import { hasInvalidPunycode } from './urls.js';

test.each(['xn--a', 'XN--A', 'xn--', 'xn--0', 'xn--a.example', 'a.xn--zzzzzzz99999', 'xn--bcher-kva.xn--a'])(
  '%s has a label that only looks like punycode',
  (hostname) => expect(hasInvalidPunycode(hostname)).toBe(true),
);

test.each(['xn--bcher-kva', 'XN--BCHER-KVA.example', 'acme', 'a--b.example', 'axn--a', '127.0.0.1', '[::1]', ''])(
  '%j has no such label',
  (hostname) => expect(hasInvalidPunycode(hostname)).toBe(false),
);
