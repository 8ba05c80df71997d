import { expect, test } from 'vitest';
import { operations } from '../operations.gen.js';
import { listedIds } from './whole-id.js';

test('the end of each id that the platform generates is accepted', () => {
  const generated = Object.values(operations)
    .flatMap(({ path }) => Object.entries<string>(path))
    .flatMap(([name, description]) => (description.includes('UUID') ? [name] : []));
  expect([...new Set(generated)].sort()).toEqual([...listedIds].sort());
});
