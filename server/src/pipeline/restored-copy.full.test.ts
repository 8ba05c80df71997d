import { type Answer, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { COMMANDS, cancelCommand, newCommand } from '../../test/support/commands.js';
import { startIdlePlatform } from '../../test/support/idle-platform.js';
import { openPool, openSession } from '../../test/support/open-pool.js';
import { silent } from '../../test/support/silent.js';
import { localSignals } from '../foundation/signals/signals.js';
import { createCommandReporter } from './reports.js';

/** Nothing dispatches commands here. */
const platform = await startIdlePlatform();
const { demo } = platform;
const superuser = openSession(platform.superuserUrl);
const report = createCommandReporter(openPool(platform.databaseUrl), localSignals(), silent().metrics);

/** ACCEPTED commands: two of a copy that is restored now, and one of after, by a clock that is behind. */
async function acceptedCommands() {
  const create = () => newCommand(demo, { timeout_seconds: 300 });
  const copied = [await create(), await create()];
  // As if Postgres had started now, on the copy.
  await superuser`
    update database_generations set xid_at_start = pg_current_xact_id()::xid where shared_until is null`;
  const later = await create();
  await superuser`select from begin_generation_v1('OPERATOR', null)`;
  // The clock of the original was ahead.
  await superuser`
    update commands set accepted_at = now() - interval '1 minute' where command_id = ${later}`;
  return { copied, later };
}

test('no command of a restored copy can be canceled, but one of after: it may have been dispatched', async () => {
  const { copied, later } = await acceptedCommands();
  for (const id of copied) {
    const { status, body } = await cancelCommand(demo, id);
    expect([status, body.code, body.metadata]).toEqual([409, 'COMMAND_NOT_CANCELABLE', { status: 'ACCEPTED' }]);
  }
  const { status, body } = await cancelCommand(demo, later);
  expect([status, body.status]).toEqual([200, 'CANCELED']);
});

test('the result of a command of a restored copy counts: an adapter may have it', async () => {
  const { copied, later } = await acceptedCommands();
  const succeeded = (id: string) =>
    report({
      tenantId: demo.tenant_id,
      vendor: 'vendor_a',
      sentAt: new Date(),
      update: { command_id: id, device_execution_status: 'SUCCEEDED' },
    });
  for (const id of copied) {
    expect(await succeeded(id)).toBe('CHANGED');
    expect((await signedRequest(demo, 'GET', `${COMMANDS}/${id}`)).body.status).toBe('SUCCEEDED');
    const { body } = await signedRequest(demo, 'GET', `/api/v1/open/events?command_id=${id}`);
    const types = body.items.map(({ event_type }: Answer['body']) => event_type);
    expect(types).toEqual(['command.accepted', 'command.completed']);
  }
  expect(await succeeded(later)).toBe('TOO_EARLY');
  expect((await signedRequest(demo, 'GET', `${COMMANDS}/${later}`)).body.status).toBe('ACCEPTED');
});
