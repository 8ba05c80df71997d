import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Exchange = { request: IncomingMessage; response: ServerResponse; body: string };
/** Answers a request, or fails to. It returns after the request was received as a whole. */
export type Fault = (exchange: Exchange) => void;

/** A server of real HTTP that treats the requests as the script says, one after the other, and all others as `rest` says. */
export async function startFaultServer(script: Fault[], rest: Fault) {
  const received: { target: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const fault = script[received.length] ?? rest;
      received.push({ target: `${request.method} ${request.url}`, headers: request.headers, body });
      fault({ request, response, body });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Every request that arrived as a whole. */
    received,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export const json =
  (status: number, body: object, headers: Record<string, string> = {}): Fault =>
  ({ response }) =>
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));

/** A refusal as the platform writes it. */
export const refuse = (status: number, code: string, headers?: Record<string, string>, metadata = {}): Fault =>
  json(status, { code, message: `It is ${code}.`, request_id: 'r', metadata }, headers);

/** What a proxy answers by itself. */
export const page =
  (status: number, headers: Record<string, string> = {}): Fault =>
  ({ response }) =>
    response.writeHead(status, { 'Content-Type': 'text/html', ...headers }).end('<h1>A page</h1>');

export const cut: Fault = ({ request }) => request.socket.destroy();

export const halfAnAnswer: Fault = ({ request, response }) => {
  response.writeHead(200, { 'Content-Length': '100' }).write('{"command_id":');
  setImmediate(() => request.socket.destroy());
};

export const silence: Fault = () => {};
