import { platform } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { prepareAtRate } from './paced.js';

const SECONDS = 4;

test('every request of a signed file is accepted', async () => {
  const { nodes, demo } = platform();
  const [baseUrl = ''] = nodes;
  // Two requests, the second due after 2 of 4 seconds. A machine that delays it by 2 seconds has left it out.
  const send = () => prepareAtRate({ baseUrl, profile: demo, seconds: SECONDS }, 0.5)();
  let answers = await send();
  while (answers.unsent > 0 && answers.seconds > SECONDS) answers = await send();
  expect(answers).toMatchObject({ accepted: 2, unsent: 0, refused: { count: 0 }, limited: 0 });
});
