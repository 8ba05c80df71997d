import { hash } from 'node:crypto';
import { contract } from '@tenant-open-platform/contract';
import type { Applicant, Verdict } from '../../platform/auth/admission.js';
import { canonicalJson } from '../../platform/canonical-json.js';
import type { Database } from '../../platform/database/database.js';
import { ApiError, refuseLargePayload } from '../../platform/http/api-error.js';
import type { Handler } from '../../platform/http/handler.js';
import { newIdTail } from '../../platform/new-id.js';
import { type Signals, topics } from '../../platform/signals/signals.js';
import type { CommandCatalog } from '../catalog/command-catalog.js';
import { type Acceptance, commandAccepter, commandAdmission, type NewCommand } from './accept-commands.js';
import { replayCommand } from './replay-command.js';

export type CommandRequest = Parameters<Handler<typeof contract.commands.create>>[0]['body'];

type Services = { database: Database; catalog: CommandCatalog; signals: Signals; payloadLimitBytes: number };

const DEFAULT_TIMEOUT_SECONDS = 30;
/** The catalog would have to change between check and insert every time. */
const MAX_CATALOG_RELOADS = 5;

export const createCommand = ({
  database,
  catalog,
  signals,
  payloadLimitBytes,
}: Services): Handler<typeof contract.commands.create> => {
  const acceptCommand = commandAccepter(database);
  return async ({ body }, call) => {
    refuseLargePayload(payloadBytes(body), payloadLimitBytes);
    for (let reloads = 0; reloads <= MAX_CATALOG_RELOADS; reloads++) {
      const checked = catalog.check(body);
      if (checked instanceof ApiError) {
        // The catalog in memory may be behind: only a fresh one refuses, and a used key comes before any refusal.
        if (reloads === 0) {
          await catalog.reload();
          continue;
        }
        const replay = await replayCommand(database, call, newCommand(body, 0, call.requestId));
        if (replay) return replay;
        throw checked;
      }
      const command = newCommand(body, checked.revision, call.requestId);
      const acceptance = await acceptCommand({ caller: call.caller, command });
      if (acceptance.outcome === 'ACCEPTED') {
        signalAccepted(signals, call.tenantId);
        return answer(acceptance, call.requestId);
      }
      if (acceptance.outcome === 'KEY_USED') {
        const replay = await replayCommand(database, call, command);
        if (replay) return replay;
        throw new Error('The idempotency key is used, but its command is not there.');
      }
      await catalog.reload();
    }
    throw new ApiError('SERVICE_UNAVAILABLE', {
      message: 'The catalog is changing. Repeat the request.',
      headers: { 'Retry-After': '1' },
    });
  };
};

/**
 * The way of nearly every command: what nothing speaks against is stored by the statement that admits its request, a
 * round trip and a commit less. Whatever is not that simple takes the way of all other requests, through admission
 * and then createCommand.
 */
export function commandFastPath({ database, catalog, signals, payloadLimitBytes }: Services) {
  const admitWithCommand = commandAdmission(database);
  return {
    /** The command that a request asks for; null where anything speaks against it. */
    prepare(target: string, body: unknown, requestId: string): NewCommand | null {
      // The operation has no query.
      if (target !== contract.commands.create.path) return null;
      const { success, data } = contract.commands.create.body.safeParse(body);
      if (!success || payloadBytes(data) > payloadLimitBytes) return null;
      const checked = catalog.check(data);
      return checked instanceof ApiError ? null : newCommand(data, checked.revision, requestId);
    },
    /** The answer is null where the command is not stored. */
    async admit(applicant: Applicant, command: NewCommand): Promise<{ verdict: Verdict; answer: Answer | null }> {
      const { verdict, acceptance } = await admitWithCommand({ applicant, command });
      if (acceptance.outcome !== 'ACCEPTED') return { verdict, answer: null };
      signalAccepted(signals, applicant.tenantId);
      return { verdict, answer: answer(acceptance, command.request_id) };
    },
  };
}

type Answer = ReturnType<typeof answer>;

const signalAccepted = (signals: Signals, tenantId: string) => signals.send([topics.outbox, topics.events(tenantId)]);

const answer = ({ commandId, acceptedAt }: Acceptance & { outcome: 'ACCEPTED' }, requestId: string) => ({
  status: 202 as const,
  body: {
    command_id: commandId,
    status: 'ACCEPTED' as const,
    accepted_at: acceptedAt.toISOString(),
    request_id: requestId,
  },
});

const payloadBytes = ({ payload }: CommandRequest) => Buffer.byteLength(JSON.stringify(payload));

const newCommand = (request: CommandRequest, revision: number, requestId: string): NewCommand => ({
  idempotency_key: request.idempotency_key,
  vendor: request.vendor,
  device_id: request.device_id,
  command_type: request.command_type,
  revision,
  payload: request.payload,
  payload_sha256: hash('sha256', canonicalJson(request.payload)),
  timeout_seconds: request.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS,
  request_id: requestId,
  command_id_tail: newIdTail(),
  event_id_tail: newIdTail(),
});
