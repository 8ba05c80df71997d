import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createCredential, createTenant, type Profile, platform, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';

const { admin, operator, tenant_id } = await createTenant();

/** As `npm start` in this folder runs it: with the built SDK, like any user. */
const runWith = (environment: Record<string, string>): Promise<{ stdout: string; stderr: string }> =>
  promisify(execFile)(process.execPath, ['--import', 'tsx', 'main.ts'], {
    cwd: import.meta.dirname,
    env: { PATH: process.env.PATH, ...environment },
  });

const run = ({ base_url, client_id, secret }: Profile) =>
  runWith({ TOP_BASE_URL: base_url, TOP_CLIENT_ID: client_id, TOP_SECRET: secret });

test('uploads a file to a store, downloads it, and the bytes are the same', async () => {
  const body = { client_id: admin.client_id, role: 'integration_operator' };
  const binding = await signedRequest(platform().admin, 'POST', `/api/v1/platform/tenants/${tenant_id}/role-bindings`, {
    body,
  });
  expect(binding.status).toBe(201);
  const { stdout, stderr } = await run(admin);
  expect(JSON.parse(stdout)).toMatchObject({
    object_key: 'pump-7/2.4.1.bin',
    content_length: 60_000,
    checksum_sha256: expect.stringMatching(/^.{43}=$/),
    identical: true,
  });
  expect(stderr).toContain('sent 60000 of 60000 bytes\n');
});

test('leaves nothing behind, even if it fails', async () => {
  const { admin } = await createTenant();
  await expect(run(admin)).rejects.toMatchObject({ stderr: expect.stringMatching(/^FORBIDDEN: .*open:object:create/) });
  const listed = ['credentials', 'resources'].map((kind) =>
    signedRequest(admin, 'GET', `/api/v1/open/objects/${kind}`),
  );
  for (const { body } of await Promise.all(listed)) expect(body.items).toEqual([]);
});

test('prints a refusal of the platform in one line', async () => {
  await expect(run(operator)).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^FORBIDDEN: .*open:object-config:create.* \(request [^ ]+\)$/m),
  });
});

test('prints why it failed, even if the cleanup fails too', async () => {
  const mayOnlyCreate = await createCredential(tenant_id);
  const body = { client_id: mayOnlyCreate.client_id, scope: 'open:object-config:create' };
  const policies = `/api/v1/platform/tenants/${tenant_id}/policies`;
  expect((await signedRequest(platform().admin, 'POST', policies, { body })).status).toBe(201);
  const { stderr } = await run(mayOnlyCreate).catch((error) => error);
  expect(stderr).toMatch(/^The resource .* not deleted: .*open:object-config:delete.*$/m);
  expect(stderr).toMatch(/^The credential .* not deleted: .*open:object-config:delete.*$/m);
  expect(stderr).toMatch(/^FORBIDDEN: .*open:object:create/m);
});

test('prints in one line which file is missing', async () => {
  await expect(runWith({ TOP_PROFILE_FILE: 'data/missing.json' })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^There is no data\/missing.json: .*docs\/objects.md.*tenant_admin.*\n$/),
  });
});
