import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { sign as signer } from '@tenant-open-platform/sdk/sign';
import { type Profile, platform, signedRequest, startNode } from '@tenant-open-platform/testing';
import { newPage, useBrowser } from '@tenant-open-platform/testing/browser';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

useBrowser();

const COMMANDS = '/api/v1/open/downlink/commands';
const sdk = readFileSync(new URL('../../sdk/dist/sign.cjs', import.meta.url), 'utf8');

const named = () => new URL(platform().nodes[0] ?? '').origin;
const other = () => new URL(platform().nodes[1] ?? '').origin;

/** A platform that names one origin. */
const { demo } = await startNode({ CORS_ORIGINS: named() });

/**
 * A page of the origin, with the built SDK. Playwright must intercept nothing: as soon as it does, it answers every
 * preflight itself.
 */
async function openPage(origin: string): Promise<Page> {
  // The page forbids itself to call another origin. Here only the other platform decides.
  const { page } = await newPage({ bypassCSP: true });
  await page.goto(`${origin}/livez`);
  await page.addScriptTag({
    content: `{ const module = { exports: {} }\n${sdk}\nwindow.sign = module.exports.sign; }`,
  });
  return page;
}

/** Signs a command in the page with the SDK and sends it to the platform of the profile. */
const sendFrom = (page: Page, { base_url, client_id, secret }: Profile, device_id: string) =>
  page.evaluate(
    async ({ base_url, client_id, secret, target, device_id }) => {
      const { sign } = window as unknown as { sign: typeof signer };
      const body = JSON.stringify({
        vendor: 'vendor_a',
        device_id,
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
    { base_url, client_id, secret, target: COMMANDS, device_id },
  );

test('a page of an origin in CORS_ORIGINS sends a signed command and reads the answer with its X-Request-Id', async () => {
  const page = await openPage(named());
  expect(new URL(demo.base_url).origin).not.toBe(named());
  expect(await sendFrom(page, demo, 'ok-1')).toEqual({
    status: 202,
    requestId: 'from-another-origin',
    body: expect.objectContaining({ status: 'ACCEPTED', request_id: 'from-another-origin' }),
  });
  // A refusal can be read too.
  expect(await sendFrom(page, { ...demo, secret: `${demo.secret}x` }, 'ok-1')).toMatchObject({
    status: 401,
    body: { code: 'UNAUTHENTICATED' },
  });
});

test.each<[string, () => { origin: string; to: Profile }]>([
  ['without CORS_ORIGINS', () => ({ origin: named(), to: { ...platform().demo, base_url: other() } })],
  ['of an origin that CORS_ORIGINS does not name', () => ({ origin: other(), to: demo })],
])('%s, the browser sends no command for a page', async (_, from) => {
  const { origin, to } = from();
  const device = randomUUID();
  expect(await sendFrom(await openPage(origin), to, device)).toEqual({ refusedByBrowser: 'Failed to fetch' });
  expect((await signedRequest(to, 'GET', `${COMMANDS}?device_id=${device}`)).body.items).toEqual([]);
});
