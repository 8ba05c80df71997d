import { expect, test } from 'vitest';
import { credential } from '../test/fake-fetch.js';
import { secretProblem } from './secret.js';

const { secret } = credential;

test('accepts a secret whose checksum matches', () => {
  expect(secretProblem(secret)).toBeNull();
});

test('accepts a secret without the prefix, which has no checksum', () => {
  expect(secretProblem('anything-else')).toBeNull();
});

test('detects every single wrong character', () => {
  for (let i = 4; i < secret.length; i += 1) {
    const wrong = secret.slice(0, i) + (secret[i] === 'x' ? 'y' : 'x') + secret.slice(i + 1);
    expect(secretProblem(wrong), `character ${i}`).toMatch(/typo/);
  }
});

test.each([
  ['a character is missing', secret.slice(0, -1), /49 letters and digits, but has 48/],
  ['a character is too much', `${secret}0`, /but has 50/],
  ['a line break was copied too', `${secret}\n`, /line breaks/],
  ['a character is not ASCII', secret.replace('3', '３'), /other characters/],
])('reports that %s', (_, wrong, message) => {
  expect(secretProblem(wrong)).toMatch(message);
});

test('never quotes the secret', () => {
  expect(secretProblem(`${secret}0`)).not.toContain(secret.slice(4, 10));
});
