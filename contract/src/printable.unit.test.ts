import { describe, expect, test } from 'vitest';
import { printable } from './printable.js';

const accepts = (text: string) => printable(128).safeParse(text).success;

describe('accepts', () => {
  test.each([
    ['Persian with a non-joiner between letters', 'می\u200cخواهم'],
    ['a Persian plural', 'کتاب\u200cها'],
    ['a Persian abbreviation that ends with a joiner', 'ه\u200d.ش'],
    ['a non-joiner behind a vowel mark', 'نامهٔ\u200cها'],
    ['Hindi with a joiner behind a virama', 'क्\u200dष'],
    ['Hindi with a non-joiner behind a virama', 'क्\u200cष'],
    ['Bengali with a joiner before the virama', 'র\u200d্যাব'],
    ['a Malayalam chillu at the end', 'അവന്\u200d'],
    ['Sinhala', 'ශ්\u200dරී ලංකාව'],
    ['a family', '👨\u200d👩\u200d👧\u200d👦'],
    ['a couple with skin tones', '🧑🏽\u200d❤️\u200d🧑🏻'],
    ['a rainbow flag', '🏳️\u200d🌈'],
    ['a flag of two letters', '🇩🇪'],
    ['German, Chinese and Korean', 'Größe 温度 온도'],
    ['Arabic with vowel marks', 'مَرْحَبًا'],
  ])('%s', (_, text) => {
    expect(accepts(text)).toBe(true);
  });
});

describe('refuses', () => {
  test.each([
    ['a joiner between Latin letters', 'ad\u200dmin'],
    ['a non-joiner between Latin letters', 'ad\u200cmin'],
    ['a non-joiner between digits', '1\u200c2'],
    ['a joiner at the beginning', '\u200dख'],
    ['a joiner behind a space', 'ख \u200dख'],
    ['two joiners in a row', 'می\u200c\u200cخواهم'],
    ['a joiner behind an emoji and nothing', '👨\u200d'],
    ['a joiner between an emoji and a letter', '👨\u200da'],
    ['a non-joiner between emoji', '👨\u200c👩'],
    ['a Latin letter behind Arabic marks and a joiner', 'a\u064b\u200c'],
    ['a zero-width space', 'a\u200bb'],
    ['a byte order mark', '\ufeffa'],
    ['a right-to-left override', 'abc\u202egnp.exe'],
    ['an embedding', 'a\u202ab\u202c'],
    ['an isolate', 'a\u2066b\u2069'],
    ['a right-to-left mark', 'م\u200f'],
    ['a soft hyphen', 'a\u00adb'],
    ['a line break', 'a\nb'],
    ['a line separator', 'a\u2028b'],
    ['NUL', 'a\0'],
    ['a private-use character', '\ue000'],
    ['half a surrogate pair', '\ud83d'],
    ['nothing', ''],
  ])('%s', (_, text) => {
    expect(accepts(text)).toBe(false);
  });
});

test('counts characters, not the code units of an emoji', () => {
  expect(accepts('👍'.repeat(128))).toBe(true);
  expect(accepts('👍'.repeat(129))).toBe(false);
  expect(accepts('a'.repeat(129))).toBe(false);
});

test('decides in linear time on what looks like a word to its last character', () => {
  const long = printable(100_000);
  const syllables = 'क्\u200d'.repeat(30_000);
  expect(long.safeParse(syllables).success).toBe(true);
  expect(long.safeParse(`${syllables}\n`).success).toBe(false);
});
