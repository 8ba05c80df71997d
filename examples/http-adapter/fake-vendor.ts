import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { Action } from './vendor-api.js';

export const WEBHOOK_SECRET = `whsec_${randomBytes(24).toString('base64')}`;

type Call = { key: string; authorization: string; body: { device_id: string; action: string; parameters: object } };
type Fault = (response: ServerResponse, call: Call) => void | Promise<void>;

const portOf = (server: Server) => (server.address() as AddressInfo).port;

/** Resolves with the port. */
export async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return portOf(server);
}

/** The vendor's API: it acts once for each idempotency key, and answers with the state of the action. */
export async function startFakeVendor() {
  const calls: Call[] = [];
  const actions = new Map<string, Action>();
  const faults: Fault[] = [];
  let webhookUrl = '';

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const { 'idempotency-key': key, authorization = '' } = request.headers;
    const call = { key: String(key), authorization, body };
    calls.push(call);
    const fault = faults.shift();
    if (fault) await fault(response, call);
    if (!response.headersSent && !response.destroyed) send(response, 202, begin(call));
  }
  const server = createServer((request, response) => void answer(request, response));
  const port = await listen(server);

  /** As the device would. A second call with the same key begins nothing. */
  function begin({ key }: Pick<Call, 'key'>): Action {
    const action = actions.get(key) ?? { idempotency_key: key, state: 'running' };
    actions.set(key, action);
    return action;
  }

  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    actions,
    begin,
    /** The next calls are answered by these, one after the other. */
    next: (...some: Fault[]) => void faults.push(...some),
    sendWebhooksTo(url: string): void {
      webhookUrl = url;
    },
    /** Ends an action, and reports that to the adapter. Returns the status of the answer. */
    end(key: string, end: Partial<Action>): Promise<number> {
      const action = { ...begin({ key }), ...end };
      actions.set(key, action);
      return this.webhook(JSON.stringify({ type: 'action.ended', data: action }));
    },
    async webhook(body: string, { secret = WEBHOOK_SECRET, headers = {} } = {}): Promise<number> {
      const id = `msg_${randomBytes(8).toString('hex')}`;
      const sentAt = new Date();
      const answered = await fetch(webhookUrl, {
        method: 'POST',
        headers: {
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1_000)),
          'webhook-signature': new Webhook(secret).sign(id, sentAt, body),
          ...headers,
        },
        body,
      });
      return answered.status;
    },
    stop(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}

export function send(response: ServerResponse, status: number, body: object | string, headers: object = {}): void {
  response.writeHead(status, { ...headers }).end(typeof body === 'string' ? body : JSON.stringify(body));
}
