import { expect, onTestFinished, test } from 'vitest';
import { runMove, startCell } from '../../../test/support/cells.js';
import { openPool } from '../../../test/support/open-pool.js';
import { openKeyring } from '../../foundation/secrets/keyring.js';

const [a, b] = await Promise.all([startCell(), startCell()]);
const keyring = await openKeyring({ KEYRING: b.environment.KEYRING, DATA_DIR: '' }, openPool(b.postgres.url));

const sealedByTarget = (owner: string) => `'\\x${keyring.seal('whsec_another', owner).toString('hex')}'::bytea`;

/** What becomes of each row that the target takes. The nonces are those of the requests that made the rows. */
test.each([
  ['a row with another value', 'callback_endpoints', () => `new.name = 'changed'; return new`],
  ['a missing row', 'callback_endpoints', () => 'return null'],
  ['another secret', 'callback_endpoints', (owner) => `new.secret_sealed = ${sealedByTarget(owner)}; return new`],
  ['a missing nonce', 'nonces', () => 'return null'],
  ['a missing parked message', 'parked_messages', () => 'return null'],
  ['no key of its cursors', 'event_log_origins', () => 'return null'],
] satisfies [string, string, (owner: string) => string][])(
  'a tenant whose copy differs does not move: %s',
  async (name, table, change) => {
    const id = name.replaceAll(' ', '-');
    await a.call('POST', 'platform/tenants', { tenant_id: id, name: id });
    const admin = await a.newProfile(id, 'tenant_admin');
    const endpoint = { name: 'hook', url: 'https://hooks.acme.example/x' };
    const { endpoint_id } = await a.call('POST', 'open/callbacks/endpoints', endpoint, admin);
    await a.owner`
      insert into parked_messages (tenant_id, parked_message_id, subject, reason, body)
      values (${id}, gen_random_uuid(), 'tenants', 'INVALID', '')`;
    await b.owner.unsafe(`
      create function change_copy() returns trigger language plpgsql as $$ begin ${change(`callback-endpoint:${id}:${endpoint_id}:1`)}; end $$;
      create trigger change_copy before insert on ${table} for each row execute function change_copy()`);
    onTestFinished(async () => void (await b.owner`drop function change_copy cascade`));

    const { exitCode, stderr } = await runMove(a, b, [id, '--to-url', b.baseUrl]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`The copy of ${table} differs: `)]);
    expect(stderr).not.toContain('switching');
    const stateIn = (cell: typeof a) => cell.owner`
      select status, move ->> 'step' as step from tenants where tenant_id = ${id}`;
    expect(await stateIn(a)).toEqual([{ status: 'MOVING', step: 'COPYING' }]);
    expect(await stateIn(b)).toEqual([{ status: 'MOVING', step: 'ARRIVING' }]);
    expect((await runMove(a, b, [id, '--undo'])).exitCode).toBe(0);
    expect(await a.call('GET', 'open/callbacks/endpoints', undefined, admin)).toMatchObject({
      items: [{ endpoint_id, name: 'hook' }],
    });
  },
);
