import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, test } from 'vitest';
import { startConsumer } from '../start-consumer.js';
import { programOf } from './install.js';

/** Jest loads CommonJS and gives each test file its own globals, so `instanceof` and `structuredClone` may differ. */
const suite = `
const { isApiError, TenantOpenPlatform } = require('@tenant-open-platform/sdk');
const { sign } = require('@tenant-open-platform/sdk/sign');
const { connectionLost, refusal, TestPlatform } = require('@tenant-open-platform/sdk/testing');
const { WebhookVerificationError, verifyWebhook } = require('@tenant-open-platform/sdk/webhooks');

test('a call, a retry and a refusal', async () => {
  const platform = new TestPlatform();
  const client = new TenantOpenPlatform(platform.options);
  platform.on('commands.create', connectionLost(), { command_id: 'c1', status: 'ACCEPTED' });
  platform.on('me.get', refusal(403, 'FORBIDDEN'));
  const body = { vendor: 'vendor_a', device_id: 'ok-1', command_type: 'reboot', payload: {} };
  await expect(client.commands.create(body)).resolves.toMatchObject({ command_id: 'c1' });
  const error = await client.me.get().catch((error) => error);
  expect(isApiError(error, 'FORBIDDEN')).toBe(true);
  platform.assertDone();
});

test('the other entry points', async () => {
  const headers = await sign({ clientId: 'a', secret: 'b', method: 'GET', target: '/api/v1/open/me' });
  expect(headers['X-Api-Signature']).toMatch(/^v1=/);
  const delivery = verifyWebhook({ headers: {}, body: '' }, { secret: 'whsec_AAAA' });
  await expect(delivery).rejects.toBeInstanceOf(WebhookVerificationError);
});
`;

test('Jest runs the tests of a consumer', async () => {
  const consumer = await startConsumer();
  onTestFinished(() => consumer.stop());
  writeFileSync(join(consumer.folder, 'consumer.test.js'), suite);
  await consumer.run(programOf('jest@30', 'jest'), ['--rootDir', consumer.folder, '--ci']);
});
