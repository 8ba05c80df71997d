import { type SignedParts, signatureHeaders, stringToSign } from '@tenant-open-platform/contract/signature';

const encoder = new TextEncoder();

export type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** Imports the secret once; the key cannot be read back from it. */
export function importKey(secret: string): Promise<Key> {
  return crypto.subtle.importKey('raw', encoder.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
}

export async function hashBody(body: string | Uint8Array | undefined): Promise<string> {
  const bytes = typeof body === 'object' ? (body as Uint8Array<ArrayBuffer>) : encoder.encode(body);
  return hex(await crypto.subtle.digest('SHA-256', bytes));
}

/** The four authentication headers of one attempt. */
export async function signParts(key: Key, parts: SignedParts) {
  const mac = await crypto.subtle.sign('HMAC', key, encoder.encode(stringToSign(parts)));
  return {
    [signatureHeaders.clientId]: parts.clientId,
    [signatureHeaders.timestamp]: parts.timestamp,
    [signatureHeaders.nonce]: parts.nonce,
    [signatureHeaders.signature]: `v1=${hex(mac)}`,
  };
}

function hex(buffer: ArrayBuffer): string {
  return Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
