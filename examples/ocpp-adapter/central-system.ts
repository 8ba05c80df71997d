import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Adapter, DeviceConnections } from '@tenant-open-platform/sdk/adapter';
import { RPCServer } from 'ocpp-rpc';

/** The charge points, by their identity: the last part of the URL that they dial. */
export type ChargePoints = Readonly<Record<string, { tenant_id: string; password: string }>>;

/** A charge point that has dialled in. */
export interface ChargePoint {
  readonly identity: string;
  handle(method: string, handler: (message: { params: Record<string, unknown> }) => unknown): void;
  call(method: string, params: object, options: object): Promise<Record<string, unknown>>;
  close(options: { code: number; reason: string }): Promise<unknown>;
  on(event: 'disconnect', listener: () => void): void;
}

/** So long a charge point waits for the answer of somebody behind the platform. */
const REPLY_SECONDS = 20;
const HEARTBEAT_SECONDS = 300;

/**
 * A central system for OCPP 1.6 with Basic authentication, which is its security profile 1. Put TLS before it. `online` gets
 * the charge points that dial in.
 */
export async function startCentralSystem(
  port: number,
  chargePoints: ChargePoints,
  online: DeviceConnections<ChargePoint>,
  { request }: Pick<Adapter, 'request'>,
) {
  // Strict: what the schemas of OCPP do not allow is answered with an error, and handled nowhere.
  const server = new RPCServer({ protocols: ['ocpp1.6'], strictMode: true });

  server.auth((accept, reject, { identity, password }) => {
    const known = Object.hasOwn(chargePoints, identity) ? chargePoints[identity] : undefined;
    if (known && isSame(Buffer.from(known.password), password)) accept();
    else reject(401, 'Unauthorized');
  });

  server.on('client', (chargePoint: ChargePoint) => {
    const { identity } = chargePoint;
    const { tenant_id = '' } = chargePoints[identity] ?? {};
    /** Sends a device request to the tenant. Resolves to its reply, or to null if nobody replies. */
    const ask = async (request_type: string, payload: Record<string, unknown>) => {
      const dedupe_id = crypto.randomUUID();
      const message = { tenant_id, device_id: identity, request_type, payload, dedupe_id };
      const reply = await request({ ...message, expires_in_seconds: REPLY_SECONDS });
      return reply?.outcome === 'SUCCESS' ? (reply.payload ?? {}) : null;
    };

    /** Sends a device request without waiting for its reply. It fails if it is too large, or if the adapter stops. */
    const tell = (request_type: string, payload: Record<string, unknown>) =>
      void ask(request_type, payload).catch((error) => console.error(`${identity}: ${request_type}: ${error}`));

    chargePoint.handle('BootNotification', async ({ params }) => {
      const status = (await ask('boot', params)) ? 'Accepted' : 'Pending';
      return { status, currentTime: new Date().toISOString(), interval: HEARTBEAT_SECONDS };
    });
    const authorize = async (idTag: unknown) => ({
      status: (await ask('authorize', { idTag })) ? 'Accepted' : 'Invalid',
    });
    chargePoint.handle('Authorize', async ({ params }) => ({ idTagInfo: await authorize(params.idTag) }));
    chargePoint.handle('StartTransaction', async ({ params }) => {
      const transactionId = crypto.getRandomValues(new Int32Array(1))[0];
      tell('transaction_started', { ...params, transactionId });
      return { transactionId, idTagInfo: await authorize(params.idTag) };
    });
    // The meter values of the whole transaction have no bound: they are telemetry.
    chargePoint.handle('StopTransaction', ({ params: { transactionData: _, ...params } }) => {
      tell('transaction_stopped', params);
      return {};
    });
    chargePoint.handle('Heartbeat', () => ({ currentTime: new Date().toISOString() }));
    // Telemetry: store it where you like.
    for (const method of ['StatusNotification', 'MeterValues']) chargePoint.handle(method, () => ({}));

    const earlier = online.add(identity, chargePoint);
    earlier?.close({ code: 1000, reason: 'The charge point has dialled in again.' }).catch(() => {});
    chargePoint.on('disconnect', () => online.remove(identity, chargePoint));
  });

  // Not `server.listen`: it fails for a path that is no URL, from anybody, and the process would end.
  const http = createServer((_request, response) => void response.writeHead(426).end());
  http.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    server.handleUpgrade(request, socket, head).catch(() => socket.destroy());
  });
  http.listen(port);
  await once(http, 'listening');
  return async () => {
    http.close();
    await server.close({ code: 1001, reason: 'The central system stops.' });
  };
}

const isSame = (known: Buffer, given: Buffer | undefined) =>
  given !== undefined && given.length === known.length && timingSafeEqual(given, known);
