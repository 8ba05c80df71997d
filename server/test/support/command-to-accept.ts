import { randomUUID } from 'node:crypto';
import type { NewCommand } from '../../src/foundation/database/row-level-security.js';
import { newIdTail } from '../../src/foundation/ids.js';

/** The input of the statement that accepts a command. */
export const commandToAccept = (fields: Partial<NewCommand> = {}): NewCommand => ({
  idempotency_key: randomUUID(),
  vendor: 'vendor_a',
  device_id: 'ok-1',
  command_type: 'reboot',
  revision: 1,
  payload: {},
  timeout_seconds: 300,
  request_id: randomUUID(),
  command_id_tail: newIdTail(),
  ...fields,
});
