import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { allOperations } from '@tenant-open-platform/contract';
import {
  type Answer,
  type Profile,
  type RequestOptions,
  signedRequest,
  startNode,
  temporaryFolder,
} from '@tenant-open-platform/testing';
import { ownPostgres, postgresBinaries } from '@tenant-open-platform/testing/private-postgres';
import { expect, test } from 'vitest';
import { newObjectCredential, newObjectResource } from './support/new-object.js';

const CREDENTIALS = 25;
const OBJECT_CREDENTIALS = 5;
/** Two of each credential and of its callback endpoint, plus those that keepObjectSecrets plants. */
const SECRETS = 4 * CREDENTIALS + 8 * OBJECT_CREDENTIALS;
const TENANT = '/api/v1/platform/tenants/demo';
const OBJECTS = '/api/v1/open/objects';

/** Every raw answer except those that create or rotate a secret. */
const answers: string[] = [];
const secrets: string[] = [];

const folder = temporaryFolder();
const database = await ownPostgres();
const environment = { DATA_DIR: folder, DATABASE_URL: database.url, LOG_LEVEL: 'trace' };
const server = await startNode({ ...environment, REQUESTS_PER_MINUTE: '100000' });
const { admin } = server;
const operator = server.demo;

async function ask(caller: Profile, method: string, target: string, options: RequestOptions = {}): Promise<Answer> {
  const answer = await signedRequest(caller, method, target, options);
  answers.push(`${JSON.stringify(answer.headers)}${answer.raw}`);
  return answer;
}

/** The one answer that may show the secret. */
async function plant(method: string, target: string, body: object, caller = admin): Promise<Answer['body']> {
  const { raw, body: created } = await signedRequest(caller, method, target, { body });
  secrets.push(created.secret);
  expect(raw.split(created.secret)).toHaveLength(2);
  return created;
}

/** The secrets of an object credential, which no answer shows; some are in refused requests. */
async function keepObjectSecrets(caller: Profile): Promise<void> {
  const planted = () => {
    const secret = `canary_${randomBytes(30).toString('base64url')}`;
    secrets.push(secret);
    return secret;
  };
  const withSecrets = (fields: object = {}) =>
    newObjectCredential({ secret_access_key: planted(), session_token: planted(), ...fields });
  const { body: created } = await ask(caller, 'POST', `${OBJECTS}/credentials`, { body: withSecrets() });
  const credential = `${OBJECTS}/credentials/${created.credential_id}`;
  const insecure = { body: withSecrets({ endpoint: 'http://insecure' }) };
  expect((await ask(caller, 'POST', `${OBJECTS}/credentials`, insecure)).body.code).toBe('VALIDATION_FAILED');
  await ask(caller, 'PUT', credential, { body: { secret_access_key: `${planted()}\n`, session_token: planted() } });
  const rotation = { access_key_id: 'SECOND', secret_access_key: planted(), session_token: planted() };
  await ask(caller, 'PUT', credential, { body: rotation });

  const { body: resource } = await ask(caller, 'POST', `${OBJECTS}/resources`, {
    body: newObjectResource(created.credential_id),
  });
  const body = { operation: 'DOWNLOAD', resource_id: resource.resource_id, object_key: 'a' };
  // A URL carries the session token that it is signed with: its bearer needs it.
  const { status } = await signedRequest(operator, 'POST', `${OBJECTS}/presign`, { body });
  await ask(caller, 'PUT', credential, { body: { session_token: null } });
  const withoutToken = await ask(operator, 'POST', `${OBJECTS}/presign`, { body });
  expect([status, withoutToken.status]).toEqual([200, 200]);
}

/** In every form: as text, its bytes in base64 and hex, and without its prefix. */
const spellings = (secret: string) => [
  secret.replace(/^[a-z]+_/, ''),
  Buffer.from(secret).toString('base64').slice(0, -4),
  Buffer.from(secret).toString('hex'),
];

test('none of 140 secrets appears in an answer other than the one that created it, in a log line, or in plain text in a table', async () => {
  for (let index = 0; index < CREDENTIALS; index++) {
    const client_id = `canary-${index}`;
    const { secret: made } = await plant('POST', `${TENANT}/credentials`, { client_id, name: client_id });
    const profile = { ...admin, tenant_id: 'demo', client_id, secret: made };
    await ask(admin, 'POST', `${TENANT}/role-bindings`, { body: { client_id, role: 'tenant_admin' } });
    for (const { route } of allOperations) {
      const target = route.path.replaceAll(':tenant_id', 'demo').replaceAll(':client_id', client_id);
      if (route.method === 'GET' && !target.includes(':')) await ask(profile, 'GET', target);
    }
    const credential = `${TENANT}/credentials/${client_id}`;
    await ask(profile, 'GET', credential);
    await ask(profile, 'PUT', credential, { body: { name: 'Renamed', allowed_clock_skew_seconds: 60 } });
    await ask(profile, 'PUT', credential, { body: { allowed_clock_skew_seconds: -1 } });
    await ask(profile, 'GET', '/api/v1/open/me', { timestamp: 1_000_000_000 });
    await ask({ ...profile, secret: `${made}x` }, 'GET', '/api/v1/open/me');
    await ask(profile, 'GET', '/api/v1/open/me', { signature: `v1=${'0'.repeat(64)}` });

    const rotation = { rotate_secret: true, previous_secret_ttl_seconds: 600 };
    const renewed = { ...profile, secret: (await plant('PUT', credential, rotation)).secret };
    await ask(renewed, 'GET', '/api/v1/open/me');

    if (index < OBJECT_CREDENTIALS) await keepObjectSecrets(renewed);

    const endpoints = '/api/v1/open/callbacks/endpoints';
    const hook = { name: client_id, url: 'https://hooks.acme.example/' };
    const endpoint = `${endpoints}/${(await plant('POST', endpoints, hook, renewed)).endpoint_id}`;
    await plant('PUT', endpoint, rotation, renewed);
    await ask(renewed, 'GET', endpoints);
    await ask(renewed, 'GET', endpoint);
    await ask(renewed, 'PUT', endpoint, { body: { name: 'Renamed' } });
    await ask(renewed, 'PUT', endpoint, { body: { ...rotation, url: 'https://localhost/' } });
    await ask(renewed, 'POST', `${endpoint}/subscriptions`, { body: { event_type: 'command.completed' } });
    await ask(renewed, 'GET', `${endpoint}/subscriptions`);
    await ask(profile, 'GET', `${TENANT}/audit-events?client_id=${client_id}`);
  }
  expect(new Set(secrets).size).toBe(SECRETS);

  const dump = execFileSync(join(postgresBinaries(), 'pg_dump'), ['--data-only', '--inserts', database.superuserUrl], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const [log, answered] = [server.stdout() + server.stderr(), answers.join('\n')];
  // Proves that the search works: it must find the canaries' names.
  for (const text of [dump, log, answered]) expect(text).toContain(`canary-${CREDENTIALS - 1}`);
  const dumpedBytes = dump.replaceAll(/\\x([0-9a-f]+)/g, (_, hex) => Buffer.from(hex, 'hex').toString('latin1'));
  for (const secret of secrets) {
    for (const spelling of spellings(secret)) {
      for (const text of [dump, dumpedBytes, log, answered]) expect(text.includes(spelling)).toBe(false);
    }
  }
}, 300_000);
