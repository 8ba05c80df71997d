import { createTenant, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { createObjectCredential, createObjectResource } from '../../../test/support/create-object.js';
import { openSession } from '../../../test/support/open-pool.js';

const tenant = await createTenant();
const credentialId = await createObjectCredential(tenant.admin, { session_token: 'a-session-token' });
const owner = openSession();

const presign = (resource_id: string, body: object) =>
  signedRequest(tenant.operator, 'POST', '/api/v1/open/objects/presign', { body: { resource_id, ...body } });

const grantsOf = (resourceId: string) =>
  owner.begin(async (tx) => {
    await tx`select set_config('role', 'top_app', true), set_config('app.tenant_id', ${tenant.tenant_id}, true)`;
    return tx`select * from object_grants where resource_id = ${resourceId} order by operation`;
  });

test('a presign records who may do what until when, but neither its URL nor its signature', async () => {
  const resourceId = await createObjectResource(tenant.admin, credentialId, { key_prefix: 'firmware/' });
  const object_key = 'pump 7/2.4.1.bin';
  const content = { content_type: 'application/octet-stream', content_length: 5 * 1024 ** 3 };
  const answers = [
    await presign(resourceId, { operation: 'DOWNLOAD', object_key, expires_in_seconds: 60 }),
    await presign(resourceId, { operation: 'UPLOAD', object_key, ...content }),
  ];
  const grants = await grantsOf(resourceId);
  expect(grants).toEqual(
    answers.map(({ body, headers }) => ({
      tenant_id: tenant.tenant_id,
      presign_id: body.presign_id,
      resource_id: resourceId,
      operation: body.operation,
      key: 'firmware/pump 7/2.4.1.bin',
      content_type: body.operation === 'UPLOAD' ? content.content_type : null,
      content_length: body.operation === 'UPLOAD' ? String(content.content_length) : null,
      client_id: tenant.operator.client_id,
      request_id: headers['x-request-id'],
      granted_at: expect.any(Date),
      expires_at: new Date(body.expires_at),
    })),
  );
  for (const { body } of answers) {
    const { host, searchParams } = new URL(body.url);
    for (const part of [host, String(searchParams.get('X-Amz-Signature')), 'a-session-token']) {
      expect(JSON.stringify(grants)).not.toContain(part);
    }
  }
});

test('a refused presign records nothing', async () => {
  const resourceId = await createObjectResource(tenant.admin, credentialId, { allowed_operations: ['UPLOAD'] });
  const answer = await presign(resourceId, { operation: 'DOWNLOAD', object_key: 'a' });
  expect([answer.status, answer.body.code]).toEqual([403, 'OBJECT_POLICY_DENIED']);
  expect(await grantsOf(resourceId)).toEqual([]);
});
