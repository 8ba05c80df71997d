import type { OperationName } from '../input/operation.js';
import { operations } from '../operations.gen.js';

/** The call that a command made, for the messages about its failure. */
export type Attempt = {
  name: OperationName;
  path: Record<string, string | undefined>;
  input: Record<string, unknown>;
};

/**
 * The thing that a call was about, such as `role binding integration_reader of credential acme-backend`, and the
 * command that lists such things. `field`: the field of the body that names it, if the path does not.
 */
export function objectOf(
  { name, path, input }: Attempt,
  field: string | undefined,
): { named: string; list: string | undefined } | undefined {
  if (field !== undefined) {
    return { named: `${singular(ownerOf(field))} ${input[field]}`, list: listCommandOf(ownerOf(field), []) };
  }
  const ids = Object.keys(operations[name].path).filter((id) => id !== 'tenant_id');
  const parents = ids.slice(0, -1);
  const last = ids.at(-1);
  if (last === undefined) return undefined;
  const resource = /\.(create|list)/.test(name) ? ownerOf(last) : resourceOf(name);
  const ofParents = parents.toReversed().map((id) => ` of ${singular(ownerOf(id))} ${path[id]}`);
  return {
    named: `${singular(resource)} ${path[last]}${ofParents.join('')}`,
    list: listCommandOf(
      resource,
      parents.map((id) => path[id]),
    ),
  };
}

const resourceOf = (name: string) => name.split('.')[0] ?? '';

/** The resource that an id identifies: the one whose operations have the id as their last path parameter. */
function ownerOf(id: string): string {
  const owner = Object.entries(operations).find(([, { path }]) => Object.keys(path).at(-1) === id);
  return owner ? resourceOf(owner[0]) : id;
}

/** `objectCredentials` → `object credential` */
function singular(resource: string): string {
  const words = resource.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.replace(/ies$/, 'y').replace(/s$/, '');
}

/** Some lists are below another resource. */
function listCommandOf(resource: string, parents: readonly (string | undefined)[]): string | undefined {
  const list = Object.entries(operations).find(([name]) => name === `${resource}.list`);
  if (!list) return undefined;
  const taken = Object.keys(list[1].path).filter((id) => id !== 'tenant_id').length;
  return [topctlOf(list[0]), ...parents.slice(0, taken)].join(' ');
}

/** `roleBindings.list` → `topctl role-bindings list` */
const topctlOf = (name: string) =>
  `topctl ${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replace('.', ' ')}`;

/** Texts of the platform and of the SDK name operations. */
export function inCommands(text: string): string {
  return text
    .replace('baseUrl', 'the base URL')
    .replace('clientId', 'client_id')
    .replace('send its client_id and rotate_secret: true', 'use topctl credentials rotate')
    .replace(/\b[a-zA-Z]+\.[a-zA-Z]+\b/g, (name) => (name in operations ? topctlOf(name) : name));
}
