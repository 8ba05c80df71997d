import { readFileSync } from 'node:fs';
import { signedRequest } from '@tenant-open-platform/testing';
import { ServerExited } from '@tenant-open-platform/testing/start-server';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { newCommand } from '../test/commands.js';
import { startPrivatePlatform } from '../test/private-platform.js';

const guide = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');

test('a logical copy, whose events would be missing, is refused; as the guide says it is put right', async () => {
  const platform = await startPrivatePlatform();
  onTestFinished(() => platform.stop());
  const ids = [await newCommand(platform.demo), await newCommand(platform.demo)];
  await platform.server().stop();
  const superuser = postgres(platform.postgres.superuserUrl, { max: 1 });
  for (const table of ['events', 'outbox', 'relay_lease']) {
    await superuser.unsafe(`update ${table} set tx = (tx::text::bigint + 1000000000)::text::xid8`);
  }
  await superuser.end();

  const refused = await platform.restart().catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ServerExited);
  expect((refused as ServerExited).stderr).toMatch(/^This database is a logical copy: [^\n]*docs\/operating\.md\.\n$/);

  const remedy = /```sql\n(begin;.*?)```/s.exec(guide)?.[1] ?? '';
  const owner = postgres(platform.postgres.url, { max: 1 });
  await owner.unsafe(remedy);
  await owner.end();
  await platform.restart();
  const later = await newCommand(platform.demo);
  await expect
    .poll(async () => {
      const { body } = await signedRequest(platform.demo, 'GET', '/api/v1/open/events?event_type=command.accepted');
      return body.items.map(({ data }: { data: { command_id: string } }) => data.command_id);
    })
    .toEqual([...ids, later]);
});
