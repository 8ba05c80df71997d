/**
 * Subjects of the messaging bus. The tenant comes first: it is checked against the tenant that is stored with the fact.
 */
export const subjects = {
  /** platform → adapter: a command to carry out. */
  command: (tenantId: string, vendor: string) => `tenants.${tenantId}.commands.${vendor}`,
  /** adapter → platform: the progress of a command, and its result. */
  commandUpdate: (tenantId: string, vendor: string) => `tenants.${tenantId}.command-updates.${vendor}`,
  /** adapter → platform: a request from a device. */
  deviceRequest: (tenantId: string, vendor: string) => `tenants.${tenantId}.device-requests.${vendor}`,
  /** platform → adapter: the reply to a request from a device. */
  deviceReply: (tenantId: string, vendor: string) => `tenants.${tenantId}.device-replies.${vendor}`,
  /** platform → consumers of events. An event type has two tokens: subscribe `events.>`. */
  event: (tenantId: string, eventType: string) => `tenants.${tenantId}.events.${eventType}`,
};

export type SubjectKind = 'commands' | 'command-updates' | 'device-requests' | 'device-replies' | 'events';

const SUBJECT =
  /^tenants\.([A-Za-z0-9][A-Za-z0-9_-]{0,62})\.(commands|command-updates|device-requests|device-replies|events)\.([A-Za-z0-9._-]+)$/;

/** The parts of a subject; null if it is not a subject of the platform. `name` is the vendor or the event type. */
export function readSubject(subject: string): { tenantId: string; kind: SubjectKind; name: string } | null {
  const [, tenantId, kind, name] = SUBJECT.exec(subject) ?? [];
  return tenantId !== undefined && kind !== undefined && name !== undefined
    ? { tenantId, kind: kind as SubjectKind, name }
    : null;
}
