import { type Profile, platform } from '@tenant-open-platform/testing';
import { type ContextOptions, newPage } from '@tenant-open-platform/testing/browser';
import type { Page } from 'playwright-core';

/** An empty page at this path of the console, with the complaints of the browser and the requests to anybody else. */
export async function open(path: string, options?: ContextOptions) {
  const opened = await newPage(options);
  await opened.page.goto(`${platform().nodes[0]}/console#${path}`);
  const { page, errors: faults } = opened;
  page.on('request', (request) => new URL(request.url()).origin !== platform().nodes[0] && faults.push(request.url()));
  return { page, faults };
}

export async function signIn(page: Page, { client_id, secret }: Profile): Promise<void> {
  await page.getByLabel('Client id', { exact: true }).fill(client_id);
  await page.getByLabel('Secret', { exact: true }).fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Lock' }).waitFor();
}

export async function openAs(profile: Profile, path: string, options?: ContextOptions) {
  const opened = await open(path, options);
  await signIn(opened.page, profile);
  return opened;
}

/** Another page of the console, without loading the document again: that would end the session. */
export const goTo = (page: Page, path: string) => page.goto(page.url().replace(/#.*/, `#${path}`));
