import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Command } from '@tenant-open-platform/sdk';
import { temporaryFolder } from '@tenant-open-platform/testing';
import { expect, type TestContext, test, vi } from 'vitest';
import { type AdapterProgram, type Clocks, type MovedPlatform, startMovedPlatform } from './support/moved-platform.js';

const run = promisify(execFile);
const HOUR_MS = 3_600_000;
const soon = { timeout: 60_000, interval: 50 };

// A process that is started listens for the end of this one.
process.setMaxListeners(100);

const right: Clocks = { node: 0, postgres: 0, adapter: 0 };
const clocks: [name: string, clocks: (aheadMs: number) => Clocks][] = [
  ['the process of the platform', (node) => ({ ...right, node })],
  ['Postgres', (postgres) => ({ ...right, postgres })],
  ['the process of the platform and Postgres', (ahead) => ({ ...right, node: ahead, postgres: ahead })],
  ['the adapter', (adapter) => ({ ...right, adapter })],
  // Nothing gives a program in Go a clock of its own. That all others are behind is the same as that NATS is ahead.
  ['NATS', (ahead) => ({ node: -ahead, postgres: -ahead, adapter: -ahead })],
];

const folder = temporaryFolder();
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
async function installPython(): Promise<void> {
  await run('python3', ['-m', 'venv', folder]);
  const constraints = at('../../examples/python-adapter/constraints.txt');
  await run(join(folder, 'bin/python'), ['-m', 'pip', 'install', '-q', '-c', constraints, 'nats-py[nkeys]']);
}

const adapters: AdapterProgram[] = [
  {
    vendor: 'vendor_a',
    argv: [process.execPath, at('support/kit-adapter.mjs')],
    serves: 'Serving vendor_a for demo.',
  },
  {
    vendor: 'vendor_b',
    argv: [join(folder, 'bin/python'), at('../../examples/python-adapter/adapter.py')],
    serves: 'Reads demo+vendor_b on TOP_COMMANDS.',
  },
];

const vendors = adapters.map(({ vendor }) => vendor);
const cases = await Promise.all(
  clocks.flatMap(([clock, clocksOf]) =>
    [HOUR_MS, -HOUR_MS].map(async (aheadMs) => {
      const name = `the clock of ${clock} is an hour ${aheadMs > 0 ? 'ahead' : 'behind'}`;
      return [name, await startMovedPlatform(clocksOf(aheadMs), vendors)] as const;
    }),
  ),
);
await installPython();

/** The commands for one adapter. Each has a device of its own, by which the adapter names it. */
function callerOf({ client: { commands } }: MovedPlatform, vendor: string) {
  const send = (device: string, timeout_seconds: number, command_type = 'reboot') =>
    commands.create({ vendor, device_id: `demo-${device}`, command_type, payload: {}, timeout_seconds });
  const until = (id: string, wanted: Partial<Command>) =>
    vi.waitFor(async () => expect(await commands.get(id)).toMatchObject(wanted), soon);
  return {
    /** Resolves to its id. */
    async send(device: string, timeoutSeconds: number, type?: string) {
      return (await send(device, timeoutSeconds, type)).command_id;
    },
    /** Resolves to its id when it is on the bus. */
    async sendAhead(device: string, timeoutSeconds: number) {
      const { command_id } = await send(device, timeoutSeconds);
      await until(command_id, { adapter_status: 'SENT' });
      return command_id;
    },
    until,
  };
}

async function expectDeadlinesKept(platform: MovedPlatform, program: AdapterProgram, context: TestContext) {
  const { deviceRequests } = platform.client;
  const { send, sendAhead, until } = callerOf(platform, program.vendor);
  const first = await platform.launch(program, context);
  await until(await send('in-time', 300), { status: 'SUCCEEDED' });
  const asking = await send('asking', 300, 'update_firmware');
  const asked = await vi.waitFor(async () => {
    const [request] = await deviceRequests.list({ vendor: program.vendor }).toArray();
    expect(request).toMatchObject({ device_id: 'demo-asking', status: 'PENDING' });
    return request?.device_request_id as string;
  }, soon);
  await deviceRequests.reply(asked, { outcome: 'SUCCESS', payload: { version: '2.4.1' } });
  await until(asking, { status: 'SUCCEEDED', result: { firmware: { version: '2.4.1' } } });
  await first.stop();

  const waited = await sendAhead('waited', 20);
  const waitedSince = performance.now();
  const late = await sendAhead('late', 2);
  await until(late, { status: 'TIMED_OUT' });
  // Long enough for the start of an adapter.
  await delay(12_000 - (performance.now() - waitedSince));
  const second = await platform.launch(program, context);
  await until(waited, { status: 'SUCCEEDED' });
  await vi.waitFor(async () => {
    const { late_result } = await platform.client.commands.get(late);
    expect(late_result).toMatchObject({ adapter_status: 'UNREACHABLE', status_reason: { code: 'NOT_STARTED' } });
  }, soon);
  expect([first.ran(), second.ran()]).toEqual([['in-time', 'asking'], ['waited']]);
  return second;
}

test.concurrent.for(cases)(
  '%s: nothing starts after its deadline, and nothing is refused before it',
  async ([, platform], context) => {
    const serving = await Promise.all(adapters.map((program) => expectDeadlinesKept(platform, program, context)));

    // NATS is away until their deadlines: they never start.
    await platform.nats.suspend();
    const callers = vendors.map((vendor) => callerOf(platform, vendor));
    const unsent = await Promise.all(callers.map(({ send }) => send('unsent', 2)));
    await Promise.all(callers.map(({ until }, index) => until(unsent[index] as string, { status: 'EXPIRED' })));
    await platform.nats.resume();
    const later = await Promise.all(callers.map(({ send }) => send('later', 300)));
    await Promise.all(callers.map(({ until }, index) => until(later[index] as string, { status: 'SUCCEEDED' })));
    expect(serving.map((adapter) => adapter.ran())).toEqual(adapters.map(() => ['waited', 'later']));
    await Promise.all(serving.map((adapter) => adapter.stop()));
  },
);
