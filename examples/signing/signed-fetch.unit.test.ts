import { startWithOtherCommand } from '@tenant-open-platform/testing/mismatch';
import { expect, test } from 'vitest';
import { signedFetch } from './typescript/signed-fetch.js';

test('a fetch that signs throws if its key belongs to another command', async () => {
  const { url, requests } = await startWithOtherCommand();
  const sent = signedFetch({ clientId: 'demo', secret: 'secret' })(`${url}/api/v1/open/downlink/commands`, {
    method: 'POST',
    body: '{}',
  });
  await expect(sent).rejects.toThrow('The key belongs to another command: payload, device_id differ.');
  expect(requests).toEqual(['POST']);
});
