import { expect } from 'vitest';
import type { TenantOpenPlatform } from '../src/index.js';
import { answer, fakeClient, type Step } from './fake-fetch.js';

export type Sent = { idempotency_key: string; device_id: string };
export type Body = Sent & { commands?: Sent[] };

export const command = (device_id: string, fields: object = {}) => ({
  vendor: 'vendor_a',
  device_id,
  command_type: 'reboot',
  payload: {},
  ...fields,
});

export const accepted = ({ device_id }: Sent) => ({
  command_id: `c-${device_id}`,
  status: 'ACCEPTED',
  accepted_at: '2026-02-01T09:30:00.000Z',
});

export type Answering = (sent: { body: unknown }) => Promise<Response>;

/** The answer to a shared request: each item is accepted, or is what `itemOf` returns for it. */
export const shared =
  (itemOf: (sent: Sent) => object | undefined = () => undefined): Answering =>
  async ({ body }) => {
    const commands = (body as Body).commands ?? [];
    const items = commands.map((sent) => ({
      idempotency_key: sent.idempotency_key,
      ...(itemOf(sent) ?? accepted(sent)),
    }));
    return answer(200, { batch_id: 'b', items, request_id: 'r' }, { 'X-Request-Id': 'r' });
  };
export const alone: Answering = async ({ body }) => answer(202, { ...accepted(body as Sent), request_id: 'r' });

/** The requests may arrive in any order. */
export const either: Answering = (sent) => ((sent.body as Body).commands ? shared() : alone)(sent);

export const refused = (status: number, code: string, more: object = {}) => ({
  error: { status, code, message: `It is ${code}.`, ...more },
});

/** A client that shares requests, on a fake server. */
export const sharing = (script: Step[], options: object = {}) =>
  fakeClient(script, { batch: { withinMs: 0 }, ...options });

/** What each request carried: the devices of a shared one, the device of one alone. */
export const requests = ({ sent }: { sent: { body: unknown }[] }) =>
  sent.map(({ body }) => {
    const { commands, device_id } = (body ?? {}) as Body;
    return commands ? commands.map((each) => each.device_id) : device_id;
  });

export const create = (client: TenantOpenPlatform, devices: string[], options?: object) =>
  Promise.allSettled(devices.map((device) => client.commands.create(command(device), options)));
export const idOf = (result: PromiseSettledResult<{ command_id: string }>) =>
  result.status === 'fulfilled' ? result.value.command_id : (result.reason.code ?? result.reason.name);

export const errorOf = (call: PromiseLike<unknown>): Promise<Error> =>
  Promise.resolve(call).then(
    () => expect.unreachable(),
    (error) => error,
  );
