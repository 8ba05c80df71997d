import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished, vi } from 'vitest';

export const WITHIN = { timeout: 60_000 };

export type ContextOptions = Parameters<Browser['newContext']>[0];

let browser: Browser;

/** Starts a browser for the tests of the file that calls it. */
export function useBrowser(): void {
  // A browser beside the servers on two cores takes its time.
  vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      // No name resolves: the page has this machine alone.
      args: ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
    });
  });
  afterAll(() => browser.close());
}

export type Opened = { page: Page; errors: string[] };

/** It has a storage and a cache of its own, and closes with the browser. */
export async function newContext(options: ContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(WITHIN.timeout);
  return context;
}

/** An empty page of a context of its own. The test closes both. */
export async function newPage(options?: ContextOptions): Promise<Opened> {
  const context = await newContext(options);
  onTestFinished(() => context.close());
  return openPage(context);
}

/** An empty page, with the errors that the browser reports. */
export async function openPage(context: BrowserContext): Promise<Opened> {
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(error.message));
  return { page, errors };
}
