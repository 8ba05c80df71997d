import { hash } from 'node:crypto';
import type { contract } from '@tenant-open-platform/contract';
import type { Database } from '../../platform/database/database.js';
import { ApiError } from '../../platform/http/api-error.js';
import type { Call } from '../../platform/http/call.js';
import type { Handler } from '../../platform/http/handler.js';
import { newId } from '../../platform/new-id.js';
import type { CommandCatalog } from '../catalog/command-catalog.js';
import type { AcceptCommand, NewCommand } from './accept-commands.js';
import { canonicalJson } from './canonical-json.js';
import { replayCommand } from './replay-command.js';

export type CommandRequest = Parameters<Handler<typeof contract.commands.create>>[0]['body'];

type Services = {
  database: Database;
  catalog: CommandCatalog;
  acceptCommand: AcceptCommand;
  payloadLimitBytes: number;
};

const DEFAULT_TIMEOUT_SECONDS = 30;
/** The catalog would have to change between check and insert every time. */
const MAX_CATALOG_RELOADS = 5;

export const createCommand =
  ({ database, catalog, acceptCommand, payloadLimitBytes }: Services): Handler<typeof contract.commands.create> =>
  async ({ body }, call) => {
    if (Buffer.byteLength(JSON.stringify(body.payload)) > payloadLimitBytes) {
      throw new ApiError('PAYLOAD_TOO_LARGE', {
        message: `The payload is larger than ${payloadLimitBytes} bytes. Send less.`,
        details: [{ location: 'body/payload', code: 'PAYLOAD_TOO_LARGE', message: 'is too large' }],
      });
    }
    const request = { ...body, timeout_seconds: body.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS };
    const payloadSha256 = hash('sha256', canonicalJson(body.payload));

    for (let reloads = 0; reloads <= MAX_CATALOG_RELOADS; reloads++) {
      const checked = catalog.check(body);
      if (checked instanceof ApiError) {
        // The catalog in memory may be behind: only a fresh one refuses, and a used key comes before any refusal.
        if (reloads === 0) {
          await catalog.reload();
          continue;
        }
        const replay = await replayCommand(database, call, request, payloadSha256);
        if (replay) return replay;
        throw checked;
      }
      const command = newCommand(request, payloadSha256, checked.revision, call);
      const acceptance = await acceptCommand(command);
      if (acceptance === 'ACCEPTED') {
        return {
          status: 202,
          body: {
            command_id: command.command_id,
            status: 'ACCEPTED',
            accepted_at: command.accepted_at,
            request_id: call.requestId,
          },
        };
      }
      if (acceptance === 'KEY_USED') {
        const replay = await replayCommand(database, call, request, payloadSha256);
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

function newCommand(
  request: CommandRequest & { timeout_seconds: number },
  payloadSha256: string,
  revision: number,
  { caller, admittedAt, requestId }: Call,
): NewCommand {
  const acceptedAt = admittedAt.toISOString();
  return {
    tenant_id: caller.tenantId,
    command_id: newId(admittedAt.getTime()),
    idempotency_key: request.idempotency_key,
    vendor: request.vendor,
    device_id: request.device_id,
    command_type: request.command_type,
    revision,
    payload: request.payload,
    payload_sha256: payloadSha256,
    timeout_seconds: request.timeout_seconds,
    accepted_at: acceptedAt,
    created_by_client_id: caller.clientId,
    request_id: requestId,
    event_id: newId(admittedAt.getTime()),
  };
}
