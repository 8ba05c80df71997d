import { type Fetch, type FetchInit, TenantOpenPlatform, type TenantOpenPlatformOptions } from '../src/index.js';

/** The credential of the signature test values. */
export const credential = {
  clientId: 'demo-client',
  secret: 'osk_3nTQ8ZkWb1xYv5RcJd0LmPf7GhUe2SaKo9BiNqXtE4w3go6Vf',
};

export interface Sent {
  url: string;
  method: string;
  headers: Record<string, string>;
  /** The parsed JSON; content for a store is kept unchanged. */
  body: unknown;
}

/** One answer of a script: a response, an error to reject with, or a function of the request. */
export type Step = Response | Error | ((sent: Sent, init: FetchInit) => Promise<Response>);

/** Answers the requests in the order of the script, and records them; a surplus request fails. */
function fakeFetch(...script: Step[]): Fetch & { sent: Sent[] } {
  const sent: Sent[] = [];
  const fetch: Fetch = async (url, init) => {
    const { method, headers, body } = init;
    const request = { url, method, headers, body: typeof body === 'string' && body !== '' ? JSON.parse(body) : body };
    sent.push(request);
    const step = script[sent.length - 1];
    if (step === undefined) throw new Error(`Request ${sent.length} was not expected`);
    if (step instanceof Error) throw step;
    return typeof step === 'function' ? step(request, init) : step;
  };
  return Object.assign(fetch, { sent });
}

/** A client on a fake server, and the fake server. */
export function fakeClient(script: Step[], options: TenantOpenPlatformOptions = {}) {
  const fetch = fakeFetch(...script);
  return {
    fetch,
    client: new TenantOpenPlatform({
      baseUrl: 'https://platform.test',
      ...credential,
      fetch,
      // Many scripts begin with an outage, for which a client logs a warning.
      ...(!options.logger && { logLevel: 'off' }),
      ...options,
    }),
  };
}

/** An answer of the platform: the object of a success has a request_id. */
export function answer(status: number, body: object, headers: Record<string, string> = {}): Response {
  const isRecord = status < 300 && !Array.isArray(body);
  return Response.json(isRecord ? { request_id: 'r1', ...body } : body, { status, headers });
}

export function refusal(
  status: number,
  code: string,
  extra: object = {},
  headers: Record<string, string> = {},
): Response {
  return answer(status, { code, message: `It is ${code}.`, request_id: 'r1', ...extra }, headers);
}

/** The rejection of undici: the reason is in the cause. */
export function networkFailure(code: string, syscall?: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`socket: ${code}`), { code, syscall }) });
}

/** A request that is never answered; rejects when it is aborted, as fetch does. */
export const silence: Step = (_, { signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
