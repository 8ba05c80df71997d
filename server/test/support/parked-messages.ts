import { type Answer, signedRequest, type TestTenant } from '@tenant-open-platform/testing';
import { vi } from 'vitest';
import { completed, newCommand } from './commands.js';

export const parkedMessagesOf = (tenantId: string) => `/api/v1/platform/tenants/${tenantId}/parked-messages`;

/** A message that the platform refused: a simulated device reports a result that is too large. */
export async function newParkedMessage({ tenant_id, admin, operator, reader }: TestTenant): Promise<Answer['body']> {
  const commandId = await newCommand(operator, { device_id: 'verbose-1', timeout_seconds: 300 });
  await completed(reader, commandId);
  const list = parkedMessagesOf(tenant_id);
  return vi.waitFor(
    async () => {
      for (const { parked_message_id } of (await signedRequest(admin, 'GET', `${list}?limit=20`)).body.items) {
        const { body: message } = await signedRequest(admin, 'GET', `${list}/${parked_message_id}`);
        if (message.body?.includes(commandId)) return message;
      }
      throw new Error('The message is not parked yet.');
    },
    { timeout: 60_000, interval: 100 },
  );
}
