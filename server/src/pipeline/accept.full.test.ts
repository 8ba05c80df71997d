import { randomUUID } from 'node:crypto';
import { createTenant, type Profile, platform } from '@tenant-open-platform/testing';
import { describe, expect, test } from 'vitest';
import { commandToAccept } from '../../test/support/command-to-accept.js';
import { admissionOf, newSender } from '../../test/support/new-sender.js';
import { openPool } from '../../test/support/open-pool.js';
import { announcement, once, storedCommands } from '../../test/support/stored.js';
import { errorCodeOf } from '../foundation/database/database-error.js';
import type { CommandOutcome, GivenCommand } from '../foundation/database/row-level-security.js';
import { hashNonce } from '../gateway/auth/authenticate.js';
import { findOperation, type Match } from '../gateway/operation/find-operation.js';
import { createCommandAccepter } from './accept.js';

const database = openPool();

/** The two calls of the statement that store commands, each as a function that stores one command. */
const ways: [string, (caller: Profile) => Promise<(command: GivenCommand) => Promise<CommandOutcome>>][] = [
  [
    'after admission',
    async ({ tenant_id, client_id }) => {
      const accept = createCommandAccepter(database);
      return (command) => accept({ caller: { tenantId: tenant_id, clientId: client_id }, command });
    },
  ],
  [
    'with admission',
    async (caller) => {
      const signed = await newSender(database, caller);
      const admit = admissionOf(database);
      return async (command) => {
        const row = await admit({ ...signed, nonceHash: hashNonce(randomUUID()) }, command);
        expect(row).toMatchObject({ is_live: true, is_in_clock_window: true, is_fresh: true, is_granted: true });
        return row as CommandOutcome;
      };
    },
  ],
];

describe.each(ways)('%s', (_way, acceptFor) => {
  test.each([
    ['has a malformed id', { command_id_tail: 'xyz' }, '22P02'],
    ['has a NUL in a text', { device_id: 'd\u0000' }, '22P05'],
  ])('stores every command of a batch except the one that %s', async (_, poison, code) => {
    const { tenant_id, operator } = await createTenant();
    const accept = await acceptFor(operator);
    const results = await Promise.allSettled(
      Array.from({ length: 30 }, (_value, index) => accept(commandToAccept(index === 17 ? poison : {}))),
    );
    const accepted = results.flatMap((result, index) => {
      if (index === 17) expect(result.status === 'rejected' && errorCodeOf(result.reason)).toBe(code);
      else expect(result).toMatchObject({ status: 'fulfilled', value: { outcome: 'ACCEPTED' } });
      return result.status === 'fulfilled' && result.value.outcome === 'ACCEPTED' ? [result.value.command_id] : [];
    });
    const stored = await storedCommands(platform().databaseUrl as string, tenant_id);
    expect(stored.map(({ command_id }) => command_id).sort()).toEqual(accepted.sort());
    for (const command of stored) expect(announcement(command)).toEqual(once);
  });

  test('answers each command of a batch separately, in order', async () => {
    const accept = await acceptFor((await createTenant()).operator);
    const asked = [
      commandToAccept({ idempotency_key: 'z' }),
      commandToAccept({ idempotency_key: 'm', revision: 99 }),
      commandToAccept({ idempotency_key: 'y' }),
      commandToAccept({ idempotency_key: 'a' }),
      commandToAccept({ idempotency_key: 'k', vendor: 'vendor_of_nowhere' }),
    ];
    const outcomes = async () => (await Promise.all(asked.map(accept))).map(({ outcome }) => outcome);
    expect(await outcomes()).toEqual(['ACCEPTED', 'CATALOG_CHANGED', 'ACCEPTED', 'ACCEPTED', 'CATALOG_CHANGED']);
    expect(await outcomes()).toEqual(['KEY_USED', 'CATALOG_CHANGED', 'KEY_USED', 'KEY_USED', 'CATALOG_CHANGED']);
  });

  test('stores one of several commands of a batch with the same key', async () => {
    const accept = await acceptFor((await createTenant()).operator);
    const accepted = await Promise.all([1, 2, 3].map(() => accept(commandToAccept({ idempotency_key: 'z' }))));
    expect(accepted.map(({ outcome }) => outcome).sort()).toEqual(['ACCEPTED', 'KEY_USED', 'KEY_USED']);
  });

  test('stores no command that its caller refuses, and tells whether its key is used', async () => {
    const { tenant_id, operator } = await createTenant();
    const accept = await acceptFor(operator);
    await accept(commandToAccept({ idempotency_key: 'used' }));
    const asked = ['used', 'new'].flatMap((idempotency_key) => [
      { idempotency_key, is_refused: true as const },
      commandToAccept({ idempotency_key, revision: 99 }),
    ]);
    const outcomes = (await Promise.all(asked.map(accept))).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['KEY_USED', 'CATALOG_CHANGED', 'REFUSED', 'CATALOG_CHANGED']);
    const stored = await storedCommands(platform().databaseUrl as string, tenant_id);
    expect(stored.map(({ idempotency_key }) => idempotency_key)).toEqual(['used']);
  });

  test('gives a command an id with the millisecond of its acceptance', async () => {
    const accept = await acceptFor((await createTenant()).operator);
    const acceptance = await accept(commandToAccept());
    if (acceptance.outcome !== 'ACCEPTED') throw new Error(acceptance.outcome);
    const { command_id, accepted_ms } = acceptance;
    expect(command_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(command_id.replace('-', '').slice(0, 12), 16)).toBe(accepted_ms);
  });
});

test.each<[string, object, Match?]>([
  ['not live', { secretVersion: 7 }],
  ['outside its clock window', { timestamp: '1767225600' }],
  ['without permission', {}, findOperation('GET', '/api/v1/platform/tenants')],
  ['replayed', {}],
])('stores no command for a request that is %s, and stores all other commands of its batch', async (...one) => {
  const [reason, fields, match] = one;
  const { tenant_id, operator } = await createTenant();
  const signed = await newSender(database, operator);
  const admit = admissionOf(database);
  const another = () => ({ ...signed, nonceHash: hashNonce(randomUUID()) });
  if (reason === 'replayed') await admit(signed, commandToAccept({ idempotency_key: 'earlier' }));
  const refused = { ...signed, ...fields };
  const [before, , after] = await Promise.all([
    admit(another(), commandToAccept()),
    admit(refused, commandToAccept({ idempotency_key: 'refused' }), match),
    admit(another(), commandToAccept()),
  ]);
  expect([before.outcome, after.outcome]).toEqual(['ACCEPTED', 'ACCEPTED']);
  const stored = await storedCommands(platform().databaseUrl as string, tenant_id);
  expect(stored.map(({ idempotency_key }) => idempotency_key)).not.toContain('refused');
});
