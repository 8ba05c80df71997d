import type { testVendor, VendorOptions } from '@tenant-open-platform/sdk/adapter';
import { expect, onTestFinished, test, vi } from 'vitest';

const kit = '@tenant-open-platform/sdk/adapter';

/** The adapter without NATS. Its meter never wakes. */
async function start() {
  const actual = await vi.importActual<{ testVendor: typeof testVendor }>(kit);
  let vendor: ReturnType<typeof testVendor> | undefined;
  const serveVendor = async (options: VendorOptions) => {
    vendor = actual.testVendor(options);
    return vendor;
  };
  vi.doMock(kit, () => ({ ...actual, serveVendor }));
  vi.doMock('node:timers/promises', () => ({ setTimeout: () => new Promise(() => {}) }));
  const listening = vi.spyOn(process, 'once').mockReturnThis();
  void import('./adapter.js');
  await vi.waitFor(() => expect(listening).toHaveBeenCalledWith('SIGINT', expect.any(Function)), { timeout: 60_000 });
  onTestFinished(async () => {
    for (const mocked of [kit, 'node:timers/promises']) vi.doUnmock(mocked);
    listening.mockRestore();
    await vendor?.stop();
  });
  return vendor as ReturnType<typeof testVendor>;
}

test('a meter that sleeps has not got its command, unless an earlier process may have sent it', async () => {
  const { send } = await start();
  const command = { command_type: 'set_interval', payload: { minutes: 60 } };
  expect((await send(command)).outcome).toMatchObject({
    adapter_status: 'UNREACHABLE',
    status_reason: { code: 'ASLEEP' },
  });
  expect((await send(command, { redelivered: true })).outcome).toMatchObject({
    device_execution_status: 'TIMED_OUT',
    status_reason: { code: 'SENT_TWICE' },
  });
});
