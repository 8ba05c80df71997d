import { difference, explain } from '@tenant-open-platform/sdk/sign';
import { currentCredential, type Refusal, showRequest } from './signing.js';

/** `fetch` for the page: signs what is sent to the API below `baseUrl`, which ends with a slash. */
export function createSignedFetch(baseUrl: string) {
  return async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    return request.url.startsWith(`${baseUrl}api/`) ? sendSigned(request, baseUrl) : fetch(request);
  };
}

async function sendSigned(request: Request, baseUrl: string): Promise<Response> {
  const { clientId, secret } = currentCredential();
  if (!clientId || !secret) throw new Error('Enter client_id and secret under Signature: every request is signed.');
  const target = targetOf(request.url, baseUrl);
  const body = await request.text();
  const { headers, stringToSign } = await explain({ clientId, secret, method: request.method, target, body });
  const signed = { stringToSign, headers };
  showRequest({ ...signed, status: null, refusal: null });
  const response = await fetch(baseUrl + target.slice(1), {
    method: request.method,
    headers: { ...headersOf(request), ...headers },
    ...(body && { body }),
    credentials: 'omit',
  }).catch(() => {
    throw new Error(noAnswerOf(baseUrl, request.method));
  });
  const { status } = response;
  showRequest({ ...signed, status, refusal: status < 400 ? null : await refusalOf(response.clone(), stringToSign) });
  return response;
}

/** The browser says only "Failed to fetch", whatever has happened. */
function noAnswerOf(baseUrl: string, method: string): string {
  const cause = `No answer from ${new URL(baseUrl).origin}: the platform does not run, or the connection is interrupted.`;
  return method === 'GET' ? cause : `${cause} It may have received the request before.`;
}

/** Path and query as they are sent and signed. Forms write a space as `+`, which the platform does not accept. */
function targetOf(url: string, baseUrl: string): string {
  const { pathname, searchParams } = new URL(url);
  const path = pathname.slice(new URL(baseUrl).pathname.length - 1);
  const pairs = [...searchParams].map(([name, value]) => `${name}=${encode(value)}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

const encode = (value: string) =>
  encodeURIComponent(value).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

function headersOf({ headers }: Request): Record<string, string> {
  const kept = [...headers].filter(([name]) => name === 'content-type' || name === 'x-request-id');
  return Object.fromEntries(kept);
}

type ErrorBody = {
  code?: string;
  message?: string;
  metadata?: { string_to_sign?: string; server_time?: string };
};

/** A proxy may have answered, with something else than JSON. */
async function refusalOf(response: Response, own: string): Promise<Refusal> {
  const body: ErrorBody = await response.json().catch(() => ({}));
  const { code = '', message = 'The platform did not send this response.', metadata = {} } = body;
  const { string_to_sign: platforms, server_time: serverTime = null } = metadata;
  const differences = platforms === undefined ? null : difference(own, platforms);
  return { status: response.status, code, message, differences, serverTime };
}
