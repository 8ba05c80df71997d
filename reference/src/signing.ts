import type { SignatureDifference } from '@tenant-open-platform/sdk/sign';

export type Credential = { clientId: string; secret: string };

/** An answer of 400 or above to a signed request, as far as it explains itself. */
export type Refusal = {
  status: number;
  code: string;
  message: string;
  /** Lines that the platform read in another way. Null if the platform did not say what it read. */
  differences: SignatureDifference[] | null;
  serverTime: string | null;
};

export type SignedRequest = {
  stringToSign: string;
  /** The four headers that the page added. */
  headers: Record<string, string>;
  /** Null until the answer has arrived. */
  status: number | null;
  refusal: Refusal | null;
};

/** What the page knows of signing. It is kept in these variables alone, so that the secret ends with the page. */
let credential: Credential = { clientId: '', secret: '' };
let lastRequest: SignedRequest | null = null;
const changes = new EventTarget();

export const currentCredential = (): Credential => credential;

export const lastSignedRequest = (): SignedRequest | null => lastRequest;

export function useCredential(changed: Partial<Credential>): void {
  credential = { ...credential, ...changed };
  changes.dispatchEvent(new Event('change'));
}

export function showRequest(request: SignedRequest): void {
  lastRequest = request;
  changes.dispatchEvent(new Event('change'));
}

/** Calls the listener after every change until the signal aborts. */
export function onChange(listener: () => void, signal: AbortSignal): void {
  changes.addEventListener('change', listener, { signal });
}
