import { createAccount, createUser } from '@nats-io/nkeys';
import { createTenant, platform } from '@tenant-open-platform/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { environmentOf, topctl, unusedSecret, type World } from '../../test/topctl.js';

const { admin, operator, reader, tenant_id } = await createTenant();
const { admin: platformAdmin } = platform();
const UNKNOWN_ID = '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d';

afterEach(() => {
  vi.useRealTimers();
});

/** What differs between two runs. */
const names: [RegExp | string, string][] = [
  [operator.base_url, 'https://platform.example.com'],
  [/http:\/\/127\.0\.0\.1:\d+/g, 'https://platform.example.com'],
  [/127\.0\.0\.1:\d+/g, '203.0.113.7:443'],
  [operator.client_id, 'acme-operator'],
  [reader.client_id, 'acme-reader'],
  [admin.client_id, 'acme-admin'],
  [platformAdmin.client_id, 'platform-admin'],
  [tenant_id, 'acme'],
  [/(request id:?) [\w.~-]+/g, '$1 REQUEST_ID'],
  [/\b[AU][A-Z2-7]{55}\b/g, 'PUBLIC_KEY'],
  [/(--idempotency-key) [0-9a-f-]{36}/g, '$1 KEY'],
];

/** Compares with the golden file: what the user sees of the run. Refresh: vitest --update */
async function expectMessage(name: string, argv: string[], world: World) {
  const { exitCode, stdout, stderr } = await topctl(argv, world);
  const seen = `$ topctl ${argv.join(' ')}\n${stdout}${stderr}exit code ${exitCode}\n`;
  const text = names.reduce((shown, [found, written]) => shown.replaceAll(found, written), seen);
  await expect(text).toMatchFileSnapshot(`../../test/messages/${name}.txt`);
}

/**
 * Runs work whose clock stands still during requests. What topctl asks for a message may take three seconds: without
 * the answer, the message says less.
 */
async function atLeisure(work: (fetch: typeof globalThis.fetch) => Promise<void>) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let requests = 0;
  let hasEnded = false;
  const ended = work(async (input, init) => {
    requests++;
    try {
      const answer = await fetch(input, init);
      return new Response(await answer.arrayBuffer(), answer);
    } finally {
      requests--;
    }
  }).finally(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    await new Promise(setImmediate);
    if (requests === 0) await vi.advanceTimersByTimeAsync(10);
  }
  await ended;
}

const create = (vendor: string, type: string) =>
  `commands create --vendor ${vendor} --device-id ok-1 --command-type ${type}`.split(' ');

test.each<[string, string[], World]>([
  ['wrong-flag', ['commands', 'list', '--devise-id', 'ok-1'], { env: environmentOf(reader) }],
  ['enum', ['commands', 'list', '--status', 'SUCEEDED'], { env: environmentOf(reader) }],
  ['enum-of-one', ['tenants', 'update', 'acme', '--status', 'OFF'], { env: environmentOf(admin) }],
  ['missing-scope', ['roles', 'list'], { env: environmentOf(reader) }],
  ['missing-scope-of-a-command', create('vendor_a', 'reboot'), { env: environmentOf(reader) }],
  ['catalog-of-an-administrator', ['catalog', 'get'], { env: environmentOf(platformAdmin) }],
  ['command-of-an-administrator', create('vendor_a', 'reboot'), { env: environmentOf(platformAdmin) }],
  ['only-for-the-platform', ['vendors', 'list'], { env: environmentOf(admin) }],
  ['another-tenant', ['roles', 'list', '--tenant', 'demo'], { env: environmentOf(admin) }],
  ['mistyped-client-id', ['whoami'], { env: { ...environmentOf(reader), TOP_CLIENT_ID: 'acme-raeder' } }],
  ['wrong-secret', ['whoami'], { env: { ...environmentOf(reader), TOP_SECRET: unusedSecret } }],
  ['mistyped-secret', ['whoami'], { env: { ...environmentOf(reader), TOP_SECRET: `${unusedSecret}x` } }],
  ['no-profile', ['whoami'], {}],
  ['unknown-tenant', ['tenants', 'get', 'nowhere'], { env: environmentOf(platformAdmin) }],
  ['list-of-unknown-tenant', ['roles', 'list', '--tenant', 'nowhere'], { env: environmentOf(platformAdmin) }],
  ['unknown-id', ['commands', 'get', UNKNOWN_ID], { env: environmentOf(reader) }],
  ['unknown-credential', ['credentials', 'get', 'nobody'], { env: environmentOf(admin) }],
  [
    'unknown-credential-in-the-body',
    ['role-bindings', 'create', '--client-id', 'nobody', '--role', 'integration_reader'],
    { env: environmentOf(admin) },
  ],
  ['unknown-role-binding', ['role-bindings', 'delete', 'nobody', 'reader', '--yes'], { env: environmentOf(admin) }],
  ['unknown-vendor', create('vendr_a', 'reboot'), { env: environmentOf(operator) }],
  [
    'unknown-vendor-of-a-principal',
    ['bus-principals', 'create', '--tenant', tenant_id, '--principal-type', 'SERVICE', '--bus-user', 'adapter']
      .concat(['--vendors', 'vendor_a,vendr_b'])
      .concat([
        '--bus-user-public-key',
        createUser().getPublicKey(),
        '--bus-account-public-key',
        createAccount().getPublicKey(),
      ]),
    { env: environmentOf(platformAdmin) },
  ],
  ['unknown-command-type', create('vendor_a', 'rebot'), { env: environmentOf(operator) }],
  ['invalid-payload', [...create('vendor_a', 'reboot'), '--payload', '{"speed":3}'], { env: environmentOf(operator) }],
  ['missing-yes', ['credentials', 'rotate', 'acme-backend', '--tenant', 'acme'], { env: environmentOf(admin) }],
  ['wrong-base-url', ['whoami', '--base-url', 'platform.example.com'], { env: environmentOf(reader) }],
])('the message of %s says what happened, to what, as whom, and what to type next', (name, argv, world) =>
  atLeisure((fetch) => expectMessage(name, argv, { ...world, fetch })),
);

test('the message of an expired credential does the same', async () => {
  const expired = ['credentials', 'update', reader.client_id, '--expires-at', '2026-01-31T09:30:00Z'];
  const { reader: other, admin: theirAdmin } = await createTenant();
  await topctl(
    expired.map((word) => (word === reader.client_id ? other.client_id : word)),
    {
      env: environmentOf(theirAdmin),
    },
  );
  names.unshift([other.client_id, 'acme-reader'], [other.tenant_id, 'acme']);
  await atLeisure((fetch) => expectMessage('expired-credential', ['whoami'], { env: environmentOf(other), fetch }));
});

/** Nothing listens there. */
const NOBODY = 'http://127.0.0.1:2';

test('an unreachable platform is named with its URL and the profile', async () => {
  const env = environmentOf({ ...reader, base_url: NOBODY });
  await expectMessage('unreachable', ['whoami'], { env });
  await expectMessage('unreachable-write', ['tenants', 'create', '--tenant-id', 'acme', '--name', 'Acme'], { env });
});

test('a stalled platform is named after three seconds, and again at the end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
  const silent: typeof fetch = (_, init) =>
    new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
  let hasEnded = false;
  const ended = expectMessage('stalled', ['whoami'], { env: environmentOf(reader), fetch: silent, typed: [] }).finally(
    () => {
      hasEnded = true;
    },
  );
  while (!hasEnded) await vi.advanceTimersByTimeAsync(1_000);
  await ended;
});

test('a clock that is ten minutes off is said once, and the command works', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 600_000 });
  await expectMessage('clock', ['commands', 'list'], { env: environmentOf(reader) });
});
