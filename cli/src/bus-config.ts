import { busPermissions } from '@tenant-open-platform/contract/bus-access';
import type { BusPrincipal } from '@tenant-open-platform/sdk';

type Options = {
  principals: readonly BusPrincipal[];
  vendors: readonly string[];
  platformUserPublicKey: string;
};

/** The block of nats-server's configuration that lets in the platform and the principals, and nobody else. */
export function renderBusConfig({ principals, vendors, platformUserPublicKey }: Options): string {
  return [
    'authorization {',
    '  users: [',
    '    # the platform',
    `    { nkey: ${platformUserPublicKey} }`,
    ...principals.flatMap((principal) => renderUser(principal, vendors)),
    '  ]',
    '}',
    '',
  ].join('\n');
}

function renderUser(principal: BusPrincipal, vendors: readonly string[]): string[] {
  const { publish, subscribe } = busPermissions(principal, vendors);
  return [
    `    # ${principal.bus_user}, ${principal.principal_type} of ${principal.tenant_id}, ${principal.principal_id}`,
    `    { nkey: ${principal.bus_user_public_key}, permissions: {`,
    `      publish: { allow: ${renderList(publish)} }`,
    `      subscribe: { allow: ${renderList(subscribe)} }`,
    '    } }',
  ];
}

const renderList = (subjects: readonly string[]) =>
  `[\n${subjects.map((subject) => `        ${JSON.stringify(subject)}\n`).join('')}      ]`;
