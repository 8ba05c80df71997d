import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import fs, { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTenant } from '@tenant-open-platform/testing';
import { expect, test, vi } from 'vitest';
import { binary } from '../../test/built-topctl.js';
import { created, FILE, fresh, linesOf, reboot, send } from '../../test/fleet.js';
import { environmentOf, type Outcome, topctl } from '../../test/topctl.js';

test('prints a line of JSON for each command, and leaves no file behind once all are accepted', async () => {
  const world = await fresh();
  await world.write(reboot('offline-1'), '', reboot('offline-2', { idempotency_key: 'mine' }), reboot('offline-1'));
  const outcome = await send(world);
  expect(outcome).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^batch \S+: 3 of 3 accepted\n$/) });
  const accepted = { status: 'ACCEPTED', command_id: expect.any(String), accepted_at: expect.any(String) };
  expect(linesOf(outcome)).toMatchObject([
    { line: 1, device_id: 'offline-1', ...accepted },
    { line: 3, device_id: 'offline-2', idempotency_key: 'mine', ...accepted },
    { line: 4, device_id: 'offline-1', ...accepted },
  ]);
  expect(await created(world)).toHaveLength(3);
  expect(await readdir(world.cwd)).toEqual([FILE]);
});

test('prints as every command: --fields, and control characters of the file as escapes', async () => {
  const world = await fresh();
  await world.write(reboot('offline-1'), reboot('\u009b31m'));
  const outcome = await send(world, '--fields', 'device_id,error.code');
  expect(outcome.stdout).toBe(
    '{"device_id":"offline-1","error":null}\n{"device_id":"\\u009b31m","error":{"code":"VALIDATION_FAILED"}}\n',
  );
  const unknown = await send(world, '--fields', 'completed_at');
  expect(unknown).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('there are line, ') });
});

test('commands create --from does the same, and refuses the flags of a single command', async () => {
  const world = await fresh();
  await world.write(reboot('offline-1'), reboot('offline-2'));
  const from = ['commands', 'create', '--from', FILE];
  const ofOne = ['--vendor', 'vendor_a', '--payload', '{"a":1}', '--idempotency-key', 'k', '--timeout-seconds', '9'];
  expect(await topctl([...from, ...ofOne], world)).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringMatching(/remove (?=.*--vendor)(?=.*--payload)(?=.*--idempotency-key).*--timeout-seconds/),
  });
  expect(await topctl([...from, '-o', 'id'], world)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^([0-9a-f-]{36}\n){2}$/),
  });
  expect((await topctl(['commands', 'create', '--vendor', 'vendor_a'], world)).stderr).toContain(
    'missing --device-id, --command-type',
  );
});

test('with --wait prints every command with its outcome; the exit code is 8 if one did not succeed', async () => {
  const world = await fresh();
  await world.write(reboot('ok-1'), reboot('ok-2'));
  const good = await send(world, '--wait');
  expect(good).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('2 of 2 accepted, 2 succeeded') });
  expect(linesOf(good).map(({ status, result }) => [status, result])).toEqual([
    ['SUCCEEDED', { simulated: true }],
    ['SUCCEEDED', { simulated: true }],
  ]);
  await world.write(reboot('ok-1'), reboot('fail-1'));
  const bad = await send(world, '--wait');
  expect(bad).toMatchObject({ exitCode: 8, stderr: expect.stringContaining('2 of 2 accepted, 1 succeeded') });
  expect(bad.stderr).toContain('did not succeed:\n  1 FAILED DEVICE_FAULT\nNone is safe to send again.\n');
  expect(linesOf(bad)).toContainEqual(
    expect.objectContaining({
      line: 2,
      status: 'FAILED',
      status_reason: expect.objectContaining({ code: 'DEVICE_FAULT' }),
    }),
  );
});

test('what was refused is in a file with its keys, and the corrected file sends only that', async () => {
  const world = await fresh();
  await world.write(
    reboot('offline-1'),
    reboot('offline-2', { vendor: 'vendor_z' }),
    reboot('offline-3', { speed: 1 }),
  );
  const first = await send(world);
  expect(first).toMatchObject({ exitCode: 8, stderr: expect.stringContaining(`The others are in ${FILE}.failed`) });
  expect(linesOf(first)).toMatchObject([
    { line: 1, status: 'ACCEPTED' },
    { line: 2, error: { code: 'VENDOR_NOT_ENABLED' } },
    { line: 3, error: { code: 'VALIDATION_FAILED', details: [{ location: 'body/speed' }] } },
  ]);
  const failed = linesOf({
    stdout: await readFile(join(world.cwd, `${FILE}.failed`), 'utf8'),
    stderr: '',
    exitCode: 0,
  });
  expect(failed).toMatchObject([{ device_id: 'offline-2' }, { device_id: 'offline-3' }]);
  expect(failed.map(({ idempotency_key }) => idempotency_key)).toEqual(
    linesOf(first)
      .slice(1)
      .map(({ idempotency_key }) => idempotency_key),
  );
  await world.write(reboot('offline-1'), reboot('offline-2'), reboot('offline-3'));
  const second = await send(world);
  expect(second).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('1 were accepted by an earlier run') });
  expect(linesOf(second)[0]).toMatchObject({ command_id: linesOf(first)[0].command_id });
  expect(await created(world)).toHaveLength(3);
  expect(await readdir(world.cwd)).toEqual([FILE]);
});

test('what was refused is in the file also with --batch-id, and if the wait for the others is interrupted', async () => {
  const world = await fresh();
  await world.write(reboot('offline-1'), reboot('offline-2', { vendor: 'vendor_z' }));
  const failed = async () => JSON.parse(await readFile(join(world.cwd, `${FILE}.failed`), 'utf8'));
  const batch = ['--batch-id', crypto.randomUUID()];
  expect((await send(world, ...batch)).stderr).toContain(`${FILE}.failed`);
  expect(await failed()).toMatchObject({ device_id: 'offline-2' });
  await fs.unlink(join(world.cwd, `${FILE}.failed`));
  const signals = new EventEmitter();
  const interrupted: typeof fetch = (...request) => {
    if (String(request[0]).includes('command-summary')) signals.emit('SIGINT');
    return fetch(...request);
  };
  const outcome = await send({ ...world, signals, fetch: interrupted }, '--wait', ...batch);
  expect(outcome.stderr).toContain('cancelled');
  expect(await failed()).toMatchObject({ device_id: 'offline-2' });
});

test('a disk that is full before the id of the batch is kept leaves no file, and the next run is complete', async () => {
  const world = await fresh();
  await world.write(reboot('offline-1'));
  const open: typeof fs.open = async (...target) =>
    Object.assign(await fs.open(...target), { writeFile: () => Promise.reject(new Error('no space left')) });
  const refused = await send({ ...world, fs: { ...fs, open } });
  expect(refused).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('no space left') });
  expect(await readdir(world.cwd)).toEqual([FILE]);
  expect(await send(world)).toMatchObject({ exitCode: 0 });
});

test('of two runs of one file at once, the second is told what to do, and the fleet is sent once', async () => {
  const world = await fresh();
  await world.write(reboot('offline-1'), reboot('offline-2'));
  let first: Promise<Outcome> | undefined;
  // The other run gets to the same point: both have seen no file, and this one comes second.
  const link: typeof fs.link = async (...paths) => {
    first = send(world);
    await vi.waitFor(() => fs.stat(join(world.cwd, `${FILE}.batch`)), { timeout: 60_000, interval: 1 });
    return fs.link(...paths);
  };
  const second = await send({ ...world, fs: { ...fs, link } });
  expect(second).toMatchObject({ exitCode: 2, stdout: '' });
  const why = `another topctl is sending ${FILE}, so this one has sent nothing: run this command again only if the other one fails`;
  expect(second.stderr).toBe(`error: ${why}\n`);
  expect(await first).toMatchObject({ exitCode: 0 });
  expect(await created(world)).toHaveLength(2);
});

test('a run that begins while another one sends goes on with its batch, and both say that all are accepted', async () => {
  const world = await fresh();
  await world.write(reboot('offline-1'), reboot('offline-2'));
  let second: Outcome | undefined;
  const whileSending: typeof fetch = async (input, init) => {
    if (String(input).includes('command-batches')) second ??= await send(world);
    return fetch(input, init);
  };
  const first = await send({ ...world, fetch: whileSending });
  expect(first).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('2 of 2 accepted') });
  expect(second).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('2 of 2 accepted') });
  expect(second?.stderr).toMatch(/^Continues batch \S+, which an earlier run has begun/);
  expect(await created(world)).toHaveLength(2);
  expect(await readdir(world.cwd)).toEqual([FILE]);
});

test('a run that begins and ends while another one is about to send does not make it a new batch', async () => {
  const world = await fresh();
  await world.write(reboot('offline-1'), reboot('offline-2'));
  let other: Outcome | undefined;
  const slow: typeof fetch = async (input, init) => {
    if (String(input).endsWith('/open/me')) other ??= await send(world);
    return fetch(input, init);
  };
  expect(await send({ ...world, fetch: slow })).toMatchObject({ exitCode: 0 });
  expect(other).toMatchObject({ exitCode: 0 });
  expect(await created(world)).toHaveLength(2);
});

test('a run that is interrupted after another one has removed the id of the batch says how to send nothing twice', async () => {
  const world = await fresh();
  await world.write(reboot('offline-1'));
  const signals = new EventEmitter();
  const interrupted: typeof fetch = async (input, init) => {
    if (String(input).includes('command-batches')) {
      expect(await send(world)).toMatchObject({ exitCode: 0 });
      signals.emit('SIGINT');
    }
    return fetch(input, init);
  };
  const { stderr } = await send({ ...world, signals, fetch: interrupted });
  const [, batchId = ''] = /cancelled; to continue: the same command with --batch-id (\S+)\n$/.exec(stderr) ?? [];
  expect(await readdir(world.cwd)).toEqual([FILE]);
  expect(await send(world, '--batch-id', batchId)).toMatchObject({ exitCode: 0 });
  expect(await created(world)).toHaveLength(1);
});

test('with --batch-id the last run removes the file that an interrupted one has left', async () => {
  const world = await fresh();
  await world.write(reboot('offline-1'), reboot('offline-2', { vendor: 'vendor_z' }));
  await send(world);
  const batchId = (await readFile(join(world.cwd, `${FILE}.batch`), 'utf8')).trim();
  await world.write(reboot('offline-1'), reboot('offline-2'));
  expect(await send(world, '--batch-id', batchId)).toMatchObject({ exitCode: 0 });
  expect(await readdir(world.cwd)).toEqual([FILE]);
  expect(await created(world)).toHaveLength(2);
});

test('a run that cannot reach the platform leaves no file behind', async () => {
  const world = await fresh();
  await world.write(reboot('offline-1'));
  const env = { ...world.env, TOP_BASE_URL: 'http://127.0.0.1:1' };
  expect((await send({ ...world, env }, '--timeout', '1')).exitCode).toBe(1);
  expect(await readdir(world.cwd)).toEqual([FILE]);
});

test('results are complete even if the file of what was refused cannot be written', async () => {
  const world = await fresh();
  await world.write(reboot('offline-1'), reboot('offline-2', { vendor: 'vendor_z' }));
  const open = () => Promise.reject(new Error('read-only file system'));
  const outcome = await send({ ...world, fs: { ...fs, open } }, '--batch-id', crypto.randomUUID());
  expect(outcome).toMatchObject({
    exitCode: 8,
    stderr: expect.stringMatching(/1 of 2 accepted. The others are not in a file: .*read-only file system/),
  });
});

test('of two runs that end at the same time, both succeed', async () => {
  const world = await fresh();
  await world.write(reboot('offline-1'));
  const unlink: typeof fs.unlink = async (path) => {
    await fs.unlink(path);
    await fs.unlink(path);
  };
  expect(await send({ ...world, fs: { ...fs, unlink } })).toMatchObject({ exitCode: 0 });
});

test('killed in the middle and run again with the same file, no command is created twice', async () => {
  const world = await fresh();
  const devices = Array.from({ length: 1_500 }, (_, index) => `offline-${index}`);
  await world.write(...devices.map((device) => reboot(device, { timeout_seconds: 300 })));
  const running = spawn(process.execPath, [binary, 'commands', 'create-many', '--from', FILE], {
    env: world.env,
    cwd: world.cwd,
  });
  await once(running.stdout, 'data');
  running.kill('SIGKILL');
  await once(running, 'exit');
  await vi.waitFor(async () => expect((await created(world)).length).toBeGreaterThan(0), { timeout: 60_000 });
  const again = await send(world);
  expect(again.exitCode).toBe(0);
  expect(again.stderr).toMatch(/^Continues batch .*\n\d+ were accepted by an earlier run/s);
  expect(linesOf(again)).toHaveLength(devices.length);
  const all = await created(world);
  expect(all).toHaveLength(devices.length);
  expect(new Set(all.map(({ device_id }) => device_id)).size).toBe(devices.length);
  expect(new Set(all.map(({ batch_id }) => batch_id)).size).toBe(1);
});

test('the same file after a complete run is a new batch', async () => {
  const world = await fresh();
  await world.write(reboot('offline-1'));
  await send(world);
  await send(world);
  expect(await created(world)).toHaveLength(2);
});

test('from stdin, the same --batch-id finds the same keys', async () => {
  const world = await fresh();
  const batch = ['--batch-id', crypto.randomUUID()];
  const from = ['commands', 'create-many', '--from', '-', '-o', 'id', ...batch];
  const first = await topctl(from, { ...world, stdin: `${reboot('offline-1')}\n` });
  const second = await topctl(from, { ...world, stdin: reboot('offline-1') });
  expect(second.stdout).toBe(first.stdout);
  const summary = await topctl(['commands', 'summary', ...batch], world);
  expect(JSON.parse(summary.stdout)).toMatchObject({ total: 1 });
});

test('from stdin, the id of the batch is on stderr before anything is sent', async () => {
  const world = await fresh();
  let shown = '';
  const { stderr, exitCode } = await topctl(['commands', 'create-many', '--from', '-', '-o', 'id'], {
    ...world,
    stdin: reboot('offline-1'),
    fetch: (url, init) => {
      if (String(url).includes('command-batches')) shown = JSON.parse(String(init?.body)).batch_id;
      return fetch(url, init);
    },
  });
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(new RegExp(`^batch ${shown}\nbatch ${shown}: 1 of 1 accepted\n$`));
});

test('a terminal shows only the failures, and the counts', async () => {
  const world = await fresh();
  await world.write(reboot('offline-1'), reboot('offline-2', { vendor: 'vendor_z' }));
  const { stdout } = await send({ ...world, table: true });
  expect(stdout).toMatch(/^line 2, offline-2: The vendor is not in the catalog/);
  expect(stdout).not.toContain('offline-1');
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  const summary = await topctl(['commands', 'summary'], { ...world, table: true });
  expect(summary.stdout).toMatch(/^total +1$/m);
});

test.each([
  ['an empty file', '', `${FILE} has no commands`],
  ['a line that is no JSON', `${reboot('a')}\n{`, `line 2 of ${FILE}`],
  ['a line that is no object', '[]', `line 1 of ${FILE} must be a JSON object`],
  ['Latin-1', Buffer.from(`${reboot('a')}\n${reboot('é')}`, 'latin1'), `line 2 of ${FILE} is not UTF-8`],
  ['a number that JSON rounds', reboot('a').replace('{}', '{"n":12345678901234567890}'), `line 1 of ${FILE}`],
])('%s is refused before anything is sent', async (_, text, message) => {
  const world = await fresh();
  await writeFile(join(world.cwd, FILE), text);
  expect(await send(world)).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(message) });
  expect(await readdir(world.cwd)).toEqual([FILE]);
});

test('--dry-run shows the first request, and writes and deletes no file', async () => {
  const world = await fresh();
  await world.write(reboot('offline-1'));
  await writeFile(join(world.cwd, `${FILE}.failed`), 'of an earlier run');
  const { exitCode, stdout } = await send(world, '--dry-run');
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ method: 'POST', body: { commands: [{ device_id: 'offline-1' }] } });
  expect(await readdir(world.cwd)).toEqual([FILE, `${FILE}.failed`]);
});

test('a credential without the scope fails with its exit code, and once', async () => {
  const world = await fresh();
  const { reader } = await createTenant();
  await world.write(reboot('offline-1'), reboot('offline-2'));
  const outcome = await send({ ...world, env: environmentOf(reader) });
  expect(outcome).toMatchObject({ exitCode: 5, stdout: '', stderr: expect.stringContaining('open:command:create') });
});
