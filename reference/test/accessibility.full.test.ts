import { platform } from '@tenant-open-platform/testing';
import { findings } from '@tenant-open-platform/testing/accessibility';
import { newPage, useBrowser } from '@tenant-open-platform/testing/browser';
import { describe, expect, test } from 'vitest';

useBrowser();

const devices = [
  ['a phone, dark', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
  ['a desktop, light', { viewport: { width: 1_280, height: 860 }, colorScheme: 'light' }],
] as const;

const grave = ['critical', 'serious'];

describe.each(devices)('%s', (_, device) => {
  const open = async (path: string) => {
    const { page } = await newPage({ ...device, bypassCSP: true });
    await page.goto(`${platform().nodes[0]}${path}`);
    return page;
  };

  test.each(['guides', 'signing-code', 'errors', 'no-such-page'])(
    'nothing keeps a reader from /docs/%s',
    async (name) => {
      const page = await open(`/docs/${name}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await findings(page, { impacts: grave })).toEqual([]);
    },
  );

  test('nothing keeps a reader from the reference, its client and a response', async () => {
    const page = await open('/docs#tag/me/GET/api/v1/open/me');
    // By its text: a search by role reads the styles of the whole page.
    const opener = page.locator('button', { hasText: '(get /api/v1/open/me)' }).first();
    await opener.waitFor();
    const ofPage = await findings(page, { impacts: grave });
    await opener.click();
    const client = page.locator('.scalar-client');
    const { demo } = platform();
    await client.locator('input[name=client_id]').fill(demo.client_id);
    await client.locator('input[name=secret]').fill(`${demo.secret}x`);
    await client.getByRole('button', { name: /^Send/ }).first().click();
    await client.getByRole('region', { name: 'String to sign' }).waitFor();
    expect([
      ...ofPage,
      ...(await findings(page, { within: ['.scalar-client', 'top-credential'], impacts: grave })),
    ]).toEqual([]);
  });
});
