import { EventEmitter } from 'node:events';
import { createTenant, nextMillisecond } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { environmentOf, topctl } from '../../test/topctl.js';

test('tail prints earlier and new audit events once, oldest first, until Ctrl-C', async () => {
  const { admin, reader } = await createTenant();
  const world = { env: environmentOf(admin) };
  const rename = async (name: string) => {
    await nextMillisecond();
    await topctl(['credentials', 'update', reader.client_id, '--name', name], world);
  };
  await rename('First');
  await rename('Second');
  const signals = new EventEmitter();
  let lists = 0;
  const counting: typeof fetch = async (input, init) => {
    const isList = String(input).includes('/audit-events');
    if (isList && ++lists === 2) await rename('Third');
    if (isList && lists === 3) signals.emit('SIGINT');
    return fetch(input, init);
  };
  const argv = ['audit-events', 'tail', '--since', '1h', '--operation', 'credentials.update', '-o', 'ndjson'];
  const { exitCode, stdout } = await topctl(argv, { ...world, fetch: counting, signals });
  expect(exitCode).toBe(130);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ operation }) => operation)).toEqual(Array(3).fill('credentials.update'));
  const instants = lines.map(({ occurred_at }) => occurred_at);
  expect(instants).toEqual([...new Set(instants)].sort());
});
