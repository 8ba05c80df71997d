import { v5 } from 'uuid';
import type { Database } from '../../platform/database/database.js';
import { ApiError } from '../../platform/operation/api-error.js';
import type { Handler } from '../../platform/operation/handler.js';
import { repeatedly } from '../../platform/waiting/batched.js';
import { acceptCommands } from './accept-commands.js';
import type { CommandRequest, CommandStore, Stored } from './store-commands.js';

/** The namespace of ids that are made of idempotency keys: the same request always names the same batch. */
const BATCHES = '0f6a5e1c-3a1d-4d0e-9b1f-6a1f0c8f2d55';

export function createManyCommands(database: Database, { store }: CommandStore): Handler<'commands.createMany'> {
  return async ({ body: { commands, batch_id } }, call) => {
    const batchId = batch_id ?? v5(commands.map(({ idempotency_key }) => idempotency_key).join(' '), BATCHES);
    // Admission has counted the request, which stands for its first command.
    let overQuota: ApiError | null = null;
    let within = 1;
    while (within < commands.length && !overQuota) {
      overQuota = call.countRequest();
      if (!overQuota) within++;
    }
    const outcomes = await store(commands.slice(0, within), call, (checked) =>
      repeatedly(() =>
        acceptCommands(
          database,
          checked.map((command) => ({ caller: call.caller, command, batchId })),
        ),
      ),
    );
    const items = commands.map((command, index) => itemOf(command, outcomes[index] ?? (overQuota as ApiError)));
    return { status: 200, body: { batch_id: batchId, items, request_id: call.requestId } };
  };
}

function itemOf({ idempotency_key }: CommandRequest, outcome: Stored | ApiError) {
  if (outcome instanceof ApiError) return { idempotency_key, error: errorOf(outcome) };
  const { commandId, acceptedAt, replayed } = outcome;
  return {
    idempotency_key,
    command_id: commandId,
    status: 'ACCEPTED' as const,
    accepted_at: acceptedAt.toISOString(),
    ...(replayed && { idempotent_replayed: true }),
    ...(replayed && replayed.differing.length > 0 && { idempotency_mismatch: replayed.differing }),
  };
}

function errorOf(error: ApiError) {
  const { request_id: _, ...fields } = error.body('');
  const seconds = error.extra.headers?.['Retry-After'];
  return { status: error.status, ...fields, ...(seconds !== undefined && { retry_after_seconds: Number(seconds) }) };
}
