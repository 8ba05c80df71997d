import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Adapter, DeviceConnections } from '@tenant-open-platform/sdk/adapter';
import { RPCServer } from 'ocpp-rpc';

/** The charge points, by their identity: the last part of the URL that they dial. */
export type ChargePoints = Readonly<Record<string, { tenant_id: string; password: string }>>;

/** The newest first: a charge point that speaks both gets it. */
const VERSIONS = ['ocpp2.0.1', 'ocpp1.6'] as const;
export type Version = (typeof VERSIONS)[number];

/** A charge point that has dialled in. */
export interface ChargePoint {
  readonly identity: string;
  readonly protocol: Version;
  handle(method: string, handler: (message: { params: Record<string, unknown> }) => unknown): void;
  call(method: string, params: object, options: object): Promise<Record<string, unknown>>;
  close(options: { code: number; reason: string }): Promise<unknown>;
  on(event: 'disconnect', listener: () => void): void;
}

/** So long a charge point waits for the answer of somebody behind the platform. */
const REPLY_SECONDS = 20;
const HEARTBEAT_SECONDS = 300;

/**
 * A central system for OCPP 1.6 and 2.0.1 with Basic authentication, which is their security profile 1. Put TLS before it.
 * `online` gets the charge points that dial in.
 */
export async function startCentralSystem(
  port: number,
  chargePoints: ChargePoints,
  online: DeviceConnections<ChargePoint>,
  { request }: Pick<Adapter, 'request'>,
) {
  // Strict: what the schemas of OCPP do not allow is answered with an error, and handled nowhere.
  const server = new RPCServer({ protocols: [...VERSIONS], strictMode: true });

  server.auth((accept, reject, { identity, password, protocols }) => {
    const known = Object.hasOwn(chargePoints, identity) ? chargePoints[identity] : undefined;
    if (!known || !isSame(Buffer.from(known.password), password)) reject(401, 'Unauthorized');
    else if (!VERSIONS.some((version) => protocols.has(version))) reject(400, 'Speaks neither OCPP 2.0.1 nor 1.6');
    else accept();
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
    const authorizeToken = async (token: unknown) => ({
      idTokenInfo: await authorize((token as { idToken: string }).idToken),
    });
    chargePoint.handle('Authorize', async ({ params: { idTag, idToken } }) =>
      idToken ? authorizeToken(idToken) : { idTagInfo: await authorize(idTag) },
    );
    // OCPP 2.0.1 has one message for all that happens in a transaction.
    chargePoint.handle('TransactionEvent', ({ params: { meterValue: _, ...params } }) => {
      if (params.eventType === 'Started') tell('transaction_started', params);
      if (params.eventType === 'Ended') tell('transaction_stopped', params);
      return params.idToken ? authorizeToken(params.idToken) : {};
    });
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
    const telemetry = ['StatusNotification', 'MeterValues', 'NotifyEvent'];
    for (const method of telemetry) chargePoint.handle(method, () => ({}));

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
