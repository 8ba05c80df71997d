import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { CommandFigures, PlatformEvent, PlatformState } from '@tenant-open-platform/sdk';
import { createCredential, createTenant, platform } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { environmentOf, topctl, type World } from '../../test/topctl.js';
import type { Context } from '../context.js';
import { widthOf } from '../output/text-width.js';
import { platformFrame, tenantFrame } from './frame.js';

const { admin, operator } = await createTenant();
const env = environmentOf(operator);

const send = (device: string) =>
  topctl(
    [
      'commands',
      'create',
      '--vendor',
      'vendor_a',
      '--device-id',
      device,
      '--command-type',
      'reboot',
      '--wait',
      '-o',
      'id',
    ],
    { env },
  );
await Promise.all(['ok-1', 'ok-2', 'fail-1'].map(send));

/** A keyboard in raw mode while `isRaw`. */
function terminal() {
  const modes: boolean[] = [];
  const keys = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (isRaw: boolean) => modes.push(isRaw) });
  return { keys, modes };
}

/** Types the keys once a request waits for an event: then a frame is drawn. */
const typing = (keys: PassThrough, typed: string): World['fetch'] => {
  return (input, init) => {
    if (String(input).includes('wait_seconds')) keys.write(typed);
    return fetch(input, init);
  };
};

const tooWide = (text: string) => text.split('\n').filter((line) => widthOf(line) > 80);

test('in a pipe, a tenant gets one frame of 80 columns: outcomes, durations, vendors', async () => {
  const { exitCode, stdout, stderr } = await topctl(['top'], { env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(tooWide(stdout)).toEqual([]);
  expect(stdout).toMatch(/^Tenant \S+ +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\n/);
  expect(stdout).toMatch(/^SUCCEEDED +\d +2$/m);
  expect(stdout).toMatch(/^FAILED +\d +1$/m);
  expect(stdout).toMatch(/^p99, seconds +\S+ +\d+\.\d\d$/m);
  expect(stdout).toMatch(/^vendor_a +3 +66 % +\d+\.\d\d +\d+\.\d\d/m);
  expect(stdout).not.toContain('parked');
});

test('a platform administrator sees waiting rows, workers and vendors', async () => {
  await send('ok-1');
  const { exitCode, stdout } = await topctl(['top'], { env: environmentOf(platform().admin) });
  expect(exitCode).toBe(0);
  expect(tooWide(stdout)).toEqual([]);
  expect(stdout).toMatch(/^waiting: outbox \d+/m);
  expect(stdout).toMatch(/^\S+ +16 +yes/m);
  // Other test files create vendors, so vendor_a may be among those that are not shown.
  expect(stdout).toMatch(/^\S+ +(reads|NO ADAPTER YET|NOT FOR \d+ MIN)$/m);
});

test('a vendor that nobody reads is shown first, however many others are busy', () => {
  const now = new Date();
  const names = Array.from({ length: 9 }, (_, number) => `busy-${number}`);
  const counts = { SUCCEEDED: 5 };
  const groups = names.map((vendor) => ({ vendor, total: 5, counts, duration_ms: null, points: [] }));
  const figures = { to: now.toISOString(), counts, points: [], groups, duration_ms: null };
  const vendors = [...names, 'unread'].map((vendor) => ({
    vendor,
    last_read_at: vendor === 'unread' ? null : now.toISOString(),
    command_types: [],
  }));
  const frame = tenantFrame({ env: {}, stdout: { isTTY: false } } as unknown as Context, {
    tenant: 'acme',
    now,
    figures: figures as unknown as CommandFigures,
    catalog: { vendors, request_id: 'r' },
    parked: undefined,
  });
  expect(frame).toMatch(/LAST READ *\nunread +0 .*NO ADAPTER YET/);
  expect(frame).toContain('and 2 more');
});

test('the longest names of vendors fit into 80 columns', () => {
  const vendor = `vendor-${'x'.repeat(56)}`;
  const context = { env: {}, stdout: { isTTY: false } } as unknown as Context;
  const now = new Date();
  const long = { vendor, enabled: true, last_read_at: '2026-01-31T09:45:00.000Z' };
  const state = { slots: [], workers: [], parked_messages: 0, vendors: [long] };
  const waiting = { waiting: 0, oldest_seconds: null };
  const counts = { SUCCEEDED: 123_456 };
  const duration_ms = { p50: 299_990, p95: 299_990, p99: 299_990 };
  const group = { vendor, total: 123_456, counts, duration_ms, points: [] };
  const figures = { to: now.toISOString(), counts, points: [], groups: [group], duration_ms };
  const frames = [
    platformFrame(context, { ...state, outbox: waiting, events: waiting, request_id: 'r' } as PlatformState, now),
    tenantFrame(context, {
      tenant: 'acme',
      now,
      figures: figures as unknown as CommandFigures,
      catalog: { vendors: [{ ...long, command_types: [] }], request_id: 'r' },
      parked: undefined,
    }),
  ];
  for (const frame of frames) {
    expect(frame).toContain('vendor-xxx');
    expect(tooWide(frame)).toEqual([]);
  }
});

test('without a scope for figures it says which it needs', async () => {
  const { exitCode, stderr } = await topctl(['top'], { env: environmentOf(admin) });
  expect({ exitCode, stderr }).toEqual({ exitCode: 5, stderr: expect.stringContaining('--scope open:command:read') });
});

test('a tenant sees its parked messages if it may', async () => {
  const both = await createCredential(admin.tenant_id ?? '', { role: 'tenant_admin' });
  const grant = ['role-bindings', 'create', '--client-id', both.client_id, '--role', 'integration_reader'];
  expect((await topctl(grant, { env: environmentOf(admin) })).exitCode).toBe(0);
  expect((await topctl(['top'], { env: environmentOf(both) })).stdout).toContain('parked messages: 0\n');
});

test.each([
  ['q', 0],
  ['\u0003', 130],
])('%j ends it with exit code %i, and the terminal is as it was', async (key, expected) => {
  const { keys, modes } = terminal();
  const { exitCode, stdout } = await topctl(['top'], { env, keys, table: true, fetch: typing(keys, key) });
  expect(exitCode).toBe(expected);
  expect(modes).toEqual([true, false]);
  expect(stdout.startsWith('\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[HTenant ')).toBe(true);
  expect(stdout.endsWith('\u001b[?7h\u001b[?25h\u001b[?1049l')).toBe(true);
  expect(keys.listenerCount('data')).toBe(0);
});

test('an event draws the next frame', async () => {
  const { keys } = terminal();
  const totals: number[] = [];
  const fetchAndSend: typeof fetch = async (input, init) => {
    if (String(input).includes('wait_seconds')) {
      if (totals.length === 1) void send('ok-3');
      // A frame shows the new command.
      if ((totals.at(-1) ?? 0) > (totals[0] ?? 0)) keys.write('q');
    }
    const answer = await fetch(input, init);
    if (String(input).includes('command-figures')) {
      totals.push(((await answer.clone().json()) as { total: number }).total);
    }
    return answer;
  };
  const { stdout } = await topctl(['top'], { env, keys, table: true, fetch: fetchAndSend });
  const shown = [...stdout.matchAll(/vendor_a +(\d+) /g)].map(([, total]) => Number(total));
  expect(shown).toEqual(totals);
  expect(shown.length).toBeGreaterThan(1);
});

test('a signal ends it, and the terminal is as it was', async () => {
  const { keys, modes } = terminal();
  const signals = new EventEmitter();
  const interrupting: typeof fetch = (input, init) => {
    if (String(input).includes('wait_seconds')) signals.emit('SIGTERM');
    return fetch(input, init);
  };
  const { exitCode, stdout } = await topctl(['top'], { env, keys, table: true, fetch: interrupting, signals });
  expect(exitCode).toBe(130);
  expect(modes).toEqual([true, false]);
  expect(stdout.endsWith('\u001b[?1049l')).toBe(true);
});

test.each([
  ['accepted or ends', 9, ['--device-id', 'ok-9'], ['ok-9 ACCEPTED', 'ok-9 SUCCEEDED']],
  ['ends for a reason', 11, ['--device-id', 'fail-11', '--reason', 'DEVICE_FAULT'], ['fail-11 FAILED']],
  ['ends in a time', 12, ['--device-id', 'ok-12', '--completed-after', '2026-01-01T00:00:00Z'], ['ok-12 SUCCEEDED']],
])('"commands list --watch" prints each command that is %s, once', async (_, number, flags, expected) => {
  const signals = new EventEmitter();
  let isSent = false;
  let hasRead = false;
  const watching: typeof fetch = async (input, init) => {
    if (!String(input).includes('wait_seconds')) return fetch(input, init);
    if (hasRead) signals.emit('SIGINT');
    if (!isSent) void send(`ok-${number}`).then(() => send(`fail-${number}`));
    isSent = true;
    const answer = await fetch(input, init);
    const { items = [] } = (await answer.clone().json()) as { items?: PlatformEvent[] };
    // It is sent last. The next request comes when these events are printed.
    hasRead ||= items.some(({ data }) => data.device_id === `fail-${number}` && data.completed_at !== null);
    return answer;
  };
  const list = ['commands', 'list', ...flags];
  expect((await topctl([...list, '-o', 'id'], { env })).stdout).toBe('');
  const { exitCode, stdout } = await topctl([...list, '--watch', '-o', 'ndjson'], { env, fetch: watching, signals });
  expect(exitCode).toBe(130);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ device_id, status }) => `${device_id} ${status}`)).toEqual(expected);
});

test('"commands list --watch" prints nothing older than what it has listed', async () => {
  const signals = new EventEmitter();
  let isSent = false;
  const racing: typeof fetch = async (input, init) => {
    const url = String(input);
    // The command is accepted and ends after the position was taken, and before the list is read.
    if (url.includes('/downlink/commands?') && !isSent) {
      isSent = true;
      await send('ok-10');
    }
    const answer = await fetch(input, init);
    if (url.includes('wait_seconds')) signals.emit('SIGINT');
    return answer;
  };
  const list = ['commands', 'list', '--device-id', 'ok-10', '--watch', '-o', 'ndjson'];
  const { stdout } = await topctl(list, { env, fetch: racing, signals });
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).status),
  ).toEqual(['SUCCEEDED']);
});

/** A platform with or without a console. */
const platformWith = (hasConsole: boolean): typeof fetch => {
  return (input, init) =>
    String(input).endsWith('/console')
      ? Promise.resolve(new Response('', { status: hasConsole ? 200 : 404 }))
      : fetch(input, init);
};

test('"open" opens a page in a terminal, and prints its URL in a pipe', async () => {
  const opened: string[] = [];
  const openInBrowser = async (url: string) => opened.push(url) > 0;
  const open = (page: string[], world: World = {}, hasConsole = true) =>
    topctl(['open', ...page], { env, fetch: platformWith(hasConsole), openInBrowser, ...world });
  const url = operator.base_url;
  const inTerminal = await open([], { table: true });
  expect(inTerminal).toEqual({ exitCode: 0, stdout: '', stderr: `opened ${url}/console\n` });
  expect(opened).toEqual([`${url}/console`]);
  expect((await open([])).stdout).toBe(`${url}/console\n`);
  expect((await open([], {}, false)).stdout).toBe(`${url}/docs\n`);
  expect((await open(['guides'])).stdout).toBe(`${url}/docs/guides\n`);
  const command = '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d';
  expect((await open([command])).stdout).toBe(`${url}/console#/commands/${command}\n`);
  const missing = await open([command], {}, false);
  expect(missing).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('has no console') });
  expect(await open(['consul'])).toMatchObject({ exitCode: 2 });
  // No program that opens URLs.
  const without = await open([], { table: true, openInBrowser: async () => false });
  expect(without.stdout).toBe(`${url}/console\n`);
  expect(opened).toHaveLength(1);
});
