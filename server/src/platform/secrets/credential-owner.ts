/** The identity that a credential's secret is sealed for: moved to another row or version, it does not open. */
export const credentialOwner = (tenantId: string, clientId: string, secretVersion: number) =>
  `credential:${tenantId}:${clientId}:${secretVersion}`;
