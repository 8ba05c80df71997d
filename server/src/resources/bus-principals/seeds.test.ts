import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createAccount,
  createCluster,
  createCurve,
  createOperator,
  createServer,
  createUser,
  type KeyPair,
} from '@nats-io/nkeys';
import { type Answer, databaseFolder, signedRequest, startNode } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { expectRefusal } from '../../../test/support/expect-refusal.js';
import { newPrincipal } from '../../../test/support/new-principal.js';

const TENANT = '/api/v1/platform/tenants/demo';

/** A separate server, because the test searches its whole log and its database files. */
const folder = databaseFolder();
const server = await startNode({ DATA_DIR: folder, LOG_LEVEL: 'trace' });
const { admin } = server;

const seedOf = (pair: KeyPair) => Buffer.from(pair.getSeed()).toString();
const create = (fields: object, requestId?: string) =>
  signedRequest(admin, 'POST', `${TENANT}/bus/principals`, {
    body: newPrincipal(fields),
    headers: { 'X-Request-Id': requestId },
  });
const locationsOf = ({ body }: Answer) => body.details.map(({ location }: { location: string }) => location);

/** Every file of the data directory, including the write-ahead log of the database. */
const stored = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString('latin1'))
    .join('\n');

test('a seed of any kind is refused in either key, in any case and position, before any other check', async () => {
  for (const creator of [createAccount, createUser, createOperator, createServer, createCluster, createCurve]) {
    const seed = seedOf(creator());
    for (const field of ['bus_account_public_key', 'bus_user_public_key']) {
      for (const text of [seed, seed.slice(0, -1), `${seed}A`, seed.toLowerCase(), `\n ${seed}`, 'S']) {
        const answer = await create({ [field]: text });
        expectRefusal(answer, 'BUS_SEED_NOT_ALLOWED');
        expect(answer.body.details).toEqual([
          { location: `body/${field}`, code: 'BUS_SEED_NOT_ALLOWED', message: expect.any(String) },
        ]);
      }
    }
  }
});

test('a seed is also refused in a name, before a wrong key, and every field that holds one is named', async () => {
  const seed = seedOf(createUser());
  const answer = await create({
    bus_user: `adapter-${seed}`,
    service_name: `${seed.toLowerCase()}/1`,
    bus_account_public_key: 'wrong',
    bus_user_public_key: seed,
    client_id: seed,
  });
  expectRefusal(answer, 'BUS_SEED_NOT_ALLOWED');
  expect(locationsOf(answer).sort()).toEqual([
    'body/bus_user',
    'body/bus_user_public_key',
    'body/client_id',
    'body/service_name',
  ]);
});

test('a wrong key is refused before a used one, and a seed before both', async () => {
  const used = newPrincipal();
  expect((await create(used)).status).toBe(201);
  const wrong = { ...used, bus_account_public_key: used.bus_user_public_key };
  expectRefusal(await create(wrong), 'BUS_KEY_INVALID');
  expectRefusal(await create({ ...wrong, service_name: seedOf(createAccount()) }), 'BUS_SEED_NOT_ALLOWED');
  expectRefusal(await create(used), 'BUS_PRINCIPAL_ALREADY_EXISTS');
});

test('a name that only begins with an S is not a seed', async () => {
  const { status, body } = await create({ bus_user: 'SUPPLIER', service_name: 'SAP-gateway' });
  expect([status, body.bus_user, body.service_name]).toEqual([201, 'SUPPLIER', 'SAP-gateway']);
});

test('a seed in any field appears in no answer, list, log or database file', async () => {
  const seeds: string[] = [];
  const answers: Answer[] = [];
  const requestIds: string[] = [];
  for (const field of [...Object.keys(newPrincipal()), 'service_name', 'client_id', 'status', 'expires_at', 'seed']) {
    for (const write of [
      (seed: string) => seed,
      (seed: string) => `x-${seed}.y`,
      (seed: string) => seed.toLowerCase(),
    ]) {
      const seed = seedOf(createUser());
      const requestId = `seed-${requestIds.length}-of-${field}`;
      const answer = await create({ [field]: write(seed) }, requestId);
      expect([400, 422], answer.raw).toContain(answer.status);
      seeds.push(seed);
      answers.push(answer);
      requestIds.push(requestId);
    }
  }
  const control = newPrincipal({ bus_user: 'control-of-what-is-stored' });
  expect((await create(control)).status).toBe(201);
  for (const resource of ['bus/principals', 'audit-events']) {
    const answer = await signedRequest(admin, 'GET', `${TENANT}/${resource}?limit=500`);
    expect(answer.status).toBe(200);
    expect(answer.body.items.length).toBeGreaterThan(0);
    answers.push(answer);
  }

  expect(await server.stop()).toBe(0);
  const log = server.stdout() + server.stderr();
  const files = stored();
  for (const requestId of requestIds) expect(log).toContain(requestId);
  expect(files).toContain(control.bus_user);
  expect(files).toContain(control.bus_user_public_key);

  const everything = [...answers.map(({ raw }) => raw), log, files].join('\n').toUpperCase();
  for (const seed of seeds) expect(everything.includes(seed)).toBe(false);
});
