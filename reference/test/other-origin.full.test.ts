import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { sign as signer } from '@tenant-open-platform/sdk/sign';
import { type Profile, platform } from '@tenant-open-platform/testing';
import { startServer } from '@tenant-open-platform/testing/start-server';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { newPage } from './browser.js';

const COMMANDS = '/api/v1/open/downlink/commands';
const sdk = fileURLToPath(new URL('../../sdk/dist', import.meta.url));

/** The reference page of the shared platform, with the built SDK beside it. */
async function openPage(): Promise<Page> {
  // The page forbids itself to call another origin. Here only the other platform decides.
  const { page } = await newPage({ bypassCSP: true });
  await page.route('**/sdk/*.js', (route) =>
    route.fulfill({ path: join(sdk, basename(route.request().url())), contentType: 'text/javascript' }),
  );
  await page.goto(`${platform().nodes[0]}/docs`);
  await page.addScriptTag({ type: 'module', content: `import { sign } from '/sdk/sign.js'; window.sign = sign;` });
  await page.waitForFunction(() => 'sign' in window);
  return page;
}

async function startOther(environment: Record<string, string>): Promise<Profile> {
  const folder = mkdtempSync(join(tmpdir(), 'top-other-origin-'));
  const server = await startServer({ DATA_DIR: folder, ...environment });
  onTestFinished(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8'));
}

/** Signs a command in the page with the SDK and sends it to the platform of the profile. */
const sendFrom = (page: Page, { base_url, client_id, secret }: Profile) =>
  page.evaluate(
    async ({ base_url, client_id, secret, target }) => {
      const { sign } = window as unknown as { sign: typeof signer };
      const body = JSON.stringify({
        vendor: 'vendor_a',
        device_id: 'ok-1',
        command_type: 'reboot',
        payload: {},
        idempotency_key: crypto.randomUUID(),
      });
      const headers = await sign({ clientId: client_id, secret, method: 'POST', target, body });
      try {
        const answer = await fetch(`${base_url}${target}`, {
          method: 'POST',
          headers: { ...headers, 'Content-Type': 'application/json', 'X-Request-Id': 'from-another-origin' },
          body,
        });
        const { status } = answer;
        return { status, requestId: answer.headers.get('X-Request-Id'), body: await answer.json() };
      } catch (error) {
        return { refusedByBrowser: (error as Error).message };
      }
    },
    { base_url, client_id, secret, target: COMMANDS },
  );

test('a page of an origin in CORS_ORIGINS sends a signed command and reads the answer with its X-Request-Id', async () => {
  const page = await openPage();
  const { origin } = new URL(page.url());
  const other = await startOther({ CORS_ORIGINS: origin });
  expect(new URL(other.base_url).origin).not.toBe(origin);
  expect(await sendFrom(page, other)).toEqual({
    status: 202,
    requestId: 'from-another-origin',
    body: expect.objectContaining({ status: 'ACCEPTED', request_id: 'from-another-origin' }),
  });
  // A refusal can be read too.
  expect(await sendFrom(page, { ...other, secret: `${other.secret}x` })).toMatchObject({
    status: 401,
    body: { code: 'UNAUTHENTICATED' },
  });
});

test.each([
  ['without CORS_ORIGINS', {}],
  ['of an origin that CORS_ORIGINS does not name', { CORS_ORIGINS: 'http://127.0.0.1:1' }],
])('%s, the browser sends no command for a page', async (_, environment) => {
  const page = await openPage();
  const other = await startOther(environment);
  const sent: string[] = [];
  page.on('response', (response) => {
    if (response.url().startsWith(other.base_url)) sent.push(response.request().method());
  });
  expect(await sendFrom(page, other)).toEqual({ refusedByBrowser: 'Failed to fetch' });
  expect(sent).not.toContain('POST');
});
