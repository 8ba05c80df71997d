import { EventEmitter } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { platform, temporaryFolder } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { filesBelow } from '../../test/files-below.js';
import { apply, inSecrets, readJson, SECRET, toDoIn, writeFiles } from '../../test/platform-files.js';
import { environmentOf, topctl } from '../../test/topctl.js';

const env = environmentOf(platform().admin);
const admin = (...argv: string[]) => topctl(argv, { env });

/** A folder, and a name for what a test adds to the platform. */
const fresh = () => ({ world: { cwd: temporaryFolder(), env }, name: `t${crypto.randomUUID().slice(0, 8)}` });

test('stops at the first refusal, says what is done, and a repetition does the rest', async () => {
  const { world, name } = fresh();
  const types = (schema: object) => ({
    vendors: [
      {
        vendor: `vendor_${name}`,
        command_types: [
          { command_type: 'first', description: 'First.', payload_schema: {} },
          { command_type: 'second', description: 'Second.', payload_schema: schema },
          { command_type: 'third', description: 'Third.', payload_schema: {} },
        ],
      },
    ],
    tenants: [{ tenant_id: `${name}-acme`, name: 'Acme' }],
  });
  await writeFiles(world.cwd, { 'platform/all.json': types({ type: 'no such type' }) });
  const refused = await apply(world, '--yes');
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain(`created command type vendor_${name}/first\n`);
  expect(refused.stderr).toMatch(
    new RegExp(`Stopped at command type vendor_${name}/second \\(platform/all.json:\\d+\\): 2 of 5 steps are done`),
  );
  expect(refused.stderr).toContain('(PAYLOAD_SCHEMA_INVALID)');
  expect(toDoIn(refused).map(({ done }) => done)).toEqual([true, true, false, false, false]);

  await writeFiles(world.cwd, { 'platform/all.json': types({ type: 'object' }) });
  const repeated = await apply(world, '--yes');
  expect(repeated.exitCode).toBe(0);
  expect(toDoIn(repeated).map((step) => step.name)).toEqual([
    `vendor_${name}/second`,
    `vendor_${name}/third`,
    `${name}-acme`,
  ]);
  expect(toDoIn(await apply(world))).toEqual([]);
});

test('asks on a terminal, needs --yes elsewhere, and does nothing if the platform changes meanwhile', async () => {
  const { world, name } = fresh();
  const tenant_id = `${name}-asked`;
  await writeFiles(world.cwd, { 'platform/a.yaml': `tenants: [{ tenant_id: ${tenant_id}, name: Asked }]` });
  const unasked = await apply(world);
  expect(unasked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('missing --yes') });
  expect(unasked.stderr).toContain(`+ tenant ${tenant_id}`);
  const no = await apply({ ...world, typed: ['n'], table: true });
  expect(no).toMatchObject({ exitCode: 130, stdout: expect.stringContaining(`+ tenant ${tenant_id}`) });

  let lists = 0;
  const meddling: typeof fetch = async (input, init) => {
    const isList = new URL(String(input)).pathname === '/api/v1/platform/tenants' && init?.method === 'GET';
    if (isList && ++lists === 2) await admin('tenants', 'create', '--tenant-id', tenant_id, '--name', 'Other');
    return fetch(input, init);
  };
  const changed = await apply({ ...world, typed: ['y'], fetch: meddling });
  expect(changed).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('has changed since the plan was shown'),
  });
  expect(JSON.parse((await admin('tenants', 'get', tenant_id)).stdout)).toMatchObject({ name: 'Other' });
  expect(await apply({ ...world, typed: ['y'] })).toMatchObject({ exitCode: 0 });
  expect(JSON.parse((await admin('tenants', 'get', tenant_id)).stdout)).toMatchObject({ name: 'Asked' });
});

test('a lost answer loses no secret: the file keeps the request, and a repetition fetches the secret', async () => {
  const { world, name } = fresh();
  const client_id = `${name}-app`;
  await writeFiles(world.cwd, {
    'platform/a.json': { tenants: [{ tenant_id: name, name: 'Lost', credentials: [{ client_id, name: 'App' }] }] },
  });
  const losing: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (init?.method !== 'POST' || !String(input).endsWith('/credentials')) return response;
    await response.arrayBuffer();
    throw new TypeError('fetch failed');
  };
  const lost = await apply({ ...world, fetch: losing }, '--timeout', '2', ...inSecrets);
  expect(lost).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(`Stopped at credential ${name}/${client_id}`),
  });
  const path = join(world.cwd, 'secrets', name, `${client_id}.json`);
  expect(await readJson(path)).toMatchObject({ idempotency_key: expect.any(String) });
  const kept = await readFile(path, 'utf8');
  await writeFile(path, kept.replace(/"sent_at": "\d{4}/, '"sent_at": "2020'));
  const tooLate = await apply(world, ...inSecrets);
  expect(toDoIn(tooLate)).toEqual([]);
  expect(tooLate.stderr).toContain(`The secret of credential ${name}/${client_id} never arrived`);
  await writeFile(path, kept);
  const repeated = await apply(world, ...inSecrets);
  expect(toDoIn(repeated).map(({ action }) => action)).toEqual(['RECOVER']);
  expect(await readJson(path)).toMatchObject({ tenant_id: name, client_id, secret: expect.stringMatching(SECRET) });
  expect(await topctl(['whoami', '--profile-file', path], world)).toMatchObject({ exitCode: 0 });
  expect(toDoIn(await apply(world, ...inSecrets))).toEqual([]);
});

test('a reference that leads nowhere is named, and Ctrl-C stops after the step that runs', async () => {
  const { world, name } = fresh();
  const client_id = `${name}-app`;
  const bindings = (role: string) => ({
    tenants: [
      {
        tenant_id: name,
        name: 'Bound',
        credentials: [{ client_id, name: 'App' }],
        role_bindings: [{ client_id, role }],
      },
    ],
  });
  await writeFiles(world.cwd, { 'platform/a.json': bindings('no_such_role') });
  const signals = new EventEmitter();
  const interrupting: typeof fetch = (input, init) => {
    if (init?.method === 'POST') signals.emit('SIGINT');
    return fetch(input, init);
  };
  const interrupted = await apply({ ...world, fetch: interrupting, signals }, ...inSecrets);
  expect(interrupted).toMatchObject({
    exitCode: 130,
    stderr: expect.stringContaining('cancelled: 1 of 3 steps are done'),
  });
  const refused = await apply(world, ...inSecrets);
  expect(refused).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining(`Tenant ${name} has no role no_such_role`),
  });
  await writeFiles(world.cwd, { 'platform/a.json': bindings('integration_reader') });
  const done = await apply(world, ...inSecrets);
  expect(toDoIn(done)).toEqual([expect.objectContaining({ kind: 'role binding', done: true })]);
  const unknown = await apply(world, '--fields', 'actoin', ...inSecrets);
  expect(unknown).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--fields actoin') });
});

test('a refused credential leaves no file of a secret behind', async () => {
  const { world, name } = fresh();
  const credentials = [{ client_id: platform().demo.client_id, name: 'Taken by another tenant' }];
  await writeFiles(world.cwd, { 'platform/a.json': { tenants: [{ tenant_id: name, name: 'Late', credentials }] } });
  const refused = await apply(world, ...inSecrets);
  expect(refused).toMatchObject({ exitCode: 9, stderr: expect.stringContaining('(CREDENTIAL_ALREADY_EXISTS)') });
  expect(await filesBelow(join(world.cwd, 'secrets'))).toEqual({});
});
