import { randomUUID } from 'node:crypto';
import { PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { platform, signedRequest } from '@tenant-open-platform/testing';
import { asc, like } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { openPool } from '../../../test/support/open-pool.js';
import { asTenant } from '../../foundation/database/row-level-security.js';
import { auditEvents } from '../../gateway/tables.js';

const database = openPool();

test('every change of the catalog is in the log of tenant platform, and refused changes are not', async () => {
  const path = `platform/catalog/vendors/vendor-${randomUUID()}`;
  const { client_id } = platform().admin;
  const answers = [];
  for (const [target, body] of [
    [path, { enabled: true }],
    [`${path}/command-types/reboot`, { description: 'a' }],
    [`${path}/command-types/reboot`, { description: 'a', payload_schema: { $ref: '#' } }],
    [`${path}x/command-types/reboot`, { description: 'a', payload_schema: {} }],
    [`${path}/command-types/reboot`, { description: 'a', payload_schema: {} }],
    [`${path}/command-types/reboot`, { enabled: false }],
  ] as const) {
    answers.push(await signedRequest(platform().admin, 'PUT', `/api/v1/${target}`, { body }));
  }
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 422, 404, 200, 200]);

  const entries = await asTenant(database, PLATFORM_TENANT_ID, (tx) =>
    tx
      .select()
      .from(auditEvents)
      .where(like(auditEvents.target, `${path}%`))
      .orderBy(asc(auditEvents.auditEventId)),
  );
  const type = { operation: 'commandTypes.put', target: `${path}/command-types/reboot` };
  expect(entries).toMatchObject([
    { operation: 'vendors.put', target: path, changes: ['enabled'] },
    { ...type, changes: ['description', 'payload_schema'] },
    { ...type, changes: ['enabled'] },
  ]);
  for (const entry of entries) expect(entry).toMatchObject({ clientId: client_id, outcome: 'DONE' });
  const done = answers.filter(({ status }) => status === 200).map(({ body }) => body.request_id);
  expect(entries.map(({ requestId }) => requestId)).toEqual(done);
});
