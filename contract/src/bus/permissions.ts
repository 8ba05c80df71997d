import { PLATFORM_TENANT_ID } from '../scopes.js';
import { durables, inboxPrefix } from './durables.js';
import { subjects } from './subjects.js';

/** The NATS account of the platform and its streams. */
export const PLATFORM_ACCOUNT = 'TOP';

/**
 * The JetStream API prefix of principals, instead of `$JS.API`: each principal has its own account, into which the
 * platform's API is imported under this name.
 */
export const API_PREFIX = 'TOP.API';

const JETSTREAM_API = '$JS.API';

/** A subject of the platform's account, and its name in the principal's account. */
export type BusImport = { subject: string; as: string };

/** The subjects that the platform's account exports to principals: only subjects of {@link busAccess} match these. */
export const busExports: readonly { subject: string; streamsAnswers?: true }[] = [
  { subject: subjects.commandUpdate('*', '*') },
  { subject: subjects.deviceRequest('*', '*') },
  { subject: `${JETSTREAM_API}.CONSUMER.INFO.*.*` },
  { subject: `${JETSTREAM_API}.CONSUMER.MSG.NEXT.*.*`, streamsAnswers: true },
  { subject: '$JS.ACK.>' },
];

/** A disabled vendor gets no new commands, but adapters still report the outcome of earlier ones. */
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
 * The permissions of a principal on the bus: it reads its own durables, and as an adapter it publishes reports and
 * device requests.
 *
 * Permissions within the platform's account would not be enough. NATS checks the subject of a message but not the
 * subject of its answer: any principal that may publish could make JetStream answer to `$JS.API.STREAM.PURGE.…` or to a
 * subject of another tenant. In its own account a principal reaches only its imports, also with answers.
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
      // TOP_UPDATES is bounded per subject. An adapter that could invent subjects would get around that.
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

/** JetStream requests and acknowledgements are published messages. */
const reading = (stream: string, durable: string): BusImport[] => [
  ofApi(`CONSUMER.INFO.${stream}.${durable}`),
  ofApi(`CONSUMER.MSG.NEXT.${stream}.${durable}`),
  asItIs(`$JS.ACK.${stream}.${durable}.>`),
];

const asItIs = (subject: string): BusImport => ({ subject, as: subject });
const ofApi = (rest: string): BusImport => ({ subject: `${JETSTREAM_API}.${rest}`, as: `${API_PREFIX}.${rest}` });
