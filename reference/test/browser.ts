import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished, vi } from 'vitest';

// A browser beside the servers on two cores takes its time.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });
export const WITHIN = { timeout: 60_000 };

export type ContextOptions = Parameters<Browser['newContext']>[0];

let browser: Browser;

beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    // No name resolves: the page has this machine alone.
    args: ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  });
});

afterAll(() => browser.close());

/** An empty page of a context of its own, with the errors that the browser reports. The test closes it. */
export async function newPage(options: ContextOptions = {}): Promise<{ page: Page; errors: string[] }> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(WITHIN.timeout);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(error.message));
  return { page, errors };
}
