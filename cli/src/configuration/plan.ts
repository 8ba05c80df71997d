import type { Session } from '../session/session.js';
import { atOnce } from './at-once.js';
import { type Difference, differencesOf } from './differences.js';
import {
  type Fields,
  isGone,
  isMoving,
  type Kind,
  keyOf,
  kinds,
  type ListName,
  MOVES,
  PLATFORM_TENANT,
  type Place,
} from './kinds.js';
import { hasSecret, type SecretFolder } from './secret-folder.js';
import type { TenantClients } from './tenant-clients.js';
import { labelOf, type Wanted, type WantedLists } from './wanted.js';

/** A thing of the files or of the platform, and the thing that it belongs to. */
export type Thing = {
  list: ListName;
  key: string;
  label: string;
  parent: Thing | undefined;
  /** The tenant that it is or belongs to. */
  tenant: string;
  /** As the platform has it; undefined until it is created. */
  found: Fields | undefined;
};

export type Step = {
  /** RECOVER: it exists, and its secret did not arrive. KEEP: no file names it, and it stays as it is. */
  action: 'CREATE' | 'RECOVER' | 'CHANGE' | 'DISABLE' | 'KEEP' | 'NONE';
  thing: Thing;
  differences: readonly Difference[];
  /** The fields to send. */
  body: Fields;
  /** The file and the line, if a file names the thing. */
  place?: string;
  /** Why a thing that no file names stays, or how to delete it. */
  remark?: string;
};

export type Plan = {
  /** In the order in which they are carried out. */
  steps: readonly Step[];
  /** Why nothing can be done at all. */
  problems: readonly string[];
  /** What is neither read nor changed. */
  notes: readonly string[];
  /** What a tenant has made, so that the files cannot be carried out there. Everything else can. */
  leftOut: readonly string[];
};

export type Prune = { inside: boolean; wholes: boolean };

export type PlatformAccess = {
  session: Session;
  clients: TenantClients;
  secrets: SecretFolder | undefined;
};

/** Compares the files with the platform. */
export async function planOf(lists: WantedLists, access: PlatformAccess, prune: Prune): Promise<Plan> {
  const { session, clients, secrets } = access;
  const ownTenant = await session.tenant();
  const problems: string[] = [];
  const notes: string[] = [];
  const leftOut: string[] = [];

  const steps: Step[] = [];
  for (const [list, wanted] of lists) steps.push(...(await compare(list, wanted, undefined)));
  return { steps: inOrder(steps), problems: problems.sort(), notes: notes.sort(), leftOut: leftOut.sort() };

  async function compare(list: ListName, wanted: readonly Wanted[], parent: Thing | undefined): Promise<Step[]> {
    const kind = kinds[list];
    const existing = await readExisting(kind, parent);
    const named = (
      await atOnce(wanted, (each) => compareOne(kind, each, parent, existing), { isAllowed: !parent })
    ).flat();
    if (!prune.inside && !prune.wholes) return named;
    const isOnlyNamed = parent === undefined && !prune.wholes;
    const keys = new Set(wanted.map(({ key }) => key));
    const others = existing.filter(
      (found) =>
        !keys.has(keyOf(kind, found)) &&
        !isGone(found) &&
        found.built_in !== true &&
        !(list === 'tenants' && isMoving(found)),
    );
    return [...named, ...others.map((found) => unnamed(kind, thingOf(list, found, parent), found, isOnlyNamed))];
  }

  async function compareOne(
    kind: Kind,
    wanted: Wanted,
    parent: Thing | undefined,
    existing: readonly Fields[],
  ): Promise<Step[]> {
    const { list, key, label, place, fields } = wanted;
    const [found, other] = existing.filter((item) => keyOf(kind, item) === key);
    if (other) {
      leftOut.push(`${label} (${place}): the platform has several with this name. Rename all but one.`);
      return [];
    }
    const tenant = parent?.tenant ?? String(fields.tenant_id ?? '');
    const thing: Thing = { list, key, label, parent, tenant, found };
    if (found && list === 'tenants' && isMoving(found)) {
      leftOut.push(`${label} (${place}): ${MOVES}`);
      return [];
    }
    if (found && isGone(found) && parent) {
      leftOut.push(`${label} (${place}): it is ${found.status}, which is final. Remove it from the file.`);
      return [];
    }
    if (found && isGone(found)) {
      problems.push(
        `${place}: ${label} is ${found.status}${found.status === 'MOVED' ? '' : ', which is final'}: remove it from the file`,
      );
      return [];
    }
    if (found?.built_in === true) {
      problems.push(`${place}: ${label} is built in: give yours another name`);
      return [];
    }
    const steps = [await (found ? stepFor(kind, thing, found, wanted) : newThing(kind, thing, wanted))];
    for (const [name, given] of wanted.lists) {
      const isPossible = list !== 'tenants' || (await canActAs(name, wanted, found));
      if (isPossible) steps.push(...(await compare(name, given, thing)));
    }
    return steps;
  }

  async function readExisting(kind: Kind, parent: Thing | undefined): Promise<Fields[]> {
    if (parent && !parent.found) return [];
    const client = kind.ownScopes && parent ? await clients(parent.tenant, `${kind.ownScopes}:read`) : session.client;
    const place: Place = { client: client ?? session.client, parent: parent?.found ?? {} };
    const read: Fields[] = [];
    for await (const item of kind.read(place, ownTenant)) read.push(item as Fields);
    return read;
  }

  /** Whether the lists that only the tenant itself can see can be read and changed. */
  async function canActAs(list: ListName, wanted: Wanted, found: Fields | undefined): Promise<boolean> {
    const { ownScopes, name } = kinds[list];
    if (ownScopes === undefined) return true;
    const tenant = wanted.key;
    if (found ? found.status === 'DISABLED' : wanted.fields.status === 'DISABLED') {
      notes.push(
        `Tenant ${tenant} is DISABLED: its ${name}s can be neither read nor changed. Apply again once it is ACTIVE.`,
      );
      return false;
    }
    const scope = `${ownScopes}:read`;
    if (found ? await clients(tenant, scope) : grants(wanted, scope)) return true;
    problems.push(
      found
        ? `${wanted.place}: only a credential of tenant ${tenant} can see its ${name}s: put a profile with the scope ${scope} into ${secrets?.path ?? '--secrets-dir'}/${tenant}/`
        : `${wanted.place}: the ${name}s of ${tenant} need a credential of ${tenant} in the file with a role such as tenant_admin, which grants ${scope}`,
    );
    return false;
  }

  async function newThing(kind: Kind, thing: Thing, { fields, place }: Wanted): Promise<Step> {
    const { label, list, tenant } = thing;
    const lacking = (kind.needed ?? []).filter((field) => fields[field] === undefined);
    if (lacking.length > 0)
      problems.push(`${place}: ${label} does not exist yet, so it needs ${lacking.join(' and ')}`);
    if (hasSecret(list) && secrets && (await secrets.exists({ list, tenant, fields }))) {
      if (!(await secrets.unanswered({ list, tenant, fields }))) {
        const file = secrets.fileOf({ list, tenant, fields });
        problems.push(`${place}: ${label} is new, but ${file} exists: move it away, or choose another --secrets-dir`);
      }
    }
    if (list === 'object_credentials') await needAccessKey(thing, fields, place);
    // On the platform null is the default.
    const body = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
    return { action: 'CREATE', thing, differences: [], body, place };
  }

  async function stepFor(kind: Kind, thing: Thing, found: Fields, { fields, place }: Wanted): Promise<Step> {
    const { list, tenant, label } = thing;
    if (hasSecret(list) && (await secrets?.unanswered({ list, tenant, fields }))) {
      return { action: 'RECOVER', thing, differences: [], body: {}, place };
    }
    if (hasSecret(list) && (await secrets?.hasLost({ list, tenant, fields }))) {
      const file = secrets?.fileOf({ list, tenant, fields });
      notes.push(`The secret of ${label} never arrived, and cannot be fetched any more: delete ${file} and rotate it.`);
    }
    const given = kind.fields.filter((field) => fields[field] !== undefined);
    const changed = given.filter((field) => differencesOf(field, found[field], fields[field]).length > 0);
    for (const field of changed.filter((name) => kind.fixed?.includes(name))) {
      problems.push(
        `${place}: ${field} of ${label} cannot be changed from ${JSON.stringify(found[field])} to ${JSON.stringify(fields[field])}`,
      );
    }
    if (changed.includes('access_key_id')) await needAccessKey(thing, fields, place);
    const body = Object.fromEntries(changed.map((field) => [field, fields[field]]));
    const differences = changed.flatMap((field) => differencesOf(field, found[field], fields[field]));
    return { action: changed.length > 0 ? 'CHANGE' : 'NONE', thing, differences, body, place };
  }

  async function needAccessKey({ list, tenant, label }: Thing, fields: Fields, place: string): Promise<void> {
    if (await secrets?.given({ list, tenant, fields })) return;
    const file = secrets?.fileOf({ list, tenant, fields }) ?? 'a file in --secrets-dir';
    problems.push(`${place}: ${label} needs the secret access key of ${fields.access_key_id} in ${file}`);
  }

  function unnamed(kind: Kind, thing: Thing, found: Fields, isOnlyNamed: boolean): Step {
    const step = { thing, differences: [], body: {} };
    const keep = (remark: string): Step => ({ ...step, action: 'KEEP', remark });
    const isOwn = thing.list === 'credentials' && thing.key === session.profile.client_id;
    const isOwnTenant = thing.list === 'tenants' && [ownTenant, PLATFORM_TENANT].includes(thing.key);
    if (!kind.off) return keep(`to delete it: topctl ${kind.deleteCommand?.(found)} --tenant ${thing.tenant}`);
    const [[field = '', to] = []] = Object.entries(kind.off);
    if (found[field] === to) return { ...step, action: 'NONE' };
    if (isOwn || isOwnTenant) return keep('--prune never disables the caller');
    if (isOnlyNamed) return keep('only --prune-all disables it');
    return { ...step, action: 'DISABLE', differences: [{ field, from: found[field], to }], body: kind.off };
  }
}

function thingOf(list: ListName, found: Fields, parent: Thing | undefined): Thing {
  const key = keyOf(kinds[list], found);
  const tenant = parent?.tenant ?? (list === 'tenants' ? key : '');
  return { list, key, label: labelOf(list, keysAbove(parent), key), parent, tenant, found };
}

const keysAbove = (thing: Thing | undefined): string[] => (thing ? [...keysAbove(thing.parent), thing.key] : []);

/** Whether a file gives a credential of a new tenant this scope. */
function grants({ lists }: Wanted, scope: string): boolean {
  const fieldsOf = (list: ListName) => (lists.get(list) ?? []).map(({ fields }) => fields);
  const roles = fieldsOf('roles').filter(({ scopes }) => (scopes as string[]).includes(scope));
  const granting = ['tenant_admin', ...roles.map(({ role }) => role)];
  const isBound = fieldsOf('role_bindings').some(({ role }) => granting.includes(role));
  return isBound || fieldsOf('policies').some((policy) => policy.scope === scope);
}

/** What is switched off comes last, and in reverse: until then it may be needed. */
function inOrder(steps: readonly Step[]): Step[] {
  const isOff = ({ action, body }: Step) =>
    (action === 'CHANGE' || action === 'DISABLE') && (body.status === 'DISABLED' || body.enabled === false);
  return [...steps.filter((step) => !isOff(step)), ...steps.filter(isOff).reverse()];
}
