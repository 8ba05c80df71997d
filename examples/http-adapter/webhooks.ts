import { createServer, type IncomingMessage } from 'node:http';
import type { CommandMessage } from '@tenant-open-platform/sdk/adapter';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { type Action, isEnd } from './vendor-api.js';

const MAX_BYTES = 65_536;

/** Receives webhooks of the vendor at `/webhooks`. A proxy in front of it terminates TLS. */
export function receiveWebhooks(secret: string) {
  const webhook = new Webhook(secret);
  const commands = new Map<string, (action: Action) => void>();

  async function statusFor(request: IncomingMessage): Promise<number> {
    if (request.method !== 'POST' || request.url !== '/webhooks') return 404;
    const length = Number(request.headers['content-length']);
    if (!(length <= MAX_BYTES)) return length > MAX_BYTES ? 413 : 411;
    const body = Buffer.concat(await request.toArray());
    const { data } = webhook.verify(body, request.headers as Record<string, string>) as { data: Action };
    const end = commands.get(data.idempotency_key);
    // The vendor sends it again later. Perhaps another process waits for it.
    if (!end) return 404;
    // A second webhook changes nothing.
    if (isEnd(data)) end(data);
    return 204;
  }

  return {
    server: createServer((request, response) => {
      void statusFor(request)
        .catch((error) => (error instanceof WebhookVerificationError ? 401 : 400))
        .then((status) => response.writeHead(status).end());
    }),
    outcomeOf: ({ command_id }: CommandMessage, forMs: number) =>
      new Promise<Action>((resolve) => {
        commands.set(command_id, resolve);
        setTimeout(() => commands.delete(command_id), forMs).unref();
      }),
  };
}
