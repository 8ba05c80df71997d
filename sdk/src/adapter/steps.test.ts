import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type AdapterEvent, type TestVendorOptions, testVendor } from '../adapter.js';
import { Steps } from './steps.js';

const start = (onCommand: TestVendorOptions['onCommand'], options: Partial<TestVendorOptions> = {}) =>
  testVendor({ onCommand, ...options });
const reboot = { command_type: 'reboot', payload: {} };

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

test('of the steps that a handler tells the last is sent once a second, and the outcome has the last of all', async () => {
  const sending = start(async (_command, { progress }) => {
    for (let step = 1; step <= 100; step += 1) {
      void progress({ step, of: 100 });
      await new Promise((resolve) => setTimeout(resolve, 45));
    }
  }).send(reboot);
  await vi.advanceTimersByTimeAsync(10_000);
  const { updates, outcome } = await sending;
  const steps = updates
    .slice(0, -1)
    .map(({ device_execution_status, progress }) => [device_execution_status, progress?.step]);
  expect(steps).toEqual([1, 25, 49, 74, 98].map((step) => ['IN_PROGRESS', step]));
  expect(outcome).toMatchObject({ device_execution_status: 'SUCCEEDED', progress: { step: 100, of: 100 } });
});

test('a step with more fields, or one that changes later, is sent as it was told', async () => {
  const { updates } = await start(async (_command, { progress }) => {
    const told = { step: 1, of: 2, label: 'block' };
    void progress(told);
    told.step = 9;
  }).send(reboot);
  expect(updates.map(({ progress }) => progress)).toEqual([
    { step: 1, of: 2 },
    { step: 1, of: 2 },
  ]);
});

test('a step is sent only once the one before is stored: NATS has them in their order', async () => {
  const sent: number[] = [];
  let store = () => {};
  const steps = new Steps(({ step }) => {
    sent.push(step);
    return new Promise((resolve) => (store = resolve));
  });
  for (const step of [1, 2]) void steps.tell({ step, of: 9 });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(sent).toEqual([1]);
  store();
  void steps.tell({ step: 3, of: 9 });
  await vi.advanceTimersByTimeAsync(1_100);
  expect(sent).toEqual([1, 3]);
  steps.end();
  void steps.tell({ step: 4, of: 9 });
  store();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(sent).toEqual([1, 3]);
});

test('a step that is none is a warning, and counts as IN_PROGRESS', async () => {
  const events: AdapterEvent[] = [];
  const { updates } = await start(
    async (_command, { progress }) => {
      void progress({ step: 3, of: 2 });
      void progress(undefined as never);
    },
    { log: (event) => void events.push(event) },
  ).send(reboot);
  expect(updates[0]).toMatchObject({ device_execution_status: 'IN_PROGRESS' });
  for (const update of updates) expect(update).not.toHaveProperty('progress');
  expect(events).toContainEqual(
    expect.objectContaining({ event: 'invalid', level: 'warn', message: expect.stringContaining('3 of 2') }),
  );
});
