import { randomUUID } from 'node:crypto';
import { type Answer, type Profile, signedRequest, type TestTenant } from '@tenant-open-platform/testing';
import { untilServed } from './until-served.js';

export const COMMANDS = '/api/v1/open/downlink/commands';
const BATCHES = '/api/v1/open/downlink/command-batches';

/** Creates a command and returns its id. Like every well-behaved caller it retries a 503 after `Retry-After`. */
export async function newCommand(operator: Profile, fields: object = {}, node?: string): Promise<string> {
  const command = { vendor: 'vendor_a', device_id: 'ok-1', command_type: 'reboot', payload: {}, ...fields };
  const body = { idempotency_key: randomUUID(), ...command };
  const answer = await untilServed(() => signedRequest(operator, 'POST', COMMANDS, { body, ...(node && { node }) }));
  if (answer.status !== 202) throw new Error(answer.raw);
  return answer.body.command_id;
}

/** The record of a command once its status is final and its events can be read. */
export async function completed(reader: Profile, commandId: string): Promise<Answer['body']> {
  const read = (target: string) => untilServed(() => signedRequest(reader, 'GET', `${target}wait_seconds=30`));
  for (;;) {
    const { body } = await read(`${COMMANDS}/${commandId}?`);
    if (body.completed_at === null) continue;
    await read(`/api/v1/open/events?command_id=${commandId}&event_type=command.completed&`);
    return body;
  }
}

/** The record of a command with a short timeout. On a slow machine its deadline may pass before it is dispatched. */
export async function completedOnceDispatched(reader: Profile, create: () => Promise<string>): Promise<Answer['body']> {
  for (;;) {
    const record = await completed(reader, await create());
    if (record.status !== 'EXPIRED') return record;
  }
}

export const cancelCommand = (operator: Profile, commandId: string): Promise<Answer> =>
  signedRequest(operator, 'POST', `${COMMANDS}/${commandId}/cancel`);

/** A canceled command. The relay is fast, so it gets so much to send before it that it is canceled in time. */
export async function canceledCommand({ operator }: TestTenant): Promise<Answer['body']> {
  const command = { vendor: 'vendor_a', device_id: 'ok-1', command_type: 'reboot', payload: {} };
  const batch = () => Array.from({ length: 500 }, () => ({ idempotency_key: randomUUID(), ...command }));
  const create = () => signedRequest(operator, 'POST', BATCHES, { body: { commands: batch() } });
  for (;;) {
    await Promise.all([create, create].map(untilServed));
    const canceled = await cancelCommand(operator, await newCommand(operator));
    if (canceled.status === 200) return canceled.body;
  }
}
