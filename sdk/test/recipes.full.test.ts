import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, request as send } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createTenant, type Profile, temporaryFolder } from '@tenant-open-platform/testing';
import { transform } from 'esbuild';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { TenantOpenPlatform } from '../src/index.js';
import { startConsumer } from './start-consumer.js';

/** Every recipe of the README runs in a folder with the packed SDK, against the platform. */
const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const blocks = (fence: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${fence}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code = '']) => code);
const recipes = blocks('ts recipe');
/** A part of each recipe, by which its test finds it. */
const parts = {
  follow: 'client.events.follow',
  express: 'app.post(',
  next: 'export async function POST',
  lambda: 'export const handler',
  agent: 'new Agent(',
  testing: 'platform.assertDone()',
  rotate: 'rotate_secret: true',
  webhook: 'verifyWebhook(',
};

const recipe = (name: keyof typeof parts): string => recipes.find((code) => code.includes(parts[name])) ?? '';

test('every recipe has its test', () => {
  const namesOf = (code: string) =>
    Object.entries(parts).flatMap(([name, part]) => (code.includes(part) ? [name] : []));
  expect(recipes.map(namesOf)).toEqual(Object.keys(parts).map((name) => [name]));
});

const { tenant_id, admin, operator } = await createTenant();
let consumer: Awaited<ReturnType<typeof startConsumer>>;
let programs = 0;

beforeAll(async () => {
  consumer = await startConsumer();
  await consumer.link('undici', 'sdk');
  await consumer.link('standardwebhooks', 'sdk');
  await consumer.link('express', 'server');
});
afterAll(() => consumer.stop());

const environmentOf = ({ base_url, client_id, secret }: Profile) => ({
  TOP_BASE_URL: base_url,
  TOP_CLIENT_ID: client_id,
  TOP_SECRET: secret,
});

/** Runs TypeScript as a module of the consumer; `client` is there. Resolves to the JSON that it printed. */
async function run(code: string, profile = operator, env: Record<string, string> = {}): Promise<unknown> {
  const source = `import { TenantOpenPlatform } from '@tenant-open-platform/sdk';\nconst client = new TenantOpenPlatform();\n${code}`;
  const file = `recipe-${programs++}.mjs`;
  writeFileSync(join(consumer.folder, file), (await transform(source, { loader: 'ts', target: 'es2022' })).code);
  return JSON.parse(await consumer.run(process.execPath, [file], { ...environmentOf(profile), ...env }));
}

const reboot = "{ vendor: 'vendor_a', device_id: 'ok-1', command_type: 'reboot', payload: {} }";

test('the first example of the README, copied into an empty folder, sends one command', async () => {
  const [example = ''] = blocks('ts');
  const own = await createTenant();
  writeFileSync(join(consumer.folder, 'first.mjs'), example);
  const outcome = await consumer.run(process.execPath, ['first.mjs'], environmentOf(own.operator));
  expect(outcome).toBe('');
  const { base_url: baseUrl, client_id: clientId, secret } = own.operator;
  const sent = await new TenantOpenPlatform({ baseUrl, clientId, secret }).commands.list().toArray();
  expect(sent).toMatchObject([{ vendor: 'vendor_a', device_id: 'ok-1', command_type: 'reboot' }]);
});

test('following events', async () => {
  const code = `
    const stopping = new AbortController();
    const { signal } = stopping;
    const handled: string[] = [];
    let saved: string | undefined;
    const loadCursor = async () => saved ?? (await client.events.list({ from: 'now' })).next_cursor;
    const saveCursor = async (cursor: string) => { saved = cursor; if (handled.length === 2) stopping.abort(); };
    const handle = async (event: { event_type: string }) => handled.push(event.event_type);
    saved = await loadCursor();
    await client.commands.createAndWait(${reboot});
    try {
      ${recipe('follow')}
    } catch (error) { if (!signal.aborted) throw error; }
    const behind = await client.events.list({ cursor: saved });
    console.log(JSON.stringify([handled, behind.items.length]));`;
  expect(await run(code)).toEqual([['command.accepted', 'command.completed'], 0]);
});

test('an Express handler: the key of the caller makes one command of two requests', async () => {
  const code = `
    import express from 'express';
    const app = express();
    ${recipe('express')}
    const server = app.listen(0, '127.0.0.1', async () => {
      const url = \`http://127.0.0.1:\${server.address().port}/pumps/ok-1/reboot\`;
      const headers = { 'idempotency-key': \`key-\${crypto.randomUUID()}\`, traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' };
      const before = await client.commands.list().toArray();
      const answers = [];
      for (let n = 0; n < 2; n += 1) answers.push(await (await fetch(url, { method: 'POST', headers })).json());
      const after = await client.commands.list().toArray();
      console.log(JSON.stringify([answers, after.length - before.length]));
      server.close();
      server.closeAllConnections();
    });`;
  expect(await run(code)).toEqual([[{ status: 'SUCCEEDED' }, { status: 'SUCCEEDED' }], 1]);
});

test('a route of Next.js', async () => {
  const code = `
    ${recipe('next')}
    const request = new Request('https://app.test/', { method: 'POST', body: JSON.stringify({ device_id: 'ok-1' }) });
    console.log(JSON.stringify(await (await POST(request)).json()));`;
  expect(await run(code)).toMatchObject({ status: 'ACCEPTED' });
});

test('a Lambda', async () => {
  const code = `
    ${recipe('lambda')}
    console.log(JSON.stringify(await handler({ device_id: 'ok-1' }, { getRemainingTimeInMillis: () => 60_000 })));`;
  expect(await run(code)).toMatchObject({ status: 'ACCEPTED' });
});

test('a client certificate, which the server demands', async () => {
  const folder = temporaryFolder();
  const openssl = (...parameters: string[]) => execFileSync('openssl', parameters, { cwd: folder, stdio: 'pipe' });
  const san = ['-addext', 'subjectAltName=DNS:localhost'];
  for (const name of ['server', 'client']) {
    const subject = ['-subj', `/CN=${name}`, ...(name === 'server' ? san : [])];
    openssl(
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.crt`,
      ...subject,
    );
  }
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const options = { key: read('server.key'), cert: read('server.crt'), ca: read('client.crt'), requestCert: true };
  const callers: unknown[] = [];
  const server = createTlsServer({ ...options, rejectUnauthorized: true }, (request, response) => {
    callers.push(
      (request.socket as { getPeerCertificate?(): { subject: { CN: string } } }).getPeerCertificate?.().subject.CN,
    );
    const { method, headers, url = '' } = request;
    request.pipe(
      send(new URL(url, operator.base_url), { method, headers }, (answer) => {
        answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers));
      }),
    );
  }).listen(0, 'localhost');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const code = `
    import { readFileSync } from 'node:fs';
    const cert = readFileSync('${folder}/client.crt', 'utf8');
    const key = readFileSync('${folder}/client.key', 'utf8');
    ${recipe('agent')}
    const me = await behindProxy.me.get();
    const without = await client.me.get({ maxRetries: 0 }).catch((error) => error.name);
    console.log(JSON.stringify([me.client_id, without]));
    await dispatcher.close();`;
  const base_url = `https://localhost:${(server.address() as AddressInfo).port}`;
  const env = { NODE_EXTRA_CA_CERTS: join(folder, 'server.crt') };
  expect(await run(code, { ...operator, base_url }, env)).toEqual([operator.client_id, 'ConnectionError']);
  expect(callers).toEqual(['client']);
});

test('a proxy of the environment, by the same recipe with EnvHttpProxyAgent', async () => {
  const tunnels: (string | undefined)[] = [];
  const proxy = createHttpServer().on('connect', (request, socket) => {
    tunnels.push(request.url);
    const { hostname, port } = new URL(`http://${request.url}`);
    const upstream = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(upstream).pipe(socket);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  onTestFinished(() => void proxy.close());
  await once(proxy, 'listening');
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const withProxy = recipe('agent')
    .replace('{ Agent,', '{ EnvHttpProxyAgent,')
    .replace('new Agent({ connect: { cert, key } })', 'new EnvHttpProxyAgent()');
  const code = `${withProxy}\nconsole.log(JSON.stringify(await behindProxy.me.get()));\nawait dispatcher.close();`;
  const me = { client_id: operator.client_id };
  expect(await run(code, operator, { HTTP_PROXY: url })).toMatchObject(me);
  expect(tunnels).toEqual([new URL(operator.base_url).host]);
  expect(await run(code, operator, { HTTP_PROXY: url, NO_PROXY: '127.0.0.1' })).toMatchObject(me);
  expect(tunnels).toHaveLength(1);
});

test('tests without a platform', async () => {
  const code = `
    const restartPump = (client: TenantOpenPlatform) => client.commands.create(${reboot});
    ${recipe('testing')}
    console.log(JSON.stringify(platform.requests.map(({ body }) => body.command_type)));`;
  expect(await run(code)).toEqual(['reboot', 'reboot']);
});

test('rotating a secret without downtime: both secrets work', async () => {
  const code = `
    const [tenantId, clientId, oldSecret] = ${JSON.stringify([tenant_id, operator.client_id, operator.secret])};
    ${recipe('rotate')}
    const names = [];
    for (const secret of [oldSecret, newSecret]) {
      names.push((await new TenantOpenPlatform({ clientId, secret }).me.get()).client_id);
    }
    console.log(JSON.stringify([names, oldSecret !== newSecret]));`;
  expect(await run(code, admin)).toEqual([[operator.client_id, operator.client_id], true]);
});

test('deliveries, as another library signs them', async () => {
  const code = `
    import { Webhook } from 'standardwebhooks';
    const endpointSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const rawBody = JSON.stringify({ event_id: 'e1', event_type: 'command.completed' });
    const at = new Date();
    const incoming = { headers: new Headers({
      'webhook-id': 'm1', 'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(endpointSecret).sign('m1', at, rawBody),
    }) };
    ${recipe('webhook')}
    console.log(JSON.stringify(delivered.event_id));`;
  expect(await run(code)).toBe('e1');
});
