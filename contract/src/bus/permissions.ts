import { PLATFORM_TENANT_ID } from '../scopes.js';
import { durables, inboxPrefix } from './durables.js';
import { subjects } from './subjects.js';

export type BusPermissions = { publish: string[]; subscribe: string[] };

type Principal = {
  tenant_id: string;
  principal_id: string;
  principal_type: 'SERVICE' | 'CLIENT' | (string & {});
  bus_user_public_key: string;
};

/** All that a principal may do on the bus: read the durables that are its own, and as an adapter tell what it knows. */
export function busPermissions(principal: Principal, vendors: readonly string[]): BusPermissions {
  return {
    publish: publishable(principal, vendors),
    subscribe: [`${inboxPrefix(principal.bus_user_public_key)}.>`],
  };
}

function publishable({ tenant_id, principal_id, principal_type }: Principal, vendors: readonly string[]): string[] {
  switch (principal_type) {
    case 'SERVICE': {
      const served = tenant_id === PLATFORM_TENANT_ID ? '*' : tenant_id;
      return [
        subjects.commandUpdate(served, '*'),
        subjects.deviceRequest(served, '*'),
        ...vendors.flatMap((vendor) =>
          ['TOP_COMMANDS', 'TOP_REPLIES'].flatMap((stream) => reading(stream, durables.adapter(tenant_id, vendor))),
        ),
      ];
    }
    case 'CLIENT':
      return reading('TOP_EVENTS', durables.events(tenant_id, principal_id));
    default:
      return [];
  }
}

/** JetStream is asked for messages, and told that they are done, by publishing. */
const reading = (stream: string, durable: string) => [
  `$JS.API.CONSUMER.INFO.${stream}.${durable}`,
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`,
  `$JS.ACK.${stream}.${durable}.>`,
];
