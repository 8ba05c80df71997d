import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { messageLines } from './message.js';

const on = (isTTY: boolean, columns: number, text: string) =>
  messageLines(Object.assign(new PassThrough(), { isTTY, columns }), text);

const long = `  next: topctl role-bindings create --role 'my role' --tenant acme`;

test('a terminal gets whole words in lines that fit, and commands that can be pasted', () => {
  expect(on(true, 30, `Credential acme-app is created, 保存済み。\n${long}`).split('\n')).toEqual([
    'Credential acme-app is',
    '  created, 保存済み。',
    '  next: topctl role-bindings \\',
    "    create --role 'my role' \\",
    '    --tenant acme',
  ]);
});

test('a word that is wider than the terminal is not broken, because it may be copied', () => {
  const url = `https://platform.example.com/${'a'.repeat(40)}`;
  expect(on(true, 30, `warning: see ${url} now`).split('\n')).toEqual(['warning: see', `  ${url}`, '  now']);
});

test('columns stay aligned, and a flag to add is a part of a command', () => {
  expect(on(true, 30, '  --profile   a saved profile, by its name')).toBe(
    '  --profile   a saved profile,\n    by its name',
  );
  expect(on(true, 30, `To continue from here: --cursor ${'a'.repeat(12)}`)).toBe(
    `To continue from here:\n  --cursor ${'a'.repeat(12)}`,
  );
});

test('a terminal that gives no width gets lines of 80 columns', () => {
  expect(on(true, 0, long)).toBe(long);
});

test('a pipe gets the lines as they are', () => {
  expect(on(false, 30, long)).toBe(long);
});
