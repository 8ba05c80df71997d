import { createTenant, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { COMMANDS, canceledCommand, newCommand } from '../../../test/support/commands.js';

test('lists commands of several statuses, those that have ended, and those that have not', async () => {
  const tenant = await createTenant();
  const { command_id: canceled } = await canceledCommand(tenant);
  // Nobody answers for this device.
  const open = await newCommand(tenant.operator, { device_id: 'offline-1', timeout_seconds: 300 });
  /** Which of the two are listed; other commands of the tenant may have ended or not. */
  const listed = async (query: string) => {
    const ids: string[] = [];
    for (let cursor = ''; ; ) {
      const target = `${COMMANDS}?limit=500&${query}${cursor}`;
      const { status, raw, body } = await signedRequest(tenant.operator, 'GET', target);
      expect(status, raw).toBe(200);
      ids.push(...body.items.map(({ command_id }: { command_id: string }) => command_id));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    return { canceled: ids.includes(canceled), open: ids.includes(open) };
  };
  expect(await listed('is_final=false')).toEqual({ canceled: false, open: true });
  expect(await listed('is_final=true')).toEqual({ canceled: true, open: false });
  expect(await listed('status=CANCELED,EXPIRED')).toEqual({ canceled: true, open: false });
  expect(await listed('status=ACCEPTED,DISPATCHED')).toEqual({ canceled: false, open: true });
  expect(await listed('status=ACCEPTED,DISPATCHED,CANCELED')).toEqual({ canceled: true, open: true });
  expect(await listed('status=CANCELED&is_final=false')).toEqual({ canceled: false, open: false });
});
