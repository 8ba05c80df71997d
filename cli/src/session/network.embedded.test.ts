import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { atEnd, createTenant, temporaryFolder } from '@tenant-open-platform/testing';
import { describe, expect, test } from 'vitest';
import { builtTopctl } from '../../test/built-topctl.js';
import { environmentOf } from '../../test/topctl.js';
import { caFile, startProxy, startTls } from '../../test/world-behind-a-proxy.js';

const { admin, operator } = await createTenant();
const { base_url: baseUrl } = operator;
const tlsPort = await startTls(baseUrl);
/** No DNS knows the name: without the proxy, nothing is there. */
const secure = { ...environmentOf(operator), TOP_BASE_URL: 'https://platform.test' };
const plain = { ...environmentOf(operator), TOP_BASE_URL: 'http://platform.test' };
/** Nothing listens there. */
const DEAD = 'http://127.0.0.1:2';
const run = (env: Record<string, string>, ...argv: string[]) => builtTopctl(argv, { env });
const create = ['commands', 'create', '--vendor', 'vendor_a', '--device-id', 'ok-1', '--command-type', 'reboot'];

describe('a proxy', () => {
  test('of HTTPS_PROXY makes a tunnel, which several requests share; a command gets its outcome', async () => {
    const proxy = await startProxy({ baseUrl, tlsPort });
    const outcome = await run({ ...secure, HTTPS_PROXY: proxy.url, TOP_CA_FILE: caFile }, ...create, '--wait');
    expect(outcome).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('"SUCCEEDED"') });
    expect(proxy.seen).toEqual(['CONNECT platform.test:443']);
  });

  test('leads only to the address whose certificate the other side has', async () => {
    const proxy = await startProxy({ baseUrl, tlsPort });
    const env = { ...secure, TOP_BASE_URL: 'https://192.0.2.1', HTTPS_PROXY: proxy.url, TOP_CA_FILE: caFile };
    const { exitCode, stderr } = await run(env, 'whoami');
    // The SDK tries again.
    expect([exitCode, new Set(proxy.seen)]).toEqual([1, new Set(['CONNECT 192.0.2.1:443'])]);
    expect(stderr).toContain("IP: 192.0.2.1 is not in the cert's list");
  });

  test('of HTTP_PROXY is asked for the whole URL', async () => {
    const proxy = await startProxy({ baseUrl });
    const outcome = await run({ ...plain, HTTP_PROXY: proxy.url }, 'whoami', '-o', 'id');
    expect(outcome).toEqual({ exitCode: 0, stdout: `${operator.client_id}\n`, stderr: '' });
    expect(proxy.seen).toEqual(['GET http://platform.test/api/v1/open/me']);
  });

  test.each([
    ['HTTPS_PROXY', secure],
    ['HTTP_PROXY', plain],
  ])('of %s gets its user and password; without them the message says what is missing', async (variable, env) => {
    const proxy = await startProxy({ baseUrl, tlsPort, credentials: 'ann:p@ss' });
    const known = proxy.url.replace('//', '//ann:p%40ss@');
    const world = { ...env, TOP_CA_FILE: caFile };
    expect(await run({ ...world, [variable]: known }, 'whoami')).toMatchObject({ exitCode: 0, stderr: '' });
    const { exitCode, stderr } = await run({ ...world, [variable]: proxy.url }, 'whoami');
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`it wants a user name and a password in ${variable}`);
  });

  test.each([
    ['HTTPS_PROXY', secure],
    ['HTTP_PROXY', plain],
  ])('of %s that is dead is named in the error, without its password, and in doctor', async (variable, env) => {
    const world = { ...env, [variable]: DEAD.replace('//', '//ann:hidden@') };
    const { exitCode, stderr } = await run(world, 'whoami');
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`the proxy ${DEAD} (${variable}) cannot be reached: connect ECONNREFUSED`);
    const doctor = await run(world, 'doctor');
    expect(doctor.stdout).toContain(`the proxy ${DEAD} (${variable}) cannot be reached`);
    expect(stderr + doctor.stdout).not.toContain('hidden');
  });

  test('is not used for this machine, and not for what NO_PROXY names', async () => {
    const env = environmentOf(operator);
    expect(await run({ ...env, HTTP_PROXY: DEAD }, 'whoami')).toMatchObject({ exitCode: 0 });
    const { stderr } = await run({ ...plain, HTTP_PROXY: DEAD, NO_PROXY: 'other,.test' }, 'whoami');
    expect(stderr).toContain('cannot be reached: getaddrinfo');
  });

  test('carries an upload to a store, of a known length', async () => {
    let received: { url?: string | undefined; length?: string | undefined; body?: string } = {};
    const store = createServer((req, res) => {
      received = { url: req.url, length: req.headers['content-length'], body: '' };
      req.on('data', (chunk) => {
        received.body += chunk;
      });
      req.on('end', () => res.writeHead(200, { ETag: '"e"' }).end());
    });
    await once(store.listen(0, '127.0.0.1'), 'listening');
    atEnd(() => store.close());
    const proxy = await startProxy({ baseUrl: `http://127.0.0.1:${(store.address() as AddressInfo).port}` });
    const cwd = temporaryFolder();
    await writeFile(join(cwd, 'secret'), 'S3RVER');
    await writeFile(join(cwd, 'file'), 'content');
    const made = async (...argv: string[]) =>
      (await builtTopctl([...argv, '-o', 'id'], { env: environmentOf(admin), cwd })).stdout.trim();
    const access = ['--endpoint', 'http://store.test', '--region', 'r', '--access-key-id', 'A'];
    const secret = ['--force-path-style', 'true', '--secret-access-key-file', 'secret'];
    const credentialId = await made('object-credentials', 'create', '--name', 'S', ...access, ...secret);
    const policy = ['--credential-id', credentialId, '--bucket', 'acme', '--allowed-operations', 'UPLOAD'];
    const resourceId = await made('object-resources', 'create', '--name', 'R', ...policy);
    const env = { ...environmentOf(operator), HTTP_PROXY: proxy.url };
    const upload = ['objects', 'upload', 'file', '--resource-id', resourceId, '--object-key', 'k'];
    expect(await builtTopctl(upload, { env, cwd })).toMatchObject({ exitCode: 0 });
    expect(received).toEqual({ url: expect.stringMatching(/^\/acme\/k\?/), length: '7', body: 'content' });
    expect(proxy.seen).toEqual([expect.stringMatching(/^PUT http:\/\/store\.test\/acme\/k\?/)]);
  });
});

describe('a CA of your own', () => {
  const direct = { ...environmentOf(operator), TOP_BASE_URL: `https://127.0.0.1:${tlsPort}` };

  test('is named as the remedy, in the error and in doctor', async () => {
    for (const command of ['whoami', 'doctor']) {
      const { exitCode, stdout, stderr } = await run(direct, command);
      expect(exitCode).toBe(1);
      expect(stdout + stderr).toMatch(/own CA.* NODE_EXTRA_CA_CERTS=\/path\/to\/ca\.pem.* topctl login --ca-file/);
    }
  });

  test.each(['NODE_EXTRA_CA_CERTS', 'TOP_CA_FILE'])('is trusted by %s', async (variable) => {
    expect(await run({ ...direct, [variable]: caFile }, 'whoami')).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('is saved by login, for every later command', async () => {
    const XDG_CONFIG_HOME = temporaryFolder();
    const login = ['login', '--base-url', direct.TOP_BASE_URL, '--client-id', operator.client_id];
    const world = { env: { XDG_CONFIG_HOME }, stdin: operator.secret };
    expect(await builtTopctl([...login, '--ca-file', caFile], world)).toMatchObject({ exitCode: 0 });
    const { profiles } = JSON.parse(await readFile(join(XDG_CONFIG_HOME, 'topctl', 'profiles.json'), 'utf8'));
    expect(profiles.default.ca_file).toBe(caFile);
    expect(await builtTopctl(['whoami'], { env: { XDG_CONFIG_HOME } })).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('whose file is missing or has no certificate is refused by name', async () => {
    const missing = await run({ ...direct, TOP_CA_FILE: '/nowhere/ca.pem' }, 'whoami');
    expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('cannot read /nowhere/ca.pem') });
    const wrong = await run({ ...direct, TOP_CA_FILE: '/etc/hosts' }, 'whoami');
    expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('/etc/hosts of ca_file has no cert') });
  });
});
