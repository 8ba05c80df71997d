import { expect, test, vi } from 'vitest';
import { type Block, blocksOf, runPasted } from './readme-blocks.js';
import { startObjectStore } from './start-object-store.js';

vi.setConfig({ testTimeout: 60_000 });

/** Pastes the marked blocks of a page from top to bottom; returns the JSON that they print. */
async function paste(page: string, before = '') {
  const blocks = blocksOf(page);
  expect(blocks.length).toBeGreaterThan(0);
  const block: Block = { language: 'sh', marked: 'run', code: [before, ...blocks.map(({ code }) => code)].join('\n') };
  return (await runPasted(block)).split(/^(?=[{[])/m).map((output) => JSON.parse(output));
}

test('docs/objects.md, pasted from top to bottom, moves a file to a store and back', async () => {
  const store = await startObjectStore();
  const { endpoint, bucket, access_key_id, secret_access_key } = store;
  const variables = `endpoint=${endpoint} region=us-east-1 bucket=${bucket} access_key_id=${access_key_id}`;
  const secret = `printf %s ${secret_access_key} > data/store.secret`;
  try {
    const outputs = await paste('docs/objects.md', `${variables}\n${secret}`);
    const [uploaded, downloaded, presigned, rotated, , disabled, ...deleted] = outputs.slice(-8);
    const key = 'pump-7/2.4.1.bin';
    expect([uploaded, downloaded]).toEqual(
      [1, 2].map(() => expect.objectContaining({ object_key: key, content_length: 14 })),
    );
    expect(presigned.url).toContain(`${endpoint}/${bucket}/firmware/${key}?`);
    expect(await (await fetch(presigned.url)).text()).toBe('firmware 2.4.1');
    expect(rotated).toMatchObject({ secret_version: 2 });
    expect(disabled).toMatchObject({ status: 'DISABLED', max_expires_in_seconds: 900 });
    expect(deleted).toMatchObject([
      { resource_id: disabled.resource_id, deleted: true },
      { credential_id: rotated.credential_id, deleted: true },
    ]);
  } finally {
    await store.stop();
  }
});

test('docs/callbacks.md, pasted from top to bottom, configures an endpoint, and deletes its subscription and then the endpoint', async () => {
  const outputs = await paste('docs/callbacks.md');
  const [created, subscriptions, rotated, changed, disabled, switchedOff, unsubscribed, deleted] = outputs.slice(-8);
  expect(created).toMatchObject({ url: 'https://hooks.acme.example/top', secret_version: 1 });
  expect(subscriptions).toMatchObject([{ event_type: 'command.completed', status: 'ACTIVE' }]);
  expect(rotated).toMatchObject({ secret_version: 2, previous_secret_expires_at: expect.any(String) });
  expect(changed).toMatchObject({ url: 'https://hooks.acme.example/orders', timeout_seconds: 10, max_attempts: 5 });
  expect(disabled).toMatchObject({ status: 'DISABLED' });
  const { subscription_id } = subscriptions[0];
  expect(switchedOff).toMatchObject({ subscription_id, status: 'DISABLED' });
  expect(unsubscribed).toMatchObject({ subscription_id, deleted: true });
  expect(deleted).toMatchObject({ endpoint_id: created.endpoint_id, deleted: true });
  expect(JSON.stringify(outputs)).not.toContain('whsec_');
});

test('docs/commands.md, pasted from top to bottom, sends commands, waits for them and lists their events', async () => {
  const outputs = await paste('docs/commands.md');
  const [succeeded, failed, waited, first, replayed, events] = outputs;
  expect(succeeded).toMatchObject({ device_id: 'ok-1', status: 'SUCCEEDED', public_status: 'SUCCEEDED' });
  expect(failed).toMatchObject({ status: 'FAILED', status_reason: { code: 'DEVICE_FAULT' } });
  expect(waited).toMatchObject({ device_id: 'ok-2', status: 'SUCCEEDED' });
  expect(first).toMatchObject({ device_id: 'ok-1', status: 'SUCCEEDED' });
  expect(replayed).toMatchObject({ command_id: first.command_id, status: 'ACCEPTED' });
  const { command_id } = waited;
  const types = ['command.accepted', 'command.completed'];
  expect(events).toMatchObject(types.map((event_type) => ({ event_type, data: { command_id } })));
  expect(outputs).toHaveLength(6);
});
