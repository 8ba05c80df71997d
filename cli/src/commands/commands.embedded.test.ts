import { EventEmitter } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlatformEvent } from '@tenant-open-platform/sdk';
import { createTenant, nextMillisecond, platform, temporaryFolder } from '@tenant-open-platform/testing';
import { startCuttingProxy } from '@tenant-open-platform/testing/start-cutting-proxy';
import { describe, expect, test, vi } from 'vitest';
import { environmentOf, type Outcome, topctl, unusedSecret, type World } from '../../test/topctl.js';

/** More refused connections than the retries of one call survive. */
const MORE_THAN_RETRIES = 8;

const reboot = ['commands', 'create', '--vendor', 'vendor_a', '--command-type', 'reboot'];

async function fresh(): Promise<World & { cwd: string }> {
  const { operator } = await createTenant();
  return { cwd: temporaryFolder(), env: environmentOf(operator) };
}

test('create and events, as `npm start` prints them', async () => {
  const { demo } = platform();
  const cwd = temporaryFolder();
  await writeFile(join(cwd, 'demo.json'), JSON.stringify(demo), { mode: 0o600 });
  const profile = ['--profile-file', 'demo.json'];
  const create = await topctl([...profile, ...reboot, '--device-id', 'ok-1', '--wait'], { cwd });
  expect(create).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^accepted as [0-9a-f-]{36}\n/) });
  expect(JSON.parse(create.stdout)).toMatchObject({
    vendor: 'vendor_a',
    device_id: 'ok-1',
    command_type: 'reboot',
    payload: {},
    timeout_seconds: 30,
    status: 'SUCCEEDED',
  });
  const events = await topctl([...profile, 'events', 'list'], { cwd });
  expect(events.exitCode).toBe(0);
  expect(JSON.parse(events.stdout)).toContainEqual(expect.objectContaining({ event_type: 'command.accepted' }));
});

test('a wait prints the steps of a long command', async () => {
  const world = await fresh();
  const create = await topctl([...reboot, '--device-id', 'slow-1', '-o', 'id'], world);
  const wait = ['commands', 'wait', create.stdout.trim(), '--wait-seconds', '4'];
  const { exitCode, stdout, stderr } = await topctl(wait, world);
  expect(exitCode).toBe(8);
  expect(JSON.parse(stdout)).toMatchObject({ status: 'DISPATCHED', progress: { of: 8 } });
  const steps = new Set(stderr.match(/device IN_PROGRESS {2}step \d of 8/g));
  expect(steps.size, stderr).toBeGreaterThanOrEqual(2);
});

test('get waits for the next change, or for the final status', async () => {
  const world = await fresh();
  const create = await topctl([...reboot, '--device-id', 'ok-1', '-o', 'id'], world);
  expect(create).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/), stderr: '' });
  const get = ['commands', 'get', create.stdout.trim(), '--wait-seconds', '30'];
  const seen = ['--seen-updated-at', '2026-01-31T09:30:00Z'];
  expect((await topctl([...get, ...seen], world)).exitCode).toBe(0);
  expect(JSON.parse((await topctl(get, world)).stdout)).toMatchObject({ status: 'SUCCEEDED' });
});

describe('the idempotency key', () => {
  test('that was used for the same command returns it, and stderr says so', async () => {
    const world = await fresh();
    const argv = [...reboot, '--device-id', 'd', '--idempotency-key', 'k', '-o', 'id'];
    const first = await topctl(argv, world);
    const second = await topctl(argv, world);
    expect(first).toEqual({ exitCode: 0, stdout: expect.any(String), stderr: '' });
    expect(second).toEqual({ exitCode: 0, stdout: first.stdout, stderr: expect.stringContaining('used before') });
  });

  test('that was used for a different command fails with the exit code of a conflict and names both', async () => {
    const world = await fresh();
    const first = await topctl([...reboot, '--device-id', 'd', '--idempotency-key', 'k', '-o', 'id'], world);
    const second = await topctl([...reboot, '--device-id', 'e', '--idempotency-key', 'k', '-o', 'id'], world);
    expect(second).toMatchObject({ exitCode: 6, stdout: '' });
    expect(second.stderr).toContain(first.stdout.trim());
    expect(second.stderr).toContain('device_id');
  });
});

describe('--payload', () => {
  test.each([
    ['JSON', ['--payload', '{}'], ''],
    ['a file', ['--payload', '@payload.json'], ''],
    ['stdin', ['--payload', '-'], '{}'],
  ])('is read from %s', async (_, flags, stdin) => {
    const world = await fresh();
    await writeFile(join(world.cwd, 'payload.json'), '{}');
    const { exitCode, stderr } = await topctl([...reboot, '--device-id', 'd', ...flags], { ...world, stdin });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });

  test.each([
    ['{', '--payload: expected a name in double quotes, but'],
    ['[]', 'must be a JSON object'],
    ['@nowhere.json', 'cannot read nowhere.json of --payload'],
    ['{"serial": 12345678901234567890}', '--payload/serial: '],
    ['{"speed": 1e999}', '--payload/speed: '],
    ['{"speed": 1e-400}', '--payload/speed: '],
    ['{"a": [{"speed": 9007199254740993}]}', '--payload/a/0/speed: '],
    ['{"speed": 0.12345678901234567891}', '--payload/speed: '],
    ['{"speed": 1, "speed": 2}', '--payload/speed: the name is repeated'],
  ])('%s is refused before anything is sent', async (payload, message) => {
    const env = { TOP_BASE_URL: 'http://127.0.0.1:1', TOP_CLIENT_ID: 'x', TOP_SECRET: unusedSecret };
    const { exitCode, stderr } = await topctl([...reboot, '--device-id', 'd', '--payload', payload], { env });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });

  test('that the schema refuses names each location', async () => {
    const argv = [...reboot, '--device-id', 'd', '--payload', '{"speed": 3}'];
    const { exitCode, stderr } = await topctl(argv, await fresh());
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/\(COMMAND_PAYLOAD_INVALID\)\n {2}--payload.*\n {2}request id: \S+\n$/s);
  });
});

describe('list', () => {
  test('filters, stops at --limit and says so, and reads all pages with --all', async () => {
    const world = await fresh();
    const ids: string[] = [];
    for (const device of ['a', 'b', 'b']) {
      ids.unshift((await topctl([...reboot, '--device-id', device, '-o', 'id'], world)).stdout);
      await nextMillisecond();
    }
    const list = ['commands', 'list', '-o', 'id'];
    expect(await topctl([...list, '--all'], world)).toEqual({ exitCode: 0, stdout: ids.join(''), stderr: '' });
    expect(await topctl([...list, '--device-id', 'a'], world)).toMatchObject({ stdout: ids[2] });
    const everyStatus = ['--status', 'ACCEPTED,DISPATCHED', '--status', 'SUCCEEDED'];
    expect(await topctl([...list, '--all', ...everyStatus], world)).toMatchObject({ stdout: ids.join('') });
    expect(await topctl([...list, '--status', 'CANCELED,EXPIRED'], world)).toMatchObject({ stdout: '' });
    expect(await topctl([...list, '--status', 'GONE'], world)).toMatchObject({ exitCode: 2 });
    expect(await topctl([...list, '--limit', '2'], world)).toEqual({
      exitCode: 0,
      stdout: ids.slice(0, 2).join(''),
      stderr: 'Printed the first 2; more may follow. Use --limit N or --all.\n',
    });
  });

  test('without items is an empty array in JSON, and stderr says so next to a table', async () => {
    const world = await fresh();
    expect(await topctl(['commands', 'list'], world)).toEqual({ exitCode: 0, stdout: '[]\n', stderr: '' });
    expect(await topctl(['commands', 'list', '-o', 'table'], world)).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'No items.\n',
    });
  });
});

test("answers another tenant's command like a missing one", async () => {
  const [mine, theirs] = [await fresh(), await fresh()];
  const { stdout } = await topctl([...reboot, '--device-id', 'd', '-o', 'id'], theirs);
  const foreign = await topctl(['commands', 'get', stdout.trim()], mine);
  const missing = await topctl(['commands', 'get', '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d'], mine);
  expect([foreign.exitCode, missing.exitCode]).toEqual([3, 3]);
});

test('--tenant with another tenant is refused, not ignored', async () => {
  const { operator } = await createTenant();
  const argv = [...reboot, '--device-id', 'd', '--tenant', 'demo'];
  const { exitCode, stdout, stderr } = await topctl(argv, { env: environmentOf(operator) });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(`acts on the tenant of your credential, ${operator.tenant_id};`);
});

describe('the outcome', () => {
  test('--wait prints the final record, and nothing else on stdout', async () => {
    const { exitCode, stdout, stderr } = await topctl([...reboot, '--device-id', 'ok-1', '--wait'], await fresh());
    expect(exitCode).toBe(0);
    const command = JSON.parse(stdout);
    expect(command).toMatchObject({ device_id: 'ok-1', status: 'SUCCEEDED' });
    expect(stderr).toMatch(
      new RegExp(`^accepted as ${command.command_id}\n(.+Z  (ACCEPTED|DISPATCHED)  .+\n)*.+Z  SUCCEEDED  .+\n$`),
    );
  });

  test.concurrent.for(['POST', 'GET'] as const)(
    '--wait continues if the answer to a %s is lost and connections are refused: one command, and its record',
    async (method, { onTestFinished }) => {
      const { operator } = await createTenant();
      const proxy = await startCuttingProxy(operator.base_url, { method, refusals: MORE_THAN_RETRIES });
      onTestFinished(proxy.stop);
      const argv = [...reboot, '--device-id', 'ok-1', '--wait'];
      const waited = await topctl(argv, { env: environmentOf({ ...operator, base_url: proxy.url }) });
      expect(waited.exitCode).toBe(0);
      const { command_id, status } = JSON.parse(waited.stdout);
      expect(status).toBe('SUCCEEDED');
      expect(proxy.refused()).toBe(MORE_THAN_RETRIES);
      const list = await topctl(['commands', 'list', '-o', 'id'], { env: environmentOf(operator) });
      expect(list.stdout).toBe(`${command_id}\n`);
    },
  );

  test('--wait that a refusal ends tells how to continue waiting, not how to send the command again', async () => {
    const world = await fresh();
    const refusing: typeof fetch = (input, init) =>
      init?.method === 'GET'
        ? Promise.resolve(Response.json({ code: 'FORBIDDEN', message: 'No.' }, { status: 403 }))
        : fetch(input, init);
    const { exitCode, stderr } = await topctl([...reboot, '--device-id', 'd', '--wait'], { ...world, fetch: refusing });
    const id = (await topctl(['commands', 'list', '-o', 'id'], world)).stdout.trim();
    expect({ exitCode, stderr }).toEqual({
      exitCode: 5,
      stderr: expect.stringContaining(`topctl commands wait ${id}`),
    });
    expect(stderr).not.toContain('--idempotency-key');
  });

  test.each(['commands create', 'commands wait'])(
    'Ctrl-C during %s tells how to keep waiting: exit code 130',
    async (name) => {
      const world = await fresh();
      const signals = new EventEmitter();
      const create = [...reboot, '--device-id', 'offline-1'];
      const id = name === 'commands wait' && (await topctl([...create, '-o', 'id'], world)).stdout.trim();
      const pressing: typeof fetch = (input, init) => {
        if (init?.method === 'GET') signals.emit('SIGINT');
        return fetch(input, init);
      };
      const argv = id ? ['commands', 'wait', id] : [...create, '--wait'];
      const { exitCode, stdout, stderr } = await topctl(argv, { ...world, fetch: pressing, signals });
      expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: '' });
      const sent = (await topctl(['commands', 'list', '-o', 'id'], world)).stdout.trim();
      expect(stderr).toContain(`cancelled\n  the command goes on; to wait for it: topctl commands wait ${sent}\n`);
    },
  );

  test('--wait with a used idempotency key says so', async () => {
    const world = await fresh();
    const argv = [...reboot, '--device-id', 'ok-1', '--idempotency-key', 'k', '--wait'];
    expect((await topctl(argv, world)).stderr).not.toContain('used before');
    expect(await topctl(argv, world)).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('used before') });
  });

  test('of a command that failed is exit code 8, with the record and the reason', async () => {
    const { exitCode, stdout, stderr } = await topctl([...reboot, '--device-id', 'fail-1', '--wait'], await fresh());
    expect(exitCode).toBe(8);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'FAILED' });
    expect(stderr).toContain('error: the command ended as FAILED: The simulated device failed. (DEVICE_FAULT)\n');
  });

  test('that does not arrive in time is exit code 8, with the record so far and how to continue waiting', async () => {
    const world = await fresh();
    const id = (await topctl([...reboot, '--device-id', 'offline-1', '-o', 'id'], world)).stdout.trim();
    const { exitCode, stdout, stderr } = await topctl(['commands', 'wait', id, '--wait-seconds', '1'], world);
    expect(exitCode).toBe(8);
    expect(JSON.parse(stdout)).toMatchObject({ command_id: id, completed_at: null });
    expect(stderr).toContain(`to keep waiting: topctl commands wait ${id}\n`);
  });

  test('watch prints a line for each state until the final one', async () => {
    const world = await fresh();
    const watched = async (device: string, format: string) => {
      const id = (await topctl([...reboot, '--device-id', device, '-o', 'id'], world)).stdout.trim();
      return topctl(['commands', 'watch', id, '-o', format], world);
    };
    const succeeded = await watched('ok-1', 'ndjson');
    expect(succeeded).toMatchObject({ exitCode: 0, stderr: '' });
    const statuses = succeeded.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).status);
    expect(statuses.at(-1)).toBe('SUCCEEDED');
    const failed = await watched('fail-1', 'table');
    expect(failed).toMatchObject({ exitCode: 8, stderr: expect.stringContaining('DEVICE_FAULT') });
    expect(failed.stdout).toMatch(/^\S+Z {2}FAILED {2}adapter \w+ {2}device \w+\n$/m);
  });

  test('can no longer be canceled, and is in the event log', async () => {
    const world = await fresh();
    const id = (await topctl([...reboot, '--device-id', 'ok-1', '--wait', '-o', 'id'], world)).stdout.trim();
    expect(await topctl(['commands', 'cancel', id], world)).toMatchObject({
      exitCode: 6,
      stdout: '',
      stderr: expect.stringContaining('COMMAND_NOT_CANCELABLE'),
    });
    const list = ['events', 'list', '--command-id', id];
    const events = JSON.parse((await topctl(list, world)).stdout);
    expect(events).toMatchObject([{ event_type: 'command.accepted' }, { event_type: 'command.completed' }]);
    const table = await topctl([...list, '--wait-seconds', '1', '-o', 'table'], world);
    expect(table.stdout).toMatch(new RegExp(`^OCCURRED_AT .*\\n.*command.accepted +${id} +ok-1 +ACCEPTED\\n`));
    const followed = await topctl([...list, '--wait-seconds', '1', '--limit', '2', '-o', 'id'], world);
    expect(followed.stdout.split('\n')).toHaveLength(3);
  });
});

describe('the event log', () => {
  const list = ['events', 'list', '--event-type', 'command.accepted'];
  const cursorOf = ({ stderr }: Outcome) => /^To continue from here: --cursor (\S+)$/m.exec(stderr)?.[1] ?? 'none';

  /** A tenant with three commands and their command.accepted events. */
  async function withEvents() {
    const world = await fresh();
    const ids: string[] = [];
    for (const device of ['a', 'b', 'c']) {
      ids.push((await topctl([...reboot, '--device-id', device, '-o', 'id'], world)).stdout.trim());
    }
    const read = async (...flags: string[]) => {
      const outcome = await topctl([...list, ...flags], world);
      return { ...outcome, ids: JSON.parse(outcome.stdout).map((event: PlatformEvent) => event.data.command_id) };
    };
    await vi.waitFor(async () => expect((await read()).ids).toEqual(ids), { timeout: 60_000 });
    return { world, ids, read };
  }

  test('continues from where the last list ended', async () => {
    const { world, ids, read } = await withEvents();
    const first = await read('--limit', '2');
    expect(first.ids).toEqual(ids.slice(0, 2));
    const second = await read('--cursor', cursorOf(first));
    expect(second.ids).toEqual(ids.slice(2));
    const third = await read('--cursor', cursorOf(second), '--wait-seconds', '1');
    expect(third.ids).toEqual([]);
    expect(cursorOf(third)).toBe(cursorOf(second));
    const streamed = await topctl([...list, '--cursor', cursorOf(first), '-o', 'ndjson'], world);
    expect(JSON.parse(streamed.stdout)).toMatchObject({ data: { command_id: ids[2] } });
    expect(streamed.stderr).toBe(`To continue from here: --cursor ${cursorOf(second)}\n`);
  });

  test('prints a cursor after every page while it follows the log', async () => {
    const { world, ids, read } = await withEvents();
    let pages = 0;
    const breaking: typeof fetch = async (input, init) => {
      pages += 1;
      return pages === 1 ? fetch(input, init) : Response.json({ code: 'FORBIDDEN', message: 'No.' }, { status: 403 });
    };
    const follow = [...list, '--wait-seconds', '30', '--all', '-o', 'id'];
    const followed = await topctl(follow, { ...world, fetch: breaking });
    expect(followed).toMatchObject({ exitCode: 5, stdout: expect.stringMatching(/^(\S+\n){3}$/) });
    const later = (await topctl([...reboot, '--device-id', 'd', '-o', 'id'], world)).stdout.trim();
    expect(ids).not.toContain(later);
    expect((await read('--cursor', cursorOf(followed), '--wait-seconds', '30')).ids).toEqual([later]);
  });

  test('whose answers repeat a cursor is an error, not a list without end', async () => {
    const pages: typeof fetch = async () =>
      Response.json({ items: [{ event_id: 'e' }], next_cursor: 'same', request_id: 'r' });
    for (const flags of [['--all'], ['--all', '--wait-seconds', '1', '-o', 'ndjson']]) {
      const { exitCode, stderr } = await topctl([...list, ...flags], { ...(await fresh()), fetch: pages });
      expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('repeats a cursor') });
    }
  });

  test('prints a cursor after the last printed event, even if a limit ends within a page', async () => {
    const asked: [string | null, string | null][] = [];
    const pages: typeof fetch = async (input) => {
      const query = new URL(String(input)).searchParams;
      asked.push([query.get('limit'), query.get('cursor')]);
      const items = Array.from({ length: Number(query.get('limit')) }, (_, index) => ({ event_id: `${index}` }));
      return Response.json({ items, next_cursor: `c${asked.length}`, request_id: 'r' });
    };
    const world = { ...(await fresh()), fetch: pages };
    const outcome = await topctl(['events', 'list', '--limit', '501', '-o', 'json'], world);
    expect(JSON.parse(outcome.stdout)).toHaveLength(501);
    expect(asked).toEqual([
      ['500', null],
      ['1', 'c1'],
    ]);
    expect(outcome.stderr).toMatch(/^To continue from here: --cursor c2\nPrinted the first 501;/);
  });
});
