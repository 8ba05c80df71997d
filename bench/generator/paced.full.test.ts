import { platform } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { prepareAtRate } from './paced.js';

test('every request of a signed file is accepted', async () => {
  const { nodes, demo } = platform();
  const [baseUrl = ''] = nodes;
  // Two requests, the second due after 2 of 4 seconds. It is still sent if the machine delays it by up to 2 seconds.
  const send = prepareAtRate({ baseUrl, profile: demo, seconds: 4 }, 0.5);
  expect(await send()).toMatchObject({ accepted: 2, unsent: 0, refused: { count: 0 }, limited: 0 });
});
