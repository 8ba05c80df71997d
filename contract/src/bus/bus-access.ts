import { PLATFORM_TENANT_ID } from '../scopes.js';
import { durables, inboxPrefix } from './durables.js';
import { subjects } from './subjects.js';

/** The account of NATS that holds the platform and its streams. */
export const PLATFORM_ACCOUNT = 'TOP';

/**
 * What principals put before the JetStream API instead of `$JS.API`: each has an account of its own, into which the
 * platform's is imported under this name.
 */
export const API_PREFIX = 'TOP.API';

const JETSTREAM_API = '$JS.API';

/** A subject of the platform's account, and what it is called in the principal's. */
export type BusImport = { subject: string; as: string };

/** What principals may be given of the platform's account: no more than the subjects of {@link busAccess} match these. */
export const busExports: readonly { subject: string; streamsAnswers?: true }[] = [
  { subject: subjects.commandUpdate('*', '*') },
  { subject: subjects.deviceRequest('*', '*') },
  { subject: `${JETSTREAM_API}.CONSUMER.INFO.*.*` },
  { subject: `${JETSTREAM_API}.CONSUMER.MSG.NEXT.*.*`, streamsAnswers: true },
  { subject: '$JS.ACK.>' },
];

/** A vendor that is not enabled gets no new commands; adapters still tell how those of before ended. */
export type BusVendor = { vendor: string; enabled: boolean };

type Principal = {
  tenant_id: string;
  principal_id: string;
  principal_type: 'SERVICE' | 'CLIENT' | (string & {});
  bus_user_public_key: string;
  /** The only vendors that a SERVICE principal serves; null or absent: all. */
  vendors?: readonly string[] | null;
};

/**
 * All that a principal may do on the bus: read the durables that are its own, and as an adapter tell what it knows.
 *
 * Permissions alone would not hold: NATS checks the subject of a message and not where its answer goes, so in the
 * platform's account anybody who may publish could have JetStream answer to `$JS.API.STREAM.PURGE.…`, or to a subject of
 * another tenant. In an account of its own a principal reaches nothing but its imports, by answers neither.
 */
export function busAccess(principal: Principal, vendors: readonly BusVendor[]) {
  const imports = importsOf(principal, vendors);
  return {
    imports,
    publish: imports.map(({ as }) => as),
    subscribe: [`${inboxPrefix(principal.bus_user_public_key)}.>`],
  };
}

function importsOf(principal: Principal, vendors: readonly BusVendor[]): BusImport[] {
  const { tenant_id, principal_id, principal_type } = principal;
  switch (principal_type) {
    case 'SERVICE': {
      const served = tenant_id === PLATFORM_TENANT_ID ? '*' : tenant_id;
      // TOP_UPDATES bounds each subject. By subjects of its own invention an adapter would get around that.
      const own = vendors.filter(({ vendor }) => principal.vendors?.includes(vendor) ?? true);
      return own.flatMap(({ vendor, enabled }) => [
        asItIs(subjects.commandUpdate(served, vendor)),
        asItIs(subjects.deviceRequest(served, vendor)),
        ...(enabled ? ['TOP_COMMANDS', 'TOP_REPLIES'] : []).flatMap((stream) =>
          reading(stream, durables.adapter(tenant_id, vendor)),
        ),
      ]);
    }
    case 'CLIENT':
      return reading('TOP_EVENTS', durables.events(tenant_id, principal_id));
    default:
      return [];
  }
}

/** JetStream is asked for messages, and told that they are done, by publishing. */
const reading = (stream: string, durable: string): BusImport[] => [
  ofApi(`CONSUMER.INFO.${stream}.${durable}`),
  ofApi(`CONSUMER.MSG.NEXT.${stream}.${durable}`),
  asItIs(`$JS.ACK.${stream}.${durable}.>`),
];

const asItIs = (subject: string): BusImport => ({ subject, as: subject });
const ofApi = (rest: string): BusImport => ({ subject: `${JETSTREAM_API}.${rest}`, as: `${API_PREFIX}.${rest}` });
