/** `fetch failed` explains nothing; the deepest cause has the reason. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return error.message || String((error as { code?: unknown }).code ?? error.name);
}

/** The codes of OpenSSL for a chain that ends in no trusted certificate. */
const UNTRUSTED =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_UNTRUSTED)$/;

/** Whether the connection failed because the certificate is of an unknown CA. */
export function isUntrusted(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return UNTRUSTED.test(String((error as NodeJS.ErrnoException).code)) || isUntrusted(error.cause);
}

export const TRUST = 'set NODE_EXTRA_CA_CERTS=/path/to/ca.pem, or save it with: topctl login --ca-file /path/to/ca.pem';
