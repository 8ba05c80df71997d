import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../foundation/api-error.js';
import { refuseKeyPrefix, refuseObjectKey } from './object-key.js';

function detailOf(refuse: () => void) {
  try {
    refuse();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'VALIDATION_FAILED') return error.extra.details?.[0];
    throw error;
  }
  return null;
}

const problemOf = (key: string, prefix = 'firmware/') => detailOf(() => refuseObjectKey(prefix, key))?.message ?? null;
const prefixProblemOf = (prefix: string) => detailOf(() => refuseKeyPrefix(prefix))?.message ?? null;

const DOTS = 'must not have `.` or `..` as a segment, in any spelling';

test.each([
  'a',
  'pump 7/2.4.1 (final).bin',
  'schlüssel/鍵/🔑',
  'a+b&c=d?e#f',
  '100%',
  '%41%zz%',
  'scope%2fname',
  'café%20menu.pdf',
  "~'!*()",
  '...',
  '.hidden/..data/x..',
  '. ./ ..',
  '…',
  'a:b|c<d>e"f',
  '👩‍💻',
])('accepts the key %j', (key) => {
  expect(problemOf(key)).toBeNull();
  expect(prefixProblemOf(key)).toBeNull();
});

test.each([
  '.',
  '..',
  '../x',
  'a/..',
  'a/../b',
  './x',
  'a/./b',
  '/../x',
  'a/..//b',
  '..\\x',
  'a\\..\\b',
  '%2e%2e/x',
  '%2E%2e/x',
  '.%2e/x',
  '%2e./x',
  'a/%2e',
  '..%2fx',
  '..%2Fx',
  '%2e%2e%2fx',
  '..%5cx',
  '%2e%2e%5Cx',
  '%252e%252e/x',
  '%EF%BC%8E%EF%BC%8E%2Fsecret',
  '%25EF%25BC%258E%25EF%25BC%258E/secret',
  '%ff%2e%2e%2f/../x',
  '%25252e%25252e%25252fx',
  '..%252fx',
  '．．/x',
  '..／x',
  '‥/x',
  '․․/x',
  '﹒﹒/x',
  '..＼x',
  '％2e％2e/x',
])('refuses %j, which leaves the prefix if it is decoded or folded', (key) => {
  expect(problemOf(key)).toBe(DOTS);
  expect(problemOf(key, '')).toBe(DOTS);
  expect(prefixProblemOf(key)).toBe(DOTS);
});

test.each([
  ['firmware/%2', 'e%2e/x'],
  ['a/%', '2e%2e/x'],
  ['a/.%2', 'e/x'],
  ['a/%25', '2e%2e%2fx'],
])('refuses prefix %j with key %j, which are harmful only together', (prefix, key) => {
  expect([prefixProblemOf(prefix), problemOf(key, ''), problemOf(key, prefix)]).toEqual([null, null, DOTS]);
});

test.each([
  ['/a', 'must not begin with a slash'],
  ['//a', 'must not begin with a slash'],
  ['a//b', 'must not have an empty segment: two slashes in a row, or one at the end'],
  ['a/', 'must not have an empty segment: two slashes in a row, or one at the end'],
  ['a\\b', 'must not have a backslash: some stores take it for a slash'],
  ['a\u0000', 'must not have control characters'],
  ['a\nb', 'must not have control characters'],
  ['a\u007f', 'must not have control characters'],
  ['a\u0085', 'must not have control characters'],
  ['a\ud800b', 'must not have halves of surrogate pairs'],
  ['\udfffb', 'must not have halves of surrogate pairs'],
])('refuses the key %j: it %s', (key, problem) => {
  expect(problemOf(key)).toBe(problem);
});

test('counts the bytes of prefix and key together', () => {
  const long = 'must be at most 1024 bytes of UTF-8 with key_prefix';
  expect([problemOf('x'.repeat(1015)), problemOf('x'.repeat(1016))]).toEqual([null, long]);
  expect([problemOf(`${'é'.repeat(507)}x`), problemOf('é'.repeat(508))]).toEqual([null, long]);
  expect([problemOf('🔑'.repeat(256), ''), problemOf('🔑'.repeat(257), '')]).toEqual([null, long]);
});

describe('a prefix', () => {
  test.each(['', 'a', 'a/', 'a/b/', 'a/b-', '.a/'])('may be %j', (prefix) => {
    expect(prefixProblemOf(prefix)).toBeNull();
  });

  test.each(['/', '/a', 'a//', 'a//b', '//', 'a\\', 'a/../', './', '..', 'a/.', 'a\n/'])('may not be %j', (prefix) => {
    expect(detailOf(() => refuseKeyPrefix(prefix))).toEqual({
      location: 'body/key_prefix',
      code: 'INVALID_VALUE',
      message: expect.stringMatching(/^must not /),
    });
  });

  test('is at most 512 bytes', () => {
    expect(prefixProblemOf('é'.repeat(256))).toBeNull();
    expect(prefixProblemOf(`${'é'.repeat(256)}x`)).toBe('must be at most 512 bytes of UTF-8');
  });
});

test('no accepted key leaves its prefix, however often it is decoded and however its path is read', () => {
  const piece = fc.constantFrom(
    '.',
    '..',
    '/',
    '\\',
    '%2e',
    '%2E',
    '%2f',
    '%5c',
    '%25',
    '25',
    '2e',
    '2f',
    'a',
    '．',
    '／',
  );
  const text = fc.array(piece, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''));
  let taken = 0;
  fc.assert(
    fc.property(text, text, (prefix, key) => {
      if (prefixProblemOf(`p/${prefix}/`) !== null || problemOf(key, `p/${prefix}/`) !== null) return;
      taken++;
      for (let seen = `p/${prefix}/${key}`, rounds = 0; rounds < 12; rounds++) {
        for (const spelling of [seen, seen.normalize('NFKC')]) {
          expect(new URL(spelling.replaceAll('%', '%25'), 'https://h/').pathname.startsWith('/p/')).toBe(true);
          expect(new URL(spelling, 'https://h/').pathname.startsWith('/p/')).toBe(true);
        }
        seen = seen.replace(/%(2e|2f|5c|25)/gi, decodeURIComponent);
      }
    }),
    { numRuns: 5000 },
  );
  expect(taken).toBeGreaterThan(200);
});
