import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { HttpProxy } from './proxy-for.js';
import { addressOf, credentialsFor, refusedBy, requestOf, TunnelAgent, unreachableProxy } from './tunnel.js';

/** The trusted certificates; by default those of Node. */
type Trust = { ca?: readonly string[] | undefined };

/**
 * fetch for what Node's fetch cannot do in every supported version: proxies, and certificates of one's own. It does as
 * much of fetch as topctl uses, and follows no redirect: a signature is for one path.
 */
export function createTransport(proxyFor: (url: URL) => HttpProxy | undefined, { ca }: Trust): typeof fetch {
  const agents = new Map<string, https.Agent>();
  const options = { keepAlive: true, ...(ca && { ca: [...ca] }) };
  const plain = new http.Agent({ keepAlive: true });
  const agentOf = (proxy: HttpProxy | undefined) => {
    const key = proxy?.url.href ?? '';
    const agent = agents.get(key) ?? (proxy ? new TunnelAgent(proxy, options) : new https.Agent(options));
    agents.set(key, agent);
    return agent;
  };
  return async (input, init = {}) => {
    const url = new URL(String(input));
    const proxy = proxyFor(url);
    const { body, length } = bodyOf(init.body);
    const headers = { ...Object.fromEntries(new Headers(init.headers)), ...length };
    const common = { method: init.method ?? 'GET', headers, signal: init.signal ?? undefined };
    const request =
      url.protocol === 'https:'
        ? https.request(url, { ...common, agent: agentOf(proxy) })
        : proxy
          ? requestOf(proxy)({
              ...common,
              ...addressOf(proxy),
              path: url.href,
              headers: { ...headers, Host: url.host, ...credentialsFor(proxy) },
            })
          : http.request(url, { ...common, agent: plain });
    try {
      const answered = once(request, 'response') as Promise<[IncomingMessage]>;
      const sent = pipeline(body, request);
      // An early answer, such as a refusal, counts more than a body that could not be sent whole.
      sent.catch(() => {});
      const [message] = await answered;
      if (proxy && message.statusCode === 407) throw refusedBy(proxy, 407);
      return responseOf(message, init.redirect);
    } catch (error) {
      request.destroy();
      if (init.signal?.aborted) throw init.signal.reason;
      const isOfProxy = proxy && url.protocol === 'http:' && (error as NodeJS.ErrnoException).syscall === 'connect';
      throw new TypeError('fetch failed', { cause: isOfProxy ? unreachableProxy(proxy, error as Error) : error });
    }
  };
}

/** The body as a stream. With a known length it is not sent in chunks, which a store refuses. */
function bodyOf(body: RequestInit['body']): { body: Readable; length: Record<string, string> } {
  if (body === undefined || body === null) return { body: Readable.from([]), length: {} };
  if (body instanceof Blob) {
    return { body: Readable.fromWeb(body.stream() as ReadableStream), length: { 'Content-Length': String(body.size) } };
  }
  if (typeof body === 'string' || body instanceof Uint8Array) {
    const bytes = Buffer.from(body as string);
    return { body: Readable.from([bytes]), length: { 'Content-Length': String(bytes.length) } };
  }
  return { body: Readable.fromWeb(body as ReadableStream), length: {} };
}

const BODYLESS = [204, 205, 304];

function responseOf(message: IncomingMessage, redirect: RequestInit['redirect']): Response {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = message;
  if (status >= 300 && status < 400 && redirect !== 'manual') {
    throw new Error(`the server redirects to ${message.headers.location ?? 'another address'}`);
  }
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] as string, rawHeaders[index + 1] as string);
  }
  if (BODYLESS.includes(status)) message.resume();
  const body = BODYLESS.includes(status)
    ? null
    : (Readable.toWeb(message) as unknown as ConstructorParameters<typeof Response>[0]);
  return new Response(body, { status, statusText, headers });
}
