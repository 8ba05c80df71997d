import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Profile, signedRequest } from '@tenant-open-platform/testing';
import { type PrivateNats, startPrivateNats } from '@tenant-open-platform/testing/private-nats';
import { type RunningServer, ServerExited, startServer } from '@tenant-open-platform/testing/start-server';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { natsBus } from './platform/bus/nats-bus.js';

let folder: string;
let nats: PrivateNats;
let server: RunningServer | undefined;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'top-nats-start-'));
  nats = await startPrivateNats();
  server = undefined;
});

afterEach(async () => {
  await server?.stop();
  await nats.stop();
  rmSync(folder, { recursive: true, force: true });
});

const start = (environment: Record<string, string> = {}) =>
  startServer({ DATA_DIR: folder, NATS_URL: nats.url, ...environment });

async function refusal(environment: Record<string, string>): Promise<string> {
  const outcome = await start(environment).catch((error: unknown) => error);
  if (!(outcome instanceof ServerExited)) throw new Error('The server started.', { cause: outcome });
  expect([outcome.exitCode, outcome.stderr.trimEnd().split('\n').length]).toEqual([1, 1]);
  return outcome.stderr;
}

/** A condition that the background work brings about. */
const soon = { timeout: 20_000, interval: 50 };

test('is unready while NATS is down, accepts commands meanwhile, sends them in their order when it is back, and stops without it', async () => {
  server = await start();
  const { baseUrl } = server;
  const demo: Profile = JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8'));
  const ready = async () => {
    const answer = await fetch(`${baseUrl}/readyz`);
    return { status: answer.status, ...((await answer.json()) as object) };
  };
  expect(await ready()).toEqual({ status: 'ready' });

  const adapter = await natsBus({ url: nats.url }, pino({ level: 'silent' }));
  const received: string[] = [];
  await adapter.consume({
    stream: 'TOP_COMMANDS',
    durable: 'test-adapter',
    async handle({ body }) {
      received.push(JSON.parse(body.toString('utf8')).command_id);
      return 'DONE';
    },
  });

  await nats.suspend();
  await vi.waitFor(async () => expect(await ready()).toMatchObject({ reason: 'the bus does not answer' }), soon);
  const accepted: string[] = [];
  for (let number = 0; number < 20; number += 1) {
    const answer = await signedRequest(demo, 'POST', '/api/v1/open/downlink/commands', {
      body: {
        vendor: 'vendor_a',
        device_id: 'd-1',
        command_type: 'reboot',
        payload: {},
        idempotency_key: `k-${number}`,
        timeout_seconds: 300,
      },
    });
    expect(answer.status).toBe(202);
    accepted.push(answer.body.command_id);
  }
  expect(received).toEqual([]);

  await nats.resume();
  await vi.waitFor(() => expect(received).toEqual(accepted), soon);
  await vi.waitFor(async () => expect(await ready()).toEqual({ status: 'ready' }), soon);
  await adapter.close();

  await nats.suspend();
  await vi.waitFor(async () => expect(await ready()).toMatchObject({ status: 'unready' }), soon);
  expect(await server.stop()).toBe(0);
  server = undefined;
});

test('ends the start with one line, without the password, where NATS refuses it', async () => {
  await nats.reconfigure('authorization { user: platform, password: right }');
  const line = await refusal({ NATS_URL: nats.url.replace('nats://', 'nats://platform:hunter2@') });
  expect(line).toMatch(/^NATS at 127\.0\.0\.1:\d+ refuses the platform/);
  expect(line).not.toContain('hunter2');
});

test('ends the start where NATS carries less than the largest payload', async () => {
  expect(await refusal({ PAYLOAD_LIMIT_BYTES: '1000000' })).toMatch(
    /^NATS carries messages of at most 1048576 bytes where the platform sends up to 1065536/,
  );
});

test('a NATS_URL that is no URL is refused without showing it, and production needs one', async () => {
  const wrong = await refusal({ NATS_URL: 'https://platform:hunter2@nats:4222' });
  expect(wrong).toContain('NATS_URL must be nats:// or tls:// URLs');
  expect(wrong).not.toContain('hunter2');
  expect(await refusal({ MODE: 'production', NATS_URL: '' })).toMatch(/NATS_URL is required where MODE is production/);
});
