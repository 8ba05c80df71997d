import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clockAhead, nextMillisecond } from '@tenant-open-platform/testing';
import { expect, type TestContext } from 'vitest';
import { type AdapterEvent, serveVendor, type VendorOptions } from '../src/adapter.js';
import { type Bus, startBus, tenantId, vendor } from './start-bus.js';

export const within = { timeout: 90_000, interval: 50 };

type Handler = VendorOptions['onCommand'];

/** A bus, and a function that starts adapters, which remember their handler runs and their log. */
export async function setUp({ onTestFinished }: TestContext, settings: Parameters<typeof startBus>[0] = {}) {
  const on = await startBus(settings);
  onTestFinished(() => on.stop());

  async function serve(onCommand: Handler = async () => {}, options: Partial<VendorOptions> = {}) {
    const runs: { id: string; device: string; redelivered: boolean }[] = [];
    const events: AdapterEvent[] = [];
    const adapter = await serveVendor({
      servers: on.nats.url,
      tenantId,
      vendor,
      log: (event) => events.push(event),
      async onCommand(command, context) {
        runs.push({ id: command.command_id, device: command.device_id, redelivered: context.redelivered });
        return onCommand(command, context);
      },
      ...options,
    });
    onTestFinished(() => adapter.stop());
    // Times of NATS are whole milliseconds. What is sent in that of the first read counts as sent before it.
    await nextMillisecond();
    return { adapter, runs, events };
  }
  return { on, serve };
}

/** Every command ran once in all adapters together, has an outcome, and is acknowledged. */
export async function expectEachOnce(
  on: Bus,
  sent: { command_id: string }[],
  ...runs: { id: string }[][]
): Promise<void> {
  await on.allAcknowledged();
  const ids = sent.map(({ command_id }) => command_id);
  const timesRun = ids.map((id) => runs.flat().filter((run) => run.id === id).length);
  expect(timesRun).toEqual(ids.map(() => 1));
  expect(runs.flat()).toHaveLength(ids.length);
  const updates = await on.updates();
  const succeeded = updates.filter((update) => update.device_execution_status === 'SUCCEEDED');
  expect(new Set(succeeded.map(({ command_id }) => command_id))).toEqual(new Set(ids));
}

/** Adapters in processes of their own, and what they ran. */
export function processesOf({ onTestFinished }: TestContext, on: Bus) {
  const folder = mkdtempSync(join(tmpdir(), 'top-adapter-runs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'runs');
  writeFileSync(file, '');
  return {
    runsIn: () =>
      readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => line.split(' ') as [id: string, redelivered: string]),
    launch(killedAfter = Number.POSITIVE_INFINITY, clockAheadMs = 0) {
      const environment = {
        SERVERS: on.nats.url,
        TENANT_ID: tenantId,
        VENDOR: vendor,
        RUNS: file,
        KILLED_AFTER: String(killedAfter),
      };
      const clock = clockAhead(clockAheadMs);
      const options = `--conditions=@tenant-open-platform/source ${clock.NODE_OPTIONS}`;
      const launched = spawn(process.execPath, ['--import', 'tsx', 'adapter-process.ts'], {
        cwd: import.meta.dirname,
        env: { PATH: process.env.PATH, ...environment, ...clock, NODE_OPTIONS: options },
        stdio: 'inherit',
      });
      onTestFinished(() => void launched.kill('SIGKILL'));
      return launched;
    },
  };
}

/** A request of a device. */
export const request = (fields: object = {}) => ({
  device_id: 'd-1',
  request_type: 'firmware_check',
  payload: {},
  dedupe_id: randomUUID(),
  ...fields,
});
