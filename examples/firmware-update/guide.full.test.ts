import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startNode } from '@tenant-open-platform/testing';
import { jsonIn, runPage } from '@tenant-open-platform/testing/documentation-blocks';
import { ownNats } from '@tenant-open-platform/testing/private-nats';
import { startObjectStore } from '@tenant-open-platform/testing/start-object-store';
import { expect, test } from 'vitest';

test('docs/firmware-updates.md, pasted from top to bottom: the image reaches the device step by step, a damaged one does not', async () => {
  const [nats, store] = await Promise.all([ownNats(), startObjectStore()]);
  const { endpoint, bucket, access_key_id, secret_access_key } = store;
  const { folder } = await startNode({ NATS_URL: nats.url, ALLOW_INSECURE_OBJECT_ENDPOINTS: 'true' });
  const notes = join(folder, 'notes.txt');
  try {
    const printed = await runPage('docs/firmware-updates.md', {
      marked: 'run-full',
      before: [
        `endpoint=${endpoint} region=us-east-1 bucket=${bucket} access_key_id=${access_key_id}`,
        `cp ${folder}/platform-admin.json ${folder}/demo.json data/`,
        `printf %s ${secret_access_key} > data/store.secret`,
        `exec 2> ${notes}`,
      ].join('\n'),
      env: { NATS_URL: nats.url },
    });
    const [updated, listed, refused] = jsonIn(printed).slice(-3);
    const done = { status: 'SUCCEEDED', result: { version: '7.2' }, progress: { step: 16, of: 16 } };
    expect(updated).toMatchObject(done);
    expect(listed).toMatchObject([done]);
    expect(refused).toMatchObject({ status: 'REJECTED', progress: null, status_reason: { code: 'WRONG_IMAGE' } });
    // Sixteen blocks take four seconds, and each second has a step. On a busy machine, which reads seldom, one is seen.
    const steps = readFileSync(notes, 'utf8').match(/step \d+ of 16/g);
    expect(new Set(steps).size).toBeGreaterThanOrEqual(1);
  } finally {
    await store.stop();
  }
});
