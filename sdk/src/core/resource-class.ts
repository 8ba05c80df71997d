import { operations } from '../api.gen.js';
import type { Resources } from '../resources.gen.js';

/** The Sender, for operations that are known only by name. */
interface AnySender {
  call(name: string, request: object, options: unknown): unknown;
  list(name: string, request: object, options: unknown): unknown;
}

/**
 * A class with a method for each operation of a resource: the ids of the path, then the query or the body, then the
 * options. src/resources.gen.ts has the types of the methods.
 */
export function resourceClass<Methods>(resource: string): new (sender: unknown) => Methods {
  class Resource {
    constructor(readonly sender: AnySender) {}
  }
  for (const [name, [, path, takes]] of Object.entries(operations)) {
    const [owner, verb = ''] = name.split('.');
    if (owner !== resource) continue;
    const ids = path.split('{').length - 1;
    const isList = takes === 'list';
    const field = isList || takes === 'query' ? 'query' : 'body';
    Object.assign(Resource.prototype, {
      [verb](this: Resource, ...given: unknown[]) {
        const request = { path: given.splice(0, ids), ...(takes && { [field]: given.shift() }) };
        return this.sender[isList ? 'list' : 'call'](name, request, given[0]);
      },
    });
  }
  return Resource as new (
    sender: unknown,
  ) => Methods;
}

const classes = new Map<string, ReturnType<typeof resourceClass>>();

/** All resources, with the generated methods. Clients share their classes. */
export function allResources(sender: unknown): Resources {
  const all: Record<string, unknown> = {};
  for (const operation of Object.keys(operations)) {
    const [name = ''] = operation.split('.');
    const known = classes.get(name) ?? resourceClass(name);
    classes.set(name, known);
    all[name] ??= new known(sender);
  }
  return all as unknown as Resources;
}
