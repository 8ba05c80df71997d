import { expect, test } from 'vitest';
import { runMain } from '../../../test/support/private-platform.js';

const since = ['--since', '2026-01-31T09:30:00Z'];
const postgres = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', KEYRING: 'none' };

test.each([
  ['without --since', [], '--since is required'],
  ['a time that is not RFC 3339', ['--since', 'yesterday'], '--since must be RFC 3339'],
  ['a day that is not in the calendar', ['--since', '2026-02-30T09:30:00Z'], 'is not a valid date'],
  ['an unknown flag', [...since, '--until', '2026-01-31T09:30:00Z'], '--until'],
  ['an extra argument', [...since, 'acme'], 'acme'],
])('outbox republish refuses %s in one line', async (_, args, problem) => {
  const { exitCode, stdout, stderr } = await runMain(['outbox', 'republish', ...args], {});
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(
    /^outbox republish: .* Usage: outbox republish --since <RFC 3339> \[--tenant <tenant_id>\]\n$/,
  );
  expect(stderr).toContain(problem);
});

test.each([
  ['on the embedded database', { NATS_URL: 'nats://127.0.0.1:1' }],
  ['with the bus inside a process', postgres],
])('outbox republish is refused %s in one line', async (_, environment) => {
  const { exitCode, stdout, stderr } = await runMain(['outbox', 'republish', ...since], environment);
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^outbox republish needs the DATABASE_URL and the NATS_URL of the platform: .*\n$/);
});
