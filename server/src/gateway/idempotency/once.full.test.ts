import { createTenant, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { openSession } from '../../../test/support/open-pool.js';
import { unique } from '../../../test/support/unique.js';

const tenant = await createTenant();
const owner = openSession();

const create = (key: string, body: object) =>
  signedRequest(tenant.admin, 'POST', `/api/v1/platform/tenants/${tenant.tenant_id}/credentials`, {
    body,
    headers: { 'Idempotency-Key': key },
  });

test('a stored answer opens for its own key alone: in the row of another key it shows no secret', async () => {
  const body = { client_id: unique('client'), name: 'Backend' };
  const first = await create('one', body);
  expect((await create('two', { ...body, client_id: unique('client') })).status).toBe(201);
  await owner.begin(async (tx) => {
    await tx`select set_config('role', 'top_app', true), set_config('app.tenant_id', ${tenant.tenant_id}, true)`;
    const moved = await tx`
      update idempotent_answers as answer set answer_sealed = other.answer_sealed
      from idempotent_answers as other
      where answer.idempotency_key = 'two' and other.idempotency_key = 'one'`;
    expect(moved.count).toBe(1);
  });
  const { status, raw } = await create('two', body);
  expect(status).toBe(500);
  expect(raw).not.toContain(first.body.secret);
  expect((await create('one', body)).body.secret).toBe(first.body.secret);
});
