import { randomUUID } from 'node:crypto';
import { createTenant, platform } from '@tenant-open-platform/testing';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPool } from '../../../test/open-pool.js';
import { storedCommands } from '../../../test/stored.js';
import type { Database } from '../../platform/database/database.js';
import { errorCodeOf } from '../../platform/database/database-error.js';
import { commandAccepter, type NewCommand } from './accept-commands.js';

let database: Database;

beforeAll(() => {
  database = openPool(platform().databaseUrl as string);
});

afterAll(() => database.close());

function newCommand(tenantId: string, clientId: string, fields: Partial<NewCommand> = {}): NewCommand {
  const now = new Date().toISOString();
  const command_id = uuid();
  return {
    tenant_id: tenantId,
    command_id,
    idempotency_key: randomUUID(),
    vendor: 'vendor_a',
    device_id: 'd-1',
    command_type: 'reboot',
    revision: 1,
    payload: {},
    payload_sha256: '00'.repeat(32),
    timeout_seconds: 30,
    accepted_at: now,
    created_by_client_id: clientId,
    request_id: randomUUID(),
    event_id: uuid(),
    ...fields,
  };
}

test.each([
  ['refers to a credential that does not exist', { created_by_client_id: 'nobody' }, '23503'],
  ['has a time that is none', { accepted_at: 'yesterday, perhaps' }, '22007'],
  ['has a NUL in a text', { device_id: 'd\u0000' }, '22P05'],
])('stores every command of a batch but the one that %s', async (_, poison, code) => {
  const { tenant_id, operator } = await createTenant();
  const accept = commandAccepter(database);
  const commands = Array.from({ length: 30 }, (_value, index) =>
    newCommand(tenant_id, operator.client_id, index === 17 ? poison : {}),
  );
  const results = await Promise.allSettled(commands.map((command) => accept(command)));
  results.forEach((result, index) => {
    if (index !== 17) expect(result).toEqual({ status: 'fulfilled', value: 'ACCEPTED' });
    else expect(result.status === 'rejected' && errorCodeOf(result.reason)).toBe(code);
  });
  const stored = await storedCommands(platform().databaseUrl as string, tenant_id);
  expect(stored.map(({ command_id }) => command_id).sort()).toEqual(
    commands
      .filter((_value, index) => index !== 17)
      .map(({ command_id }) => command_id)
      .sort(),
  );
  for (const command of stored) expect(command).toMatchObject({ accepted_events: 1, outbox_rows: 1 });
});

test('answers each command of a batch as its own, in the order asked: accepted, key used, catalog changed', async () => {
  const { tenant_id, operator } = await createTenant();
  const accept = commandAccepter(database);
  const command = (fields: Partial<NewCommand>) => newCommand(tenant_id, operator.client_id, fields);
  const asked = [
    command({ idempotency_key: 'z' }),
    command({ idempotency_key: 'm', revision: 99 }),
    command({ idempotency_key: 'z' }),
    command({ idempotency_key: 'a' }),
    command({ idempotency_key: 'k', vendor: 'vendor_of_nowhere' }),
  ];
  expect(await Promise.all(asked.map((each) => accept(each)))).toEqual([
    'ACCEPTED',
    'CATALOG_CHANGED',
    'KEY_USED',
    'ACCEPTED',
    'CATALOG_CHANGED',
  ]);
});
