import type { AuditEvent } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import { addResource } from '../input/add-operation.js';
import type { Invocation } from '../invocation.js';
import type { View } from '../output/render.js';

const view: View<AuditEvent> = {
  id: (event) => event.audit_event_id,
  columns: ['occurred_at', 'outcome', 'client_id', 'operation', 'target', 'changes'],
};

export function addAuditEvents(program: Command, invocation: Invocation): void {
  const add = addResource(program, invocation, 'auditEvents');

  add('list', { view, call: ({ client, path, input }) => client.auditEvents.list(path.tenant_id, input) });
}
