import { createTenant, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { openPool } from '../../../test/support/open-pool.js';
import { refuse } from '../../foundation/api-error.js';
import { asTenant } from '../../foundation/database/row-level-security.js';
import { lockCredential } from './credentials.js';

const database = openPool();

test('a command is accepted while its credential is being changed', async () => {
  const { tenant_id, operator } = await createTenant();
  const body = { vendor: 'vendor_a', device_id: 'd-1', command_type: 'reboot', payload: {}, idempotency_key: 'k-1' };
  await asTenant(database, tenant_id, async (tx) => {
    expect(await lockCredential(tx, { tenantId: tenant_id, refuse }, operator.client_id)).not.toBeNull();
    expect((await signedRequest(operator, 'POST', '/api/v1/open/downlink/commands', { body })).status).toBe(202);
  });
});
