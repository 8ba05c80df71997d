/**
 * The names of the durables that the platform creates for principals. `+` is in the alphabet of neither part, so no two
 * pairs share a name.
 */
export const durables = {
  /**
   * On TOP_COMMANDS and TOP_REPLIES: the durable of a SERVICE principal as the vendor's adapter for its tenant. A
   * principal of tenant `platform` reads for every tenant.
   */
  adapter: (tenantId: string, vendor: string) => `${tenantId}+${vendor}`,
  /** On TOP_EVENTS: the durable of a CLIENT principal. */
  events: (tenantId: string, principalId: string) => `${tenantId}+${principalId}`,
};

/** The inbox prefix of a principal's connection: it may subscribe to no other subject. */
export const inboxPrefix = (busUserPublicKey: string) => `_INBOX_${busUserPublicKey}`;
