import { type SignedParts, signatureHeaders, stringToSign } from '@tenant-open-platform/contract/signature';

const encoder = new TextEncoder();

export type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** Imports the secret once; the key cannot be read back from it. */
export function importKey(secret: string, use: 'sign' | 'verify' = 'sign'): Promise<Key> {
  return crypto.subtle.importKey('raw', encoder.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [use]);
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

/** Whether `v1=…` is the signature of these parts. WebCrypto compares in constant time. */
export async function verifyParts(secret: string, parts: SignedParts, signature: string): Promise<boolean> {
  const [, digits] = /^v1=([0-9a-f]{64})$/.exec(signature) ?? [];
  if (!digits) return false;
  const mac = Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return crypto.subtle.verify('HMAC', await importKey(secret, 'verify'), mac, encoder.encode(stringToSign(parts)));
}

function hex(buffer: ArrayBuffer): string {
  return Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
