import { setTimeout as delay } from 'node:timers/promises';
import type { AuditEvent } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import { addResource } from '../input/add-operation.js';
import { instantOf, sinceField } from '../input/since.js';
import { interruptible } from '../interruptible.js';
import type { Invocation } from '../invocation.js';
import type { View } from '../output/render.js';

const view: View<AuditEvent> = {
  id: (event) => event.audit_event_id,
  columns: ['occurred_at', 'operation', 'target', 'client_id', 'outcome'],
};

const PAUSE_MS = 2_000;
/** A change may be committed this long after its instant. */
const LATE_MS = 10_000;
/** Outlives an outage of a quarter of an hour. */
const PATIENT = { maxRetries: 100, deadlineMs: 900_000 };

export function addAuditEvents(program: Command, invocation: Invocation): void {
  const add = addResource(program, invocation, 'auditEvents');

  async function* withHint(events: AsyncIterable<AuditEvent>, target: string | undefined, tenant: string) {
    let isEmpty = true;
    for await (const event of events) {
      isEmpty = false;
      yield event;
    }
    if (isEmpty && target !== undefined && !target.includes('/'))
      invocation.note(
        `--target is a whole path, such as platform/tenants/${tenant}/credentials/${target}. Without --target, the list shows the paths.`,
      );
  }

  add('list', {
    view,
    call: ({ client, path: { tenant_id }, input }) =>
      withHint(client.auditEvents.list(tenant_id, input), input.target, tenant_id),
  });
  add('list', {
    as: 'tail',
    summary: 'Follow the audit log.',
    description: 'Prints a line for each new audit event until you stop it. It asks the platform every two seconds.',
    isEndless: true,
    fields: { occurred_after: null, occurred_before: null },
    flags: { since: sinceField },
    examples: ['topctl audit-events tail --tenant acme --since 1h'],
    run: async ({ client, path, input: { since = '0s', ...filters } }) => {
      const start = await instantOf(invocation, client, since);
      await interruptible(invocation.context, async (signal) => {
        const list = (occurred_after: string) =>
          client.auditEvents.list(path.tenant_id, { ...filters, occurred_after }, { ...PATIENT, signal });
        for await (const event of followNewest(list, start, signal)) {
          const { occurred_at, outcome, operation, client_id, target } = event;
          await invocation.printLine(event, [occurred_at, outcome, operation, client_id, target], view);
        }
      });
    },
  });
}

/** Each event once, oldest first, of a list that begins with the newest. */
async function* followNewest(
  list: (after: string) => AsyncIterable<AuditEvent>,
  start: Date,
  signal: AbortSignal,
): AsyncGenerator<AuditEvent> {
  const seen = new Map<string, number>();
  for (let afterMs = start.getTime(); ; ) {
    const found: AuditEvent[] = [];
    for await (const event of list(new Date(afterMs).toISOString())) {
      if (!seen.has(event.audit_event_id)) found.push(event);
      seen.set(event.audit_event_id, Date.parse(event.occurred_at));
    }
    yield* found.reverse();
    afterMs = Math.max(afterMs, ...[...seen.values()].map((atMs) => atMs - LATE_MS));
    for (const [id, atMs] of seen) if (atMs < afterMs) seen.delete(id);
    await delay(PAUSE_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted) throw signal.reason;
  }
}
