import { atEnd, signedRequest, startNode } from '@tenant-open-platform/testing';
import { newPage, useBrowser } from '@tenant-open-platform/testing/browser';
import { startPrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { goTo, signIn } from './console.js';

useBrowser();

/** A release reads 100,000. */
const ROWS = Number(process.env.CONSOLE_ROWS ?? 10_000);
const commands = '/api/v1/open/downlink/commands';

test(`with ${ROWS.toLocaleString('en')} commands each page opens, and the table scrolls to its end`, {
  timeout: 300_000,
}, async () => {
  const database = await startPrivatePostgres();
  atEnd(database.stop);
  const node = await startNode({ DATABASE_URL: database.url, REQUESTS_PER_MINUTE: '1000000' });
  const command = { vendor: 'vendor_a', device_id: 'ok-1', command_type: 'reboot', payload: {}, idempotency_key: 'k' };
  const { body } = await signedRequest(node.demo, 'POST', commands, { body: command });
  await signedRequest(node.demo, 'GET', `${commands}/${body.command_id}?wait_seconds=30`);
  await multiply(database.superuserUrl);

  const { page, errors } = await newPage();
  await page.goto(`${node.baseUrl}/console#/commands`);
  await signIn(page, node.demo);
  const table = page.getByRole('region', { name: 'Commands' });
  await expect
    .poll(
      async () => {
        await table.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
        return page.getByRole('row', { name: /oldest/ }).isVisible();
      },
      { timeout: 240_000 },
    )
    .toBe(true);
  await page.getByText(`${ROWS.toLocaleString('en')} shown`).waitFor();
  expect(await page.getByRole('row').count()).toBeLessThan(100);
  const pages = { '/': 'Overview', '/events': 'Events', '/send': 'Send', '/device-requests': 'Device requests' };
  for (const [path, name] of Object.entries(pages)) {
    await goTo(page, path);
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await expect.poll(() => page.getByText('Reading …').count()).toBe(0);
    expect(await page.getByRole('alert').count()).toBe(0);
  }
  expect(errors).toEqual([]);

  // A filter without a match does not read the whole history unasked.
  await addOlder(database.superuserUrl);
  await goTo(page, '/commands?reason=NONE');
  await page.getByText('Of the last 100,000 that were read, none matches.').waitFor({ timeout: 60_000 });
  expect(await page.getByText('No command matches.').count()).toBe(0);
  await page.getByRole('button', { name: 'Keep searching' }).click();
  await page.getByText('No command matches.').waitFor({ timeout: 60_000 });
  expect(errors).toEqual([]);
});

/** More than are searched at once. */
async function addOlder(url: string): Promise<void> {
  const sql = postgres(url, { max: 1 });
  await sql`
    insert into commands
    select (jsonb_populate_record(one, jsonb_build_object(
      'command_id', '019a0000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'), 'idempotency_key', 'older' || n
    ))).*
    from commands one, generate_series(1, 100000) n where idempotency_key = 'k'`;
  await sql.end();
}

/** The newest first: the last row that the table shows is of the device `oldest`. */
async function multiply(url: string): Promise<void> {
  const sql = postgres(url, { max: 1 });
  await sql`
    insert into commands
    select (jsonb_populate_record(one, jsonb_build_object(
      'command_id', '019b0000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'), 'idempotency_key', 'k' || n,
      'device_id', case when n = 1 then 'oldest' else 'ok-' || n end
    ))).*
    from commands one, generate_series(1, ${ROWS - 1}::int) n`;
  await sql`
    insert into events (tenant_id, command_id, event_type, event_id)
    select tenant_id, command_id, 'command.completed', gen_random_uuid() from commands where idempotency_key <> 'k'`;
  await sql`analyze`;
  await sql.end();
}
