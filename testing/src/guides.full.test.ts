import { describe, expect, test, vi } from 'vitest';
import { blocksOf, expectInOrder, guides, jsonIn, runPage } from './documentation-blocks.js';
import { startObjectStore } from './start-object-store.js';

vi.setConfig({ testTimeout: 180_000 });

/** The texts that a page prints, in this order. Pages without an entry have a test of their own. */
const prints: Record<string, string[]> = {
  'docs/quickstart.md': ['"status": "SUCCEEDED"', 'DEVICE_FAULT', 'command.completed'],
  'docs/sdk.md': [
    'ok-1 true',
    'not final yet: 36',
    'fulfilled VALIDATION_FAILED',
    "status: 'ACCEPTED'",
    'VENDOR_NOT_ENABLED',
    '/docs/errors#',
    '\nc1\ndemo\n',
  ],
  'docs/concepts.md': ["curl -X POST '"],
  'docs/console.md': ['"client_id": "support"', '"support_reader"'],
  'docs/device-requests.md': ['"firmware_check"', '"status": "REPLIED"'],
  'docs/adapters.md': ['"vendors": ['],
  'docs/bus-messages.md': ['ommand'],
  'docs/configuration.md': ['"limits"'],
  'docs/configuration-as-files.md': [
    '+ tenant hooli',
    'Plan: 9 to create',
    'Plan: 0 to create, 0 to change, 0 to disable.',
    '"integration_operator"',
    'name: "Changed by hand" → "Hooli"',
    'topctl role-bindings delete hooli-backend integration_operator --tenant hooli',
    '- credential hooli/hooli-backend',
    'tenant_id: hooli',
    'url: https://hooks.hooli.example/top',
  ],
  'docs/errors.md': [],
  'docs/deploying.md': [],
  'docs/nats.md': ['accounts {', '{ nkey: U'],
  'docs/troubleshooting.md': ['"code": "RESULT_INVALID"', '"parked_message_id"'],
  'docs/signing-code.md': ['"X-Api-Signature": "v1='],
  'docs/signing.md': ['"X-Api-Signature": "v1='],
  'docs/topctl.md': ['signature', '"profile": "wonka"', 'SUCCEEDED', 'credentials.create', '"status": "DISABLED"'],
  'docs/tenants.md': ['"status": "DISABLED"', '"status": "DELET'],
  'docs/vendors.md': ['"status": "TIMED_OUT"', '"enabled": false'],
};
const ownTests = ['docs/requests.md', 'docs/access.md', 'docs/events.md', 'docs/commands.md', 'docs/objects.md'];

const pages = guides.filter((page) => blocksOf(page).some(({ marked }) => marked === 'run'));

describe.each(pages.filter((page) => !ownTests.includes(page)))('%s', (page) => {
  test('pasted from top to bottom, prints what the page promises', async () => {
    expectInOrder(await runPage(page), prints[page]);
  });
});

test('docs/requests.md: a key creates one command, and one credential whose secret is shown again', async () => {
  const printed = await runPage('docs/requests.md');
  expectInOrder(printed, ['2 items, then ', 'SUCCEEDED', '"requests_per_minute"']);
  const outputs = jsonIn(printed);
  const [first, again, listed, credential, repeated] = outputs;
  expect(again).toMatchObject({ command_id: first.command_id, accepted_at: first.accepted_at, status: 'ACCEPTED' });
  expect(listed.map(({ command_id }: { command_id: string }) => command_id)).toEqual([first.command_id]);
  expect(credential.secret).toMatch(/^osk_/);
  expect(repeated.secret).toBe(credential.secret);
});

test('docs/objects.md, pasted from top to bottom, moves a file to a store and back', async () => {
  const store = await startObjectStore();
  const { endpoint, bucket, access_key_id, secret_access_key } = store;
  const variables = `endpoint=${endpoint} region=us-east-1 bucket=${bucket} access_key_id=${access_key_id}`;
  const secret = `printf %s ${secret_access_key} > data/store.secret`;
  try {
    const outputs = jsonIn(await runPage('docs/objects.md', { before: `${variables}\n${secret}` }));
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

test('docs/events.md, pasted from top to bottom, follows a command, and configures an endpoint and deletes it with its subscription', async () => {
  const printed = await runPage('docs/events.md');
  const followed = ['command.accepted ACCEPTED', 'command.completed SUCCEEDED'];
  expectInOrder(printed, ['"event_type": "command.completed"', ...followed]);
  const outputs = jsonIn(printed);
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

test('docs/commands.md, pasted from top to bottom, sends commands and waits for them', async () => {
  const printed = await runPage('docs/commands.md');
  expectInOrder(printed, ['ADAPTER_STATUS  REASON', 'UNREACHABLE     UNREACHABLE']);
  const outputs = jsonIn(printed);
  const [succeeded, failed, waited, unknown] = outputs;
  expect(succeeded.history).toContainEqual(expect.objectContaining({ source: 'DEVICE' }));
  expect(succeeded).toMatchObject({ device_id: 'ok-1', status: 'SUCCEEDED', public_status: 'SUCCEEDED' });
  expect(failed).toMatchObject({ status: 'FAILED', status_reason: { code: 'DEVICE_FAULT' } });
  expect(waited).toMatchObject({ device_id: 'ok-2', status: 'SUCCEEDED' });
  expect(unknown).toMatchObject({ status: 'TIMED_OUT', public_status: 'UNKNOWN' });
  const [ofOne, ofOther, summary, unsuccessful, ...fleet] = outputs.slice(4);
  for (const line of [ofOne, ofOther]) expect(line).toMatchObject({ line: expect.any(Number), status: 'SUCCEEDED' });
  expect(summary).toMatchObject({ total: 600, counts: { SUCCEEDED: 600 } });
  expect(unsuccessful).toEqual([]);
  const ofDevice = (device: string) => expect.objectContaining({ device_id: device });
  expect(fleet).toHaveLength(6);
  expect(fleet.slice(0, 3)).toEqual(expect.arrayContaining(['ok-1', 'unreachable-1', 'fail-1'].map(ofDevice)));
  const [repeated, ...chosen] = fleet.slice(3);
  expect(repeated).toMatchObject({ device_id: 'unreachable-1', idempotency_key: expect.stringMatching(/^again-/) });
  expect(chosen).toEqual(expect.arrayContaining(['unreachable-1', 'fail-1'].map(ofDevice)));
});
