import { createHash } from 'node:crypto';
import type { SentRequest } from '../session/sent-request.js';

const lineNames = ['algorithm', 'method', 'target', 'X-Api-Id', 'X-Api-Timestamp', 'X-Api-Nonce', 'body hash'];

/**
 * The lines of the string to sign in which the signed request differs from the received one. A difference means that a
 * proxy changed the request. Without a difference, the credential is wrong.
 */
export function signatureDifference(sent: SentRequest, baseUrl: string, received: string): string[] {
  const signed = signedLines(sent, baseUrl);
  return received
    .split('\n')
    .flatMap((line, index) =>
      line === signed[index]
        ? []
        : [`${lineNames[index] ?? 'more'}: signed ${JSON.stringify(signed[index])}, received ${JSON.stringify(line)}`],
    );
}

function signedLines({ method, url, headers, body }: SentRequest, baseUrl: string): string[] {
  const prefix = new URL(baseUrl).pathname.replace(/\/$/, '');
  const bytes = typeof body === 'string' || body instanceof Uint8Array ? body : '';
  return [
    'HMAC-SHA256-V1',
    method,
    url.pathname.slice(prefix.length) + url.search,
    headers.get('x-api-id') ?? '',
    headers.get('x-api-timestamp') ?? '',
    headers.get('x-api-nonce') ?? '',
    createHash('sha256').update(bytes).digest('hex'),
  ];
}
