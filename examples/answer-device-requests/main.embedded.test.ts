import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DeviceRequest } from '@tenant-open-platform/sdk';
import { createTenant, type Profile, signedRequest } from '@tenant-open-platform/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { answerTo } from './answers.js';

const within = { timeout: 60_000, interval: 50 };

const REQUESTS = '/api/v1/open/device-requests';
const FIRMWARE = { version: '2.4.1', update: true };

/** An operator who may also reply, through a custom role, as in docs/access.md. */
async function createReplier(): Promise<Profile> {
  const { tenant_id, admin, operator } = await createTenant();
  const tenant = `/api/v1/platform/tenants/${tenant_id}`;
  const role = { scopes: ['open:device-request:read', 'open:device-request:create'] };
  expect((await signedRequest(admin, 'PUT', `${tenant}/roles/replier`, { body: role })).status).toBe(200);
  const binding = { client_id: operator.client_id, role: 'replier' };
  expect((await signedRequest(admin, 'POST', `${tenant}/role-bindings`, { body: binding })).status).toBe(201);
  return operator;
}

/** Restarts a simulated device, which then asks for firmware; returns its device_id. */
async function makeDeviceAsk(operator: Profile): Promise<string> {
  const device_id = `ok-${randomUUID()}`;
  const body = { vendor: 'vendor_a', device_id, command_type: 'reboot', payload: {}, idempotency_key: device_id };
  expect((await signedRequest(operator, 'POST', '/api/v1/open/downlink/commands', { body })).status).toBe(202);
  return device_id;
}

async function requestOf(operator: Profile, deviceId: string, status: string): Promise<DeviceRequest> {
  const query = `device_id=${deviceId}&status=${status}&wait_seconds=30`;
  const { body } = await signedRequest(operator, 'GET', `${REQUESTS}?${query}`);
  expect(body.items).toHaveLength(1);
  return body.items[0];
}

const replyFor = async (operator: Profile, deviceId: string) => (await requestOf(operator, deviceId, 'REPLIED')).reply;

/** As `npm start` in this folder runs it: with the built SDK, like any user. */
function start({ client_id, secret }: Profile, baseUrl: string) {
  const program = spawn(process.execPath, ['--import', 'tsx', 'main.ts'], {
    cwd: import.meta.dirname,
    env: { PATH: process.env.PATH, TOP_BASE_URL: baseUrl, TOP_CLIENT_ID: client_id, TOP_SECRET: secret },
  });
  onTestFinished(() => void program.kill('SIGKILL'));
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    program[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
    });
  }
  const closed = once(program, 'close').then(([code]) => ({ code, ...written }));
  return {
    written,
    closed,
    interrupt: () => {
      program.kill('SIGINT');
      return closed;
    },
  };
}

/** A proxy between the program and the platform. It answers itself if `intercept` returns a status. */
async function startGateway(platformUrl: string, intercept: (call: string) => Promise<number | undefined>) {
  const calls: string[] = [];
  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const [path] = String(req.url).split('?');
    const call = `${req.method} ${path}`;
    calls.push(call);
    const status = await intercept(call);
    if (status !== undefined) {
      res.writeHead(status).end();
      return;
    }
    const passedOn = request(`${platformUrl}${req.url}`, { method: req.method, headers: req.headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    passedOn.on('error', () => res.destroy());
    res.on('close', () => passedOn.destroy());
    req.pipe(passedOn);
  }
  const gateway = createServer((req, res) => void handle(req, res)).listen(0, '127.0.0.1');
  onTestFinished(() => void gateway.close());
  await once(gateway, 'listening');
  return { url: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`, calls };
}

test('answers requests from before its start and requests that arrive while it waits, each once', async () => {
  const replier = await createReplier();
  const before = await makeDeviceAsk(replier);
  await requestOf(replier, before, 'PENDING');
  const { url, calls } = await startGateway(replier.base_url, async () => undefined);
  const program = start(replier, url);
  expect(await replyFor(replier, before)).toMatchObject({
    outcome: 'SUCCESS',
    payload: FIRMWARE,
    replied_by_client_id: replier.client_id,
  });
  const meanwhile = await makeDeviceAsk(replier);
  expect(await replyFor(replier, meanwhile)).toMatchObject({ outcome: 'SUCCESS', payload: FIRMWARE });
  await vi.waitFor(() => expect(calls.filter((call) => call === `GET ${REQUESTS}`)).toHaveLength(3), within);

  const stdout = [before, meanwhile].map((device) => `${device} firmware_check: SUCCESS\n`).join('');
  expect(await program.interrupt()).toEqual({ code: 0, stdout, stderr: '' });
  expect(calls).toHaveLength(5);
});

test('continues if another program was first with a different reply', async () => {
  const replier = await createReplier();
  const contested = await makeDeviceAsk(replier);
  const { device_request_id } = await requestOf(replier, contested, 'PENDING');
  const reply = `${REQUESTS}/${device_request_id}/reply`;
  const { url } = await startGateway(replier.base_url, async (call) => {
    if (call !== `POST ${reply}`) return undefined;
    expect((await signedRequest(replier, 'POST', reply, { body: { outcome: 'ERROR' } })).status).toBe(200);
    return undefined;
  });
  const program = start(replier, url);
  expect(await replyFor(replier, contested)).toMatchObject({ outcome: 'ERROR', payload: null });
  const next = await makeDeviceAsk(replier);
  expect(await replyFor(replier, next)).toMatchObject({ outcome: 'SUCCESS' });
  await vi.waitFor(() => expect(program.written.stdout).toContain(next), within);
  expect(await program.interrupt()).toEqual({
    code: 0,
    stdout: `${contested} firmware_check: DEVICE_REQUEST_ALREADY_REPLIED\n${next} firmware_check: SUCCESS\n`,
    stderr: '',
  });
});

test('two of them run in parallel, and every device gets a reply', async () => {
  const replier = await createReplier();
  const gateways = await Promise.all([1, 2].map(() => startGateway(replier.base_url, async () => undefined)));
  const programs = gateways.map(({ url }) => start(replier, url));
  await vi.waitFor(() => expect(gateways.every(({ calls }) => calls.length > 0)).toBe(true), within);
  const devices = await Promise.all(Array.from({ length: 30 }, () => makeDeviceAsk(replier)));
  const replies = await Promise.all(devices.map((device) => replyFor(replier, device)));
  for (const reply of replies) expect(reply).toMatchObject({ outcome: 'SUCCESS', payload: FIRMWARE });
  const ended = await Promise.all(programs.map((program) => program.interrupt()));
  expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(Array(2).fill({ code: 0, stderr: '' }));
});

test('waits, and answers again once the platform does', async () => {
  const replier = await createReplier();
  const device = await makeDeviceAsk(replier);
  let refusals = 0;
  const { url } = await startGateway(replier.base_url, async () => (refusals++ < 4 ? 503 : undefined));
  const program = start(replier, url);
  expect(await replyFor(replier, device)).toMatchObject({ outcome: 'SUCCESS' });
  await vi.waitFor(() => expect(program.written.stdout).toContain(device), within);
  expect(await program.interrupt()).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Trying again soon: .*503.*\n$/),
  });
});

test('ends if it may not reply, and names the missing scope in one line', async () => {
  const { operator } = await createTenant();
  await makeDeviceAsk(operator);
  expect(await start(operator, operator.base_url).closed).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^FORBIDDEN: .*open:device-request:create.* \(request [^ ]+\)\n$/),
  });
});

test('refuses an unknown request type, and may repeat the refusal', async () => {
  const replier = await createReplier();
  const asked = await requestOf(replier, await makeDeviceAsk(replier), 'PENDING');
  const body = answerTo({ ...asked, request_type: 'opening_hours' });
  const reply = () => signedRequest(replier, 'POST', `${REQUESTS}/${asked.device_request_id}/reply`, { body });
  const [first, again] = [await reply(), await reply()];
  expect([first.status, first.body.reply]).toMatchObject([
    200,
    { outcome: 'ERROR', error: { code: 'UNKNOWN_REQUEST', message: 'This program does not answer opening_hours.' } },
  ]);
  expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
});
