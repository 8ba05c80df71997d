import { setTimeout as delay } from 'node:timers/promises';
import type { TenantOpenPlatform } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import type { Context } from '../context.js';
import { addExamples } from '../input/examples.js';
import type { Invocation } from '../invocation.js';
import { platformFrame, tenantFrame } from '../live/frame.js';
import { showLive } from '../live/screen.js';

/** Between two frames, so that a busy tenant is not asked all the time. */
const PAUSE_MS = 1_000;
/** For a credential that cannot wait for an event. */
const INTERVAL_MS = 2_000;
/** A minute ends also without an event. */
const WAIT_SECONDS = 15;
/** A screen outlives an outage of a quarter of an hour. A single frame has the limits of every command. */
const patient = ({ stdout }: Context) => (stdout.isTTY ? { maxRetries: 100, deadlineMs: 900_000 } : {});
/** A page has whole messages. */
const COUNTED = 20;

export function addTop(program: Command, invocation: Invocation): void {
  addExamples(program.command('top'), ['topctl top', 'topctl top --profile admin'])
    .summary('Show live figures of the tenant or the platform.')
    .description(
      'Shows outcomes a minute, the time from acceptance to end, and which vendors have no adapter that reads. For platform administrators: what waits, the workers and the vendors. It draws again when an event arrives, until you type q. Without a terminal it prints one frame; for programs there are "topctl commands figures" and "topctl platform get".\n\nScope: open:command:read, or platform:state:read in the tenant platform. With open:catalog:read and platform:parked-message:read it shows more.',
    )
    .action(async () => {
      const { client, clockOffsetMs } = await invocation.connectToOwnTenant();
      const now = () => new Date(Date.now() + clockOffsetMs());
      const me = await client.me.get();
      const may = (scope: string) => me.scopes.includes(scope as (typeof me.scopes)[number]);
      if (may('platform:state:read')) return showLive(invocation.context, platformOf(client, invocation.context, now));
      await showLive(invocation.context, tenantOf(client, invocation.context, { tenant: me.tenant_id, may, now }));
    });
}

const platformOf = (client: TenantOpenPlatform, context: Context, now: () => Date) => ({
  frame: async (signal: AbortSignal) =>
    platformFrame(context, await client.platform.get({ ...patient(context), signal }), now()),
  changed: (signal: AbortSignal) => delay(INTERVAL_MS, undefined, { signal }),
});

type Asking = { tenant: string; may: (scope: string) => boolean; now: () => Date };

function tenantOf(client: TenantOpenPlatform, context: Context, { tenant, may, now }: Asking) {
  let cursor: string | null = null;
  const waits = context.stdout.isTTY === true && may('open:event:read');
  const countParked = async (signal: AbortSignal) => {
    const page = await client.parkedMessages.list(tenant, { limit: COUNTED }, { ...patient(context), signal });
    return `${page.items.length}${page.next_cursor === null ? '' : ' or more'}`;
  };
  return {
    frame: async (signal: AbortSignal) => {
      const settings = { ...patient(context), signal };
      // Before the figures, so that no later event is missed.
      if (waits) cursor = (await client.events.list({ from: 'now', limit: 1 }, settings)).next_cursor;
      const [figures, catalog, parked] = await Promise.all([
        client.commands.figures({ group_by: 'vendor' }, settings),
        may('open:catalog:read') ? client.catalog.get(settings) : undefined,
        may('platform:parked-message:read') ? countParked(signal) : undefined,
      ]);
      return tenantFrame(context, { tenant, now: now(), figures, catalog, parked });
    },
    /** The next event; a wait without one, too: the minutes go on. */
    changed: async (signal: AbortSignal) => {
      if (!cursor) return delay(INTERVAL_MS, undefined, { signal });
      await client.events.list({ cursor, limit: 1, wait_seconds: WAIT_SECONDS }, { ...patient(context), signal });
      await delay(PAUSE_MS, undefined, { signal });
    },
  };
}
