import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { addressOf } from './place.js';
import { operatorOf } from './steps.js';

test('the address of a database has neither login nor parameters: whatever stands in them', () => {
  expect(addressOf('postgres://u:p@db.example:5432/top?password=se@cret/x')).toBe('db.example:5432/top');
  expect(addressOf('postgres://u:p@one:5432,two/top?sslmode=require')).toBe('one:5432/top,two/top');
  expect(addressOf('postgres://localhost')).toBe('localhost');
});

test('a user without a name, as containers have it, does not stop a move', () => {
  const read = () => {
    throw new Error('ENOENT: no such file or directory, uv_os_get_passwd');
  };
  expect(operatorOf(read)).toBe(`uid ${process.getuid?.()}@${hostname()}`);
  expect(operatorOf()).toMatch(/.@./);
});
