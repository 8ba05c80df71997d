import { contract } from '@tenant-open-platform/contract';
import type { Shortcut, ShortcutRequest } from '../../platform/auth/admit.js';
import { ApiError } from '../../platform/operation/api-error.js';
import type { Handler } from '../../platform/operation/handler.js';
import { createCommandAccepter, createCommandAdmission } from './accept-commands.js';
import { type CommandServices, type CommandStore, type Stored, toStore } from './store-commands.js';

export function createCommand(
  { database, metrics }: CommandServices,
  { check, payloadProblem, announce, store }: CommandStore,
) {
  const accept = createCommandAccepter(database);
  const admitAndAccept = createCommandAdmission(database);

  const handler: Handler<'commands.create'> = async ({ body }, call) => {
    const [outcome] = (await store([body], call, (commands) =>
      Promise.all(commands.map((command) => accept({ caller: call.caller, command }))),
    )) as [Stored | ApiError];
    if (outcome instanceof ApiError) throw outcome;
    return answerOf(outcome, call.requestId);
  };

  /**
   * The statement that admits the request also stores its command, or refuses it for overload, which saves a round trip
   * and a commit. Nearly every command takes this way. At 32 in flight a command takes 0.27 ms of CPU of the node, and
   * 0.48 ms without the shortcut. Null for a request that is admitted first and then handled.
   */
  function shortcut(request: ShortcutRequest): Shortcut | null {
    // The operation has no query parameters.
    if (request.target !== contract.commands.create.path) return null;
    const { success, data } = contract.commands.create.body.safeParse(request.body);
    if (!success || payloadProblem(data)) return null;
    const checked = check(data, request.tenantId);
    if (checked.invalid) return null;
    const { overload } = checked;
    return async (signed) => {
      const { verdict, acceptance } = await admitAndAccept({ signed, command: toStore(data, checked, request) });
      if (overload && acceptance?.outcome === 'REFUSED') {
        metrics.countOverload();
        return { verdict, answer: overload };
      }
      if (acceptance?.outcome !== 'ACCEPTED') return { verdict, answer: null };
      announce();
      return { verdict, answer: answerOf(acceptance, request.requestId) };
    };
  }

  return { handler, shortcut };
}

const answerOf = ({ commandId, acceptedAt, replayed }: Stored, requestId: string) => ({
  status: 202 as const,
  body: {
    command_id: commandId,
    status: 'ACCEPTED' as const,
    accepted_at: acceptedAt.toISOString(),
    request_id: requestId,
  },
  ...(replayed && {
    headers: {
      'Idempotent-Replayed': 'true',
      ...(replayed.differing.length > 0 && { 'Idempotency-Mismatch': replayed.differing.join() }),
    },
  }),
});
