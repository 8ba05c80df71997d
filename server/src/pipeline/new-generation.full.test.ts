import { createHmac } from 'node:crypto';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { newCommand } from '../../test/support/commands.js';
import { dispatch } from '../../test/support/dispatch.js';
import { startIdlePlatform } from '../../test/support/idle-platform.js';
import { openPool, openSession } from '../../test/support/open-pool.js';
import type { Keyring } from '../foundation/secrets/keyring.js';
import { createSignatureVerifier } from '../gateway/auth/verify-signature.js';
import { createContinuation } from './events.js';

const platform = await startIdlePlatform();
const superuser = openSession(platform.superuserUrl);
const causes = async () =>
  (await superuser`select cause from database_generations order by generation`).map(({ cause }) => cause);
const newest = async () => Number((await superuser`select max(generation) as id from database_generations`)[0]?.id);

/** Another process. */
const opened = () => {
  const database = openPool(platform.databaseUrl);
  return { database, continueFrom: createContinuation(database) };
};

test('a command that was accepted since Postgres started is no command of a copy, and is sent', async () => {
  const id = await newCommand(platform.demo, { timeout_seconds: 300 });
  const { database, continueFrom } = opened();
  const before = await causes();
  await continueFrom({ generation: await newest(), seq: '1000000' });
  expect(await causes()).toEqual([...before, 'WITNESS']);
  const [declared] = await superuser`select copied_until from database_generations order by generation desc limit 1`;
  expect(declared?.copied_until).toBeNull();
  expect(await dispatch(database, platform.demo.tenant_id, id)).not.toBeNull();
});

test('in a new generation the secrets are read again: a version may belong to another secret', async () => {
  const { database, continueFrom } = opened();
  let secret = 'of the lost history';
  const keyring = {
    keyIds: ['test'],
    has: () => true,
    seal: () => Buffer.alloc(0),
    open: (_sealed: Buffer, owner: string) => (owner === 'stand-in' ? 'nobody knows it' : secret),
  } as unknown as Keyring;
  const verify = createSignatureVerifier(database, keyring, pino({ level: 'silent' }));
  const signedWith = (key: string) => ({
    clientId: platform.demo.client_id,
    stringToSign: 'text',
    signature: createHmac('sha256', key).update('text').digest(),
    network: '192.0.2.1',
  });
  const lost = signedWith(secret);
  expect(await verify(lost)).toMatchObject({ secretVersion: 1 });
  secret = 'of the restored history';
  expect(await verify(lost)).toMatchObject({ secretVersion: 1 });
  await continueFrom({ generation: await newest(), seq: '1000000' });
  expect(await verify(lost)).toBeNull();
  expect(await verify(signedWith(secret))).toMatchObject({ secretVersion: 1 });
});
