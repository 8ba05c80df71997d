/**
 * Names of the durables that the platform makes for principals; they make none. `+` is in the alphabet of neither part,
 * so no two pairs share a name.
 */
export const durables = {
  /**
   * On TOP_COMMANDS and TOP_REPLIES: what a SERVICE principal reads as the vendor's adapter for its tenant. In tenant
   * `platform` it reads for every tenant.
   */
  adapter: (tenantId: string, vendor: string) => `${tenantId}+${vendor}`,
  /** On TOP_EVENTS: what a CLIENT principal reads. */
  events: (tenantId: string, principalId: string) => `${tenantId}+${principalId}`,
};

/** The inbox prefix of a principal's connection: it may subscribe to nothing else. */
export const inboxPrefix = (busUserPublicKey: string) => `_INBOX_${busUserPublicKey}`;
