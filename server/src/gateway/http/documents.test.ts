import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { allOperations, errors } from '@tenant-open-platform/contract';
import { platform, rawRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const baseUrl = () => platform().nodes[0] ?? '';

const committed = (name: string) =>
  JSON.parse(readFileSync(createRequire(import.meta.url).resolve(`@tenant-open-platform/contract/${name}`), 'utf8'));

/** With these headers and no others: fetch would ask for an encoding and decode it. */
const get = (path: string, ...headers: string[]) =>
  rawRequest(baseUrl(), [`GET ${path} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n'));

test.each(['openapi', 'asyncapi'])('%s is served to everybody, as the contract has it', async (name) => {
  const json = await fetch(`${baseUrl()}/${name}.json`);
  expect([json.status, json.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  const document = (await json.json()) as object;
  expect(document).toEqual(committed(`${name}.json`));
  const yaml = await fetch(`${baseUrl()}/${name}.yaml`);
  expect([yaml.status, yaml.headers.get('content-type')]).toEqual([200, 'application/yaml']);
  expect(parse(await yaml.text())).toEqual(document);
});

test('the page of errors, which the SDK links to, has a section for every status and a row for every code', async () => {
  const response = await fetch(`${baseUrl()}/docs/errors`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const page = await response.text();
  for (const [code, { status }] of Object.entries(errors)) {
    expect(page).toContain(`<h2 id="${status}">`);
    expect(page).toContain(`<tr id="${code}">`);
  }
  for (const name of ['IdempotencyMismatchError', 'WaitTimeoutError', 'UNEXPECTED_ANSWER']) {
    expect(page).toContain(`<tr id="${name}">`);
  }
});

test('llms.txt leads to the documents and names every operation', async () => {
  const text = await (await fetch(`${baseUrl()}/llms.txt`)).text();
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => `${baseUrl()}/${link}`);
  for (const link of links) expect((await fetch(link)).status, link).toBe(200);
  expect(allOperations.filter(({ name }) => !text.includes(`\`${name}\`: `))).toEqual([]);
});

test.each(['br', 'gzip'])('documents are compressed by %s for those who accept it', async (encoding) => {
  const response = await fetch(`${baseUrl()}/openapi.json`, { headers: { 'Accept-Encoding': encoding } });
  expect(response.headers.get('content-encoding')).toBe(encoding);
  expect(Number(response.headers.get('content-length'))).toBeLessThan(80_000);
  expect(await response.json()).toEqual(committed('openapi.json'));
});

test('documents are not compressed for those who accept no encoding', async () => {
  const plain = await get('/openapi.json', 'Accept-Encoding: identity');
  expect([plain.status, plain.headers['content-encoding'], plain.headers.vary]).toEqual([
    200,
    undefined,
    'Accept-Encoding',
  ]);
  expect(plain.body).toEqual(committed('openapi.json'));
});

test.each(['/openapi.json', '/openapi.yaml', '/asyncapi.json', '/docs', '/docs/page.js', '/docs/guides'])(
  '%s is not sent again to those who have it',
  async (path) => {
    const etag = (await fetch(baseUrl() + path)).headers.get('etag') ?? '';
    const again = await get(path, `If-None-Match: "other", ${etag}`);
    expect([again.status, again.headers.etag]).toEqual([304, etag]);
    const changed = await get(path, 'If-None-Match: "other"', 'Accept-Encoding: identity');
    expect(changed.status).toBe(200);
  },
);

test('the reference page may load from this platform alone', async () => {
  const response = await fetch(`${baseUrl()}/docs`);
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'self'; ");
  expect(policy).toContain("connect-src 'self'; ");
  expect(policy).not.toMatch(/https?:|unsafe-eval|\*/);
  expect((await fetch(`${baseUrl()}/docs/`, { redirect: 'manual' })).headers.get('location')).toBe('../docs');
});

test.each(['/console', '/docs', '/docs/guides', '/docs/errors', '/docs/nothing'])(
  '%s is out of reach of a page of another origin that opened it',
  async (path) => {
    const { headers } = await fetch(baseUrl() + path, { headers: browser });
    expect(headers.get('content-type')).toContain('text/html');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
  },
);

test.each([
  'examples/vendor-adapter/pumps.ts',
  'examples/mqtt-adapter/device.sh',
  'examples/signing/csharp/Main.cs',
  'sdk/api.md',
])('%s, which the guides name, is served as it is, as text', async (path) => {
  const response = await fetch(`${baseUrl()}/${path}`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(await response.text()).toBe(readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8'));
});

test.each(['vendor-adapter/package.json', 'vendor-adapter/devices.unit.test.ts', 'vendor-adapter/node_modules/tsx'])(
  'below /examples there is no %s',
  async (path) => {
    expect((await get(`/examples/${path}`)).status).toBe(404);
  },
);

test('the guides may load from this platform alone, and no style or script of theirs is inline', async () => {
  const policy = (await fetch(`${baseUrl()}/docs/guides`)).headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'self'; ");
  expect(policy).not.toMatch(/https?:|unsafe|\*/);
});

test.each([
  '../package.json',
  '..%2fpackage.json',
  'scalar/',
  'errors.html',
  'guides/page.js',
  'page.js.br',
  'page.js.gz',
  'not-found',
  'constructor',
  '__proto__',
])('below /docs there is no %s', async (path) => {
  expect((await get(`/docs/${path}`)).status).toBe(404);
});

const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

test.each(['/nothing', '/docs/nothing', '/docs/guides/nothing/at/all'])(
  '%s, which does not exist, is a page with working links for a browser, and JSON for a program',
  async (path) => {
    const page = await fetch(baseUrl() + path, { headers: browser });
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'; ");
    const links = [...(await page.text()).matchAll(/(?:href|src)="([^"#]+)"/g)].map(([, link]) => link as string);
    expect(links.length).toBeGreaterThan(10);
    for (const link of links) expect([link, (await fetch(new URL(link, page.url))).status]).toEqual([link, 200]);
    const { status, body } = await get(path);
    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
  },
);

test('/docs/guides/NAME leads to the guide of this name, and to nothing else', async () => {
  const page = await fetch(`${baseUrl()}/docs/guides/quickstart`, { headers: browser });
  expect([page.status, page.url]).toEqual([200, `${baseUrl()}/docs/quickstart`]);
  for (const name of ['nothing', 'page.js', '..', '%2e%2e%2fopenapi.json', '%2f%2fexample.com']) {
    const { status, headers } = await get(`/docs/guides/${name}`);
    expect([name, headers.location]).toEqual([name, undefined]);
    expect(status).toBeGreaterThanOrEqual(400);
  }
});

test('a path of thousands of slashes makes no large page', async () => {
  const answer = await fetch(`${baseUrl()}/${'a/'.repeat(4_000)}`, { headers: browser });
  expect(answer.status).toBe(404);
  expect((await answer.text()).length).toBeLessThan(1_000);
});

test.each(['/livez', '/metrics', '/openapi.json'])('%s answers a browser, too', async (path) => {
  expect((await fetch(baseUrl() + path, { headers: browser })).status).toBe(200);
});

test.each(['/docs/%', '/docs/%zz', '/docs/%c3%28', '/docs/guides/%'])(
  '%s, which cannot be decoded, is refused with 400 and the error body',
  async (path) => {
    const { status, body, headers } = await get(path);
    expect([status, body.code, body.request_id]).toEqual([400, 'INVALID_TARGET', headers['x-request-id']]);
  },
);
