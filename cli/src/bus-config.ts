import { type BusVendor, busAccess, busExports, PLATFORM_ACCOUNT } from '@tenant-open-platform/contract/bus-access';
import type { BusPrincipal } from '@tenant-open-platform/sdk';

/** A principal, and the vendors as its tenant may use them. */
export type Admitted = { principal: BusPrincipal; vendors: readonly BusVendor[] };

type Options = {
  admitted: readonly Admitted[];
  platformUserPublicKey: string;
};

/** The accounts section of nats-server's configuration. It admits the platform and the principals, and nobody else. */
export function renderBusConfig({ admitted, platformUserPublicKey }: Options): string {
  return [
    'accounts {',
    `  ${PLATFORM_ACCOUNT} {`,
    '    jetstream: enabled',
    `    users: [ { nkey: ${platformUserPublicKey} } ]`,
    '    exports: [',
    ...busExports.map(
      ({ subject, streamsAnswers }) =>
        `      { service: ${quoted(subject)}${streamsAnswers ? ', response_type: stream' : ''} }`,
    ),
    '    ]',
    '  }',
    ...admitted.flatMap(renderAccount),
    '}',
    '',
  ].join('\n');
}

function renderAccount({ principal, vendors }: Admitted): string[] {
  const { imports, publish, subscribe } = busAccess(principal, vendors);
  // To nats-server an empty list of subjects would mean all.
  if (imports.length === 0) return [];
  return [
    '',
    `  # ${principal.bus_user}, ${principal.principal_type} of ${principal.tenant_id}`,
    `  ${quoted(principal.principal_id)} {`,
    `    users: [ { nkey: ${principal.bus_user_public_key}, permissions: {`,
    `      publish: { allow: [ ${publish.map(quoted).join(', ')} ] }`,
    `      subscribe: { allow: [ ${subscribe.map(quoted).join(', ')} ] }`,
    '    } } ]',
    '    imports: [',
    ...imports.map(
      ({ subject, as }) =>
        `      { service: { account: ${PLATFORM_ACCOUNT}, subject: ${quoted(subject)} }${as === subject ? '' : `, to: ${quoted(as)}`} }`,
    ),
    '    ]',
    '  }',
  ];
}

const quoted = (text: string) => JSON.stringify(text);
