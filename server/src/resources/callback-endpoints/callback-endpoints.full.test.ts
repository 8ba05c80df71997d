import { newKeyring, signedRequest, startNode } from '@tenant-open-platform/testing';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { expect, test } from 'vitest';
import { openSession } from '../../../test/support/open-pool.js';
import { parseKeyring } from '../../foundation/secrets/keyring.js';

const ENDPOINTS = '/api/v1/open/callbacks/endpoints';

const keyring = newKeyring();

const database = await ownPostgres();
const server = await startNode({ DATABASE_URL: database.url, KEYRING: keyring });
const superuser = openSession(database.superuserUrl);
const { admin } = server;
for (const action of ['create', 'update']) {
  const body = { client_id: admin.client_id, scope: `open:callback:${action}` };
  const granted = await signedRequest(admin, 'POST', '/api/v1/platform/tenants/platform/policies', { body });
  expect(granted.status).toBe(201);
}

const create = (fields: object = {}) =>
  signedRequest(admin, 'POST', ENDPOINTS, {
    body: { name: 'Order system', url: 'https://hooks.acme.example/top', ...fields },
  });

type Row = { secret_sealed: Buffer; previous_secret_sealed: Buffer | null };

test('the stored secrets open to the shown ones, including the previous one, and only in their own row and version', async () => {
  const first = (await create({ status: 'DISABLED' })).body;
  const { endpoint_id: id } = first;
  const rotate = async (fields: object = {}) =>
    (await signedRequest(admin, 'PUT', `${ENDPOINTS}/${id}`, { body: { rotate_secret: true, ...fields } })).body;
  const stored = async () => {
    const [row] = await superuser<Row[]>`
      select secret_sealed, previous_secret_sealed from callback_endpoints where endpoint_id = ${id}`;
    return row as Row;
  };
  const { open } = parseKeyring(keyring, 'KEYRING');
  const ownerOf = (version: number, endpointId = id) => `callback-endpoint:platform:${endpointId}:${version}`;

  expect(open((await stored()).secret_sealed, ownerOf(1))).toBe(first.secret);
  const second = await rotate({ previous_secret_ttl_seconds: 600 });
  const row = await stored();
  expect(open(row.secret_sealed, ownerOf(2))).toBe(second.secret);
  expect(open(row.previous_secret_sealed as Buffer, ownerOf(1))).toBe(first.secret);
  expect(() => open(row.secret_sealed, ownerOf(1))).toThrow();
  expect(() => open(row.secret_sealed, ownerOf(2, first.request_id))).toThrow();

  const third = await rotate();
  const last = await stored();
  expect([open(last.secret_sealed, ownerOf(3)), last.previous_secret_sealed]).toEqual([third.secret, null]);
});
