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

test('a target that is no path: an empty list, and the path to write instead, which works', async () => {
  const { admin, reader, tenant_id } = await createTenant();
  const world = { env: environmentOf(admin) };
  await topctl(['credentials', 'update', reader.client_id, '--name', 'Renamed'], world);
  const list = (target: string) => topctl(['audit-events', 'list', '--target', target], world);
  const empty = await list(reader.client_id);
  expect(JSON.parse(empty.stdout)).toEqual([]);
  const [, path = ''] = /such as (platform\S+)\./.exec(empty.stderr) ?? [];
  const found = await list(path);
  expect(JSON.parse(found.stdout)).toEqual([
    expect.objectContaining({ target: path, operation: 'credentials.update' }),
    expect.objectContaining({ target: path, operation: 'credentials.create' }),
  ]);
  expect((await list(`platform/tenants/${tenant_id}/credentials/nobody`)).stderr).toBe('');
});
