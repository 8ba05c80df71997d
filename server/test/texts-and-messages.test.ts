import { createTenant, platform, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { expectRefusal } from './support/expect-refusal.js';
import { unique } from './support/unique.js';

const COMMANDS = '/api/v1/open/downlink/commands';

test('keeps names and device ids of every script as they are, and finds commands by them', async () => {
  const { operator } = await createTenant();
  for (const text of ['می\u200cخواهم', 'क्\u200dष', '👨\u200d👩\u200d👧\u200d👦 Zuhause', '温度 센서']) {
    const tenant = { tenant_id: unique('tenant'), name: text };
    const created = await signedRequest(platform().admin, 'POST', '/api/v1/platform/tenants', { body: tenant });
    expect([created.status, created.body.name]).toEqual([201, text]);
    const body = {
      vendor: 'vendor_a',
      device_id: text,
      command_type: 'reboot',
      payload: {},
      idempotency_key: unique('k'),
    };
    const { body: command } = await signedRequest(operator, 'POST', COMMANDS, { body });
    const { body: found } = await signedRequest(operator, 'GET', `${COMMANDS}?device_id=${encodeURIComponent(text)}`);
    expect(found.items).toMatchObject([{ command_id: command.command_id, device_id: text }]);
  }
});

test('refuses invisible characters that a name does not need', async () => {
  for (const text of ['ad\u200dmin', 'abc\u202egnp', 'a\u2066b', 'a\u200bb']) {
    const body = { tenant_id: unique('tenant'), name: text };
    const refused = await signedRequest(platform().admin, 'POST', '/api/v1/platform/tenants', { body });
    expectRefusal(refused, 'VALIDATION_FAILED');
    expect(refused.body.message).toBe('The request is not valid: body/name must be 1 to 128 printable characters.');
  }
});

test('says in one sentence for each place what is wrong with it', async () => {
  const { operator, admin } = await createTenant();
  const body = { vendor: 'Vendor A', payload: [], timeout_seconds: '30', idempotency_key: '' };
  const command = await signedRequest(operator, 'POST', COMMANDS, { body });
  expectRefusal(command, 'VALIDATION_FAILED');
  expect(command.body.details).toEqual([
    {
      location: 'body/vendor',
      code: 'INVALID_FORMAT',
      message: 'must be 1 to 63 of the characters a-z 0-9 _ -, and not begin with _ or -',
    },
    { location: 'body/device_id', code: 'INVALID_TYPE', message: 'is required' },
    { location: 'body/command_type', code: 'INVALID_TYPE', message: 'is required' },
    { location: 'body/payload', code: 'INVALID_TYPE', message: 'must be an object' },
    {
      location: 'body/idempotency_key',
      code: 'INVALID_FORMAT',
      message: 'must be 1 to 128 visible ASCII characters without spaces',
    },
    { location: 'body/timeout_seconds', code: 'INVALID_TYPE', message: 'must be a number' },
  ]);
  const resource = { name: 'Images', credential_id: 'x', bucket: 'images', allowed_operations: 'UPLOAD' };
  const refused = await signedRequest(admin, 'POST', '/api/v1/open/objects/resources', { body: resource });
  expect(refused.body.details).toEqual([
    { location: 'body/credential_id', code: 'INVALID_FORMAT', message: 'must be a UUID' },
    { location: 'body/allowed_operations', code: 'INVALID_TYPE', message: 'must be a list' },
  ]);
});
