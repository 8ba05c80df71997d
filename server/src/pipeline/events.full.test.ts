import { atEnd, signedRequest } from '@tenant-open-platform/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { completed, newCommand } from '../../test/support/commands.js';
import { newPrincipal, registerEventReader } from '../../test/support/new-principal.js';
import { openSession } from '../../test/support/open-pool.js';
import { startPrivatePlatform } from '../../test/support/private-platform.js';
import { startTenantAdapter } from '../../test/support/start-tenant-adapter.js';
import { storedWork } from '../../test/support/stored.js';

const soon = { timeout: 60_000, interval: 50 };
const PRINCIPALS = '/api/v1/platform/tenants/demo/bus/principals';

const platform = await startPrivatePlatform();
await signedRequest(platform.admin, 'POST', PRINCIPALS, { body: newPrincipal() });
const adapter = startTenantAdapter(platform.client, 'demo', 'vendor_a');

atEnd(adapter.stop);

async function completedCommand(): Promise<string> {
  const id = await newCommand(platform.demo, { timeout_seconds: 60 });
  await completed(platform.demo, id);
  return id;
}

/** The commands of the events on the bus, once the relay is at the end of the log. */
async function published(): Promise<string[]> {
  await vi.waitFor(async () => expect((await storedWork(platform.postgres.url)).unpublished_events).toBe(0), soon);
  const { messages } = (await platform.streams.info('TOP_EVENTS')).state;
  const ids: string[] = [];
  if (messages === 0) return ids;
  const consumer = await platform.client.consumers.get('TOP_EVENTS');
  for await (const message of await consumer.fetch({ max_messages: messages, expires: 30_000 }))
    ids.push(message.json<{ data: { command_id: string } }>().data.command_id);
  return ids;
}

async function setStatus(principalId: string, status: string): Promise<void> {
  const answer = await signedRequest(platform.admin, 'PUT', `${PRINCIPALS}/${principalId}`, { body: { status } });
  expect(answer.status, answer.raw).toBe(200);
}

test('the bus has the events that are logged while a tenant has a CLIENT principal, which may be DISABLED but not DELETED, and earlier ones after a republish', async () => {
  const before = (await published()).length;
  const further = async () => (await published()).slice(before);
  const unread = await completedCommand();
  expect(await further()).toEqual([]);

  const principalId = await registerEventReader(platform.admin);
  const read = await completedCommand();
  expect(await further()).toEqual([read, read]);

  await setStatus(principalId, 'DISABLED');
  const readLater = await completedCommand();
  expect(await further()).toEqual([read, read, readLater, readLater]);

  const since = new Date(Date.now() - 600_000).toISOString();
  await platform.run('outbox', 'republish', '--since', since, '--tenant', 'demo');
  expect((await further()).slice(4)).toEqual([unread, unread]);

  await setStatus(principalId, 'DELETED');
  await completedCommand();
  expect((await further()).slice(6)).toEqual([]);
});

test('of a page with events of many tenants those of one reader are published, after more than a page of others', async () => {
  const superuser = openSession(platform.postgres.superuserUrl);
  onTestFinished(() => superuser.end());
  const copied = await completedCommand();
  /** Logs an event of each of so many commands of a tenant without a reader. */
  const others = (count: number) => superuser`
    with others as (
      insert into commands
      select (jsonb_populate_record(command, jsonb_build_object(
        'tenant_id', 'platform', 'created_by_client_id', ${platform.admin.client_id}::text,
        'command_id', gen_random_uuid(), 'idempotency_key', gen_random_uuid()
      ))).*
      from commands as command, generate_series(1, ${count})
      where command_id = ${copied}
      returning command_id
    )
    insert into events (tenant_id, command_id, event_type, event_id)
    select 'platform', command_id, 'command.accepted', gen_random_uuid() from others`;
  const principalId = await registerEventReader(platform.admin);
  onTestFinished(() => setStatus(principalId, 'DELETED'));
  const before = await published();
  await others(600);
  const read = await completedCommand();
  await others(1);
  expect((await published()).slice(before.length)).toEqual([read, read]);
});

test('a clock that goes back makes no event earlier than the one before it, and `from` finds both', async () => {
  const superuser = openSession(platform.postgres.superuserUrl);
  onTestFinished(() => superuser.end());
  await completedCommand();
  const logged = () =>
    superuser<{ seq: string; logged_at: Date }[]>`select seq, logged_at from events order by seq desc limit 2`;
  await superuser`
    update events set logged_at = now() + interval '1 hour' where seq = (select max(seq) from events)`;
  const [ahead] = await logged();
  const later = await completedCommand();
  for (const { logged_at } of await logged()) expect(logged_at).toEqual(ahead?.logged_at);
  const from = new Date(Date.now() + 1_800_000).toISOString();
  const { body } = await signedRequest(platform.demo, 'GET', `/api/v1/open/events?from=${from}`);
  expect(body.items.filter((item: { data: { command_id: string } }) => item.data.command_id === later)).toHaveLength(2);
});
