import { platform } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { prepareAtRate } from './paced.js';

test('every request of a signed file is accepted', async () => {
  const { nodes, demo } = platform();
  const [baseUrl = ''] = nodes;
  const send = prepareAtRate({ baseUrl, profile: demo, seconds: 4 }, 2);
  expect(await send()).toMatchObject({ accepted: 8, unsent: 0, refused: { count: 0 }, limited: 0 });
});
