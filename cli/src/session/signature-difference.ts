import { createHash } from 'node:crypto';
import type { SentRequest } from './sent-request.js';

const lineNames = ['algorithm', 'method', 'target', 'X-Api-Id', 'X-Api-Timestamp', 'X-Api-Nonce', 'body hash'];

/**
 * Compares the signed request with the request that the server received, line by line. A difference means that a proxy
 * rewrote the request. Without a difference, the credential is wrong.
 */
export function explainSignature(sent: SentRequest, baseUrl: string, received: string): string[] {
  const signed = signedLines(sent, baseUrl);
  const differences = received
    .split('\n')
    .flatMap((line, index) =>
      line === signed[index]
        ? []
        : [
            `  ${lineNames[index] ?? 'more'}: signed ${JSON.stringify(signed[index])}, received ${JSON.stringify(line)}`,
          ],
    );
  return differences.length > 0
    ? ['  the request changed on its way:', ...differences]
    : ['  the request arrived as it was signed, so the client_id or the secret is wrong or no longer valid'];
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
