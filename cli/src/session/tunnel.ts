import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import tls from 'node:tls';
import { type HttpProxy, nameOf } from './proxy-for.js';

/** The header that tells the proxy who asks: user and password of its URL. */
export function credentialsFor({ url: { username, password } }: HttpProxy): Record<string, string> {
  if (!username) return {};
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'Proxy-Authorization': `Basic ${Buffer.from(text).toString('base64')}` };
}

export const requestOf = ({ url }: HttpProxy) => (url.protocol === 'https:' ? https.request : http.request);

export const addressOf = ({ url }: HttpProxy) => ({
  host: url.hostname.replace(/^\[|\]$/g, ''),
  port: url.port || (url.protocol === 'https:' ? 443 : 80),
});

export function refusedBy(proxy: HttpProxy, status = 0, text = ''): Error {
  const why = status === 407 ? `it wants a user name and a password in ${proxy.variable}` : `${status} ${text}`.trim();
  return new Error(`the proxy ${nameOf(proxy)} refused the connection: ${why}`);
}

export function unreachableProxy(proxy: HttpProxy, { message, code }: NodeJS.ErrnoException): Error {
  return Object.assign(new Error(`the proxy ${nameOf(proxy)} cannot be reached: ${message}`), { code });
}

type Connection = { host: string; port: number; signal?: AbortSignal };
type Opened = (error: Error | null, socket?: Socket) => void;

/** Keeps TLS connections that go through a proxy, which sees only names and ports. */
export class TunnelAgent extends https.Agent {
  constructor(
    private readonly proxy: HttpProxy,
    options: https.AgentOptions,
  ) {
    super(options);
  }

  // Node calls it with a callback; its types do not say so.
  override createConnection(options: unknown, opened?: unknown): undefined {
    const connection = options as Connection & tls.ConnectionOptions;
    const { proxy } = this;
    const done = opened as Opened;
    const target = `${connection.host.includes(':') ? `[${connection.host}]` : connection.host}:${connection.port}`;
    requestOf(proxy)({
      ...addressOf(proxy),
      method: 'CONNECT',
      path: target,
      headers: { Host: target, ...credentialsFor(proxy) },
      agent: false,
      signal: connection.signal,
    })
      .once('connect', ({ statusCode, statusMessage }, socket) => {
        if (statusCode === 200) return done(null, tls.connect({ ...connection, socket }));
        socket.destroy();
        done(refusedBy(proxy, statusCode, statusMessage));
      })
      .once('error', (error) => done(unreachableProxy(proxy, error)))
      .end();
  }
}
