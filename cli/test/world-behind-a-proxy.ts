import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import { atEnd } from '@tenant-open-platform/testing';

const file = (name: string) => new URL(`./tls/${name}`, import.meta.url).pathname;

/** The CA of `server.pem`. Both were made by openssl for a hundred years; the key of the CA exists no more. */
export const caFile = file('ca.pem');

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  atEnd(() => {
    server.close();
    if (server instanceof http.Server) server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

function pass(target: URL, req: IncomingMessage, res: ServerResponse): void {
  const path = new URL(req.url ?? '', target).pathname + new URL(req.url ?? '', target).search;
  const request = http.request(target, { method: req.method, path, headers: req.headers }, (answer) => {
    res.writeHead(answer.statusCode ?? 0, answer.rawHeaders as unknown as http.OutgoingHttpHeaders);
    answer.pipe(res);
  });
  req.pipe(request);
}

/** What terminates TLS in front of a platform. Returns its port. */
export function startTls(baseUrl: string): Promise<number> {
  const pem = { cert: readFileSync(file('server.pem')), key: readFileSync(file('server.key')) };
  return listen(https.createServer(pem, (req, res) => pass(new URL(baseUrl), req, res)));
}

/**
 * A forward proxy. Every name leads to `baseUrl`, or to the port of TLS. `seen`: what it was asked for, such as
 * `CONNECT platform.test:443`. It refuses callers without `credentials`, `user:password`.
 */
export async function startProxy({ baseUrl, tlsPort, credentials }: Behind) {
  const seen: string[] = [];
  const expected = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
  const isRefused = ({ headers }: IncomingMessage) => expected && headers['proxy-authorization'] !== expected;
  const proxy = http.createServer((req, res) => {
    seen.push(`${req.method} ${req.url}`);
    if (isRefused(req)) return res.writeHead(407).end();
    pass(new URL(baseUrl), req, res);
  });
  proxy.on('connect', (req, near) => {
    seen.push(`CONNECT ${req.url}`);
    if (isRefused(req)) return near.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const far = connect(tlsPort ?? 0, '127.0.0.1', () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n');
      near.pipe(far).pipe(near);
    });
    for (const end of [near, far]) end.on('error', () => {});
    near.on('close', () => far.destroy());
  });
  return { url: `http://127.0.0.1:${await listen(proxy)}`, seen };
}

type Behind = { baseUrl: string; tlsPort?: number; credentials?: string };
