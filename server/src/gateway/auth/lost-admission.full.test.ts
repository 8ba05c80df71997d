import { randomUUID } from 'node:crypto';
import {
  atEnd,
  createCredential,
  type Profile,
  signedRequest,
  startNode,
  usePlatform,
} from '@tenant-open-platform/testing';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { expect, test } from 'vitest';
import { COMMANDS, newCommand } from '../../../test/support/commands.js';
import { openSession } from '../../../test/support/open-pool.js';
import { startLink } from '../../../test/support/start-link.js';
import { untilServed } from '../../../test/support/until-served.js';
import { hashNonce } from './authenticate.js';

const ME = '/api/v1/open/me';

const postgres = await ownPostgres();
const link = await startLink(postgres.url);
atEnd(link.stop);
const { admin, demo } = await startNode({ DATABASE_URL: link.through(postgres.url), ROLE: 'api' });
usePlatform({ nodes: [admin.base_url], admin, demo, databaseUrl: postgres.url, natsUrl: null });
const superuser = openSession(postgres.superuserUrl);

/** Its first request of a minute uses up its quota. */
const modest = await createCredential('demo', { role: 'integration_operator', requests_per_minute: 1 });

const command = () => ({
  idempotency_key: randomUUID(),
  vendor: 'vendor_a',
  device_id: 'ok-1',
  command_type: 'reboot',
  payload: {},
});

type Request = [method: string, target: string, body?: object];

/** The code of the answer to a request whose connection is cut while Postgres admits it. */
async function codeOfLost(caller: Profile, ...[method, target, body]: Request): Promise<string> {
  const nonce = randomUUID();
  return superuser.begin(async (tx) => {
    // The admission waits until it is decided whether the nonce is used.
    await tx`
      insert into nonces (credential_number, nonce_hash, expires_at)
      select number, decode(${hashNonce(nonce)}, 'hex'), now() + interval '1 hour' from credentials
      where client_id = ${caller.client_id}`;
    const answering = signedRequest(caller, method, target, { nonce, ...(body && { body }) });
    const waiting = async () =>
      (await tx`select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))`).length;
    await expect.poll(waiting).toBe(1);
    link.moveTo(postgres.url);
    return (await answering).body.code;
  });
}

test.each<[string, string, Profile, ...Request]>([
  ['of a command, which may be stored,', 'INTERNAL_ERROR', demo, 'POST', COMMANDS, command()],
  ['of a command above the quota, which is not stored,', 'SERVICE_UNAVAILABLE', modest, 'POST', COMMANDS, command()],
  ['of no command', 'SERVICE_UNAVAILABLE', demo, 'GET', ME],
])('a request %s is answered %s if its admission loses the connection', async (_, code, caller, ...request) => {
  // From its first use on a type of command is known, so that the admission stores the later ones.
  await newCommand(demo);
  expect((await untilServed(() => signedRequest(caller, 'GET', ME))).status).toBe(200);
  expect(await codeOfLost(caller, ...request)).toBe(code);
});
