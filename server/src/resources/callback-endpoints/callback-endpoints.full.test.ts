import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Profile, signedRequest } from '@tenant-open-platform/testing';
import { type PrivatePostgres, startPrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import { type RunningServer, startServer } from '@tenant-open-platform/testing/start-server';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseKeyring } from '../../foundation/secrets/keyring.js';

const ENDPOINTS = '/api/v1/open/callbacks/endpoints';

let folder: string;
let database: PrivatePostgres;
let server: RunningServer;
let superuser: postgres.Sql;
let admin: Profile;
const keyring = JSON.stringify({ primary: 'test', keys: { test: randomBytes(32).toString('base64') } });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'top-callbacks-'));
  database = await startPrivatePostgres();
  server = await startServer({ DATA_DIR: folder, DATABASE_URL: database.url, KEYRING: keyring });
  superuser = postgres(database.superuserUrl, { max: 1 });
  admin = JSON.parse(readFileSync(join(folder, 'platform-admin.json'), 'utf8'));
  for (const action of ['create', 'update']) {
    const body = { client_id: admin.client_id, scope: `open:callback:${action}` };
    const granted = await signedRequest(admin, 'POST', '/api/v1/platform/tenants/platform/policies', { body });
    expect(granted.status).toBe(201);
  }
}, 60_000);

afterAll(async () => {
  await superuser?.end();
  await server?.stop();
  await database?.stop();
  rmSync(folder, { recursive: true, force: true });
});

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
