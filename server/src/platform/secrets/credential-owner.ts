/** The identity that a credential's secret is sealed for. The secret does not open in another row or version. */
export const credentialOwner = (tenantId: string, clientId: string, secretVersion: number) =>
  `credential:${tenantId}:${clientId}:${secretVersion}`;
