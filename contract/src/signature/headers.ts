/** Names of the authentication headers as they are written; HTTP header names are case-insensitive. */
export const signatureHeaders = {
  clientId: 'X-Api-Id',
  timestamp: 'X-Api-Timestamp',
  nonce: 'X-Api-Nonce',
  signature: 'X-Api-Signature',
} as const;

export const headerPatterns = {
  requestId: /^[A-Za-z0-9._~-]{1,128}$/,
  clientId: /^[A-Za-z0-9_][A-Za-z0-9._~-]{0,63}$/,
  timestamp: /^[1-9][0-9]{9}$/,
  nonce: /^[A-Za-z0-9._~-]{8,128}$/,
  signature: /^v1=[0-9a-f]{64}$/,
} as const;
