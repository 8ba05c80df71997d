import { allOperations } from '@tenant-open-platform/contract';
import { expect, test } from 'vitest';
import { items } from './file-schema.js';
import { kinds, type ListName } from './kinds.js';

const lists = Object.keys(kinds) as ListName[];

test.each(lists)('%s: every field that a file may give is compared, and written by export', (list) => {
  const { key, fields, lists: below = [] } = kinds[list];
  expect(Object.keys(items[list].shape).sort()).toEqual([...key, ...fields, ...below].sort());
});

test.each(lists)('%s has the name of a resource of the API', (list) => {
  const resource = list.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  expect(allOperations.map(({ name }) => name)).toContain(`${resource}.list`);
});
