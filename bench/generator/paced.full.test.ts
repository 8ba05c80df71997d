import { platform } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { prepareAtRate } from './paced.js';

test('every request of a signed file is accepted', async () => {
  const { nodes, demo } = platform();
  const [baseUrl = ''] = nodes;
  const send = prepareAtRate({ baseUrl, profile: demo, seconds: 0.25 }, 200);
  expect(await send()).toMatchObject({ accepted: 50, refused: { count: 0 }, limited: 0 });
});
