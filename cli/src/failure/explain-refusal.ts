import type { ApiError, ErrorCode } from '@tenant-open-platform/sdk';
import { didYouMean } from '../input/did-you-mean.js';
import { operations } from '../operations.gen.js';
import { toJson } from '../output/printable.js';
import { savedName } from '../session/profile.js';
import type { Session } from '../session/session.js';
import { type Attempt, inCommands, objectOf } from './attempt.js';
import { grantCommands } from './grant-command.js';
import { signatureDifference } from './signature-difference.js';

/** A failure in the words of the command line. */
export type Explanation = {
  what: string;
  facts?: readonly string[];
  /** Commands that help, or an advice. */
  next?: readonly string[];
};

/** A refused call, and everything that the command line knows about it. */
export type Refused = {
  error: ApiError;
  session: Session;
  /** Absent for `topctl api`. */
  attempt: Attempt | undefined;
  /** The tenant of the credential, if it is known. */
  ownTenant: string | undefined;
  /** The flags with which a next command acts as the same credential. */
  profile: string;
};

/** What happened and what to do next, from the command, its ids and the credential. */
export async function explainRefusal(refused: Refused): Promise<Explanation> {
  return (await explanations[refused.error.code]?.(refused)) ?? inGeneral(refused);
}

type Explain = (refused: Refused) => Explanation | undefined | Promise<Explanation | undefined>;

const explanations: { [Code in ErrorCode]?: Explain } = {
  INVALID_CURSOR: explainCursor,
  NOT_FOUND: explainNotFound,
  UNAUTHENTICATED: explainUnauthenticated,
  TENANT_MOVED: explainMoved,
  FORBIDDEN: explainForbidden,
  ROLE_IN_USE: explainRoleInUse,
  VENDOR_NOT_ENABLED: explainVendor,
  COMMAND_TYPE_UNKNOWN: explainCommandType,
  COMMAND_PAYLOAD_INVALID: explainPayload,
};

/** The message of the platform, with the flags of the command in place of fields of the request. */
function inGeneral({ error, attempt }: Refused): Explanation {
  const message = inCommands(error.reason);
  // The message of a request with one fault already quotes it.
  const [first, ...others] = error.details;
  const isQuoted = first && others.length === 0 && message.includes(first.message);
  const facts = [
    ...(isQuoted ? [] : error.details.map(({ location, message }) => `${placeOf(location, attempt)}: ${message}`)),
    ...Object.entries(error.metadata).map(
      ([name, value]) => `${name}: ${typeof value === 'string' ? value : toJson(value)}`,
    ),
  ];
  return { what: isQuoted ? message.replace(first.location, placeOf(first.location, attempt)) : message, facts };
}

/** `body/payload/speed` → `--payload /speed` */
function placeOf(location: string, attempt: Attempt | undefined): string {
  const [, field = '', rest] = /^(?:body|query)\/(\w+)(\/.*)?$/.exec(location) ?? [];
  if (!attempt || !(field in operations[attempt.name].fields)) return location;
  return `--${field.replaceAll('_', '-')}${rest ? ` ${rest}` : ''}`;
}

/** The cursor of a list that reads all pages comes from the platform, so no flag is wrong. */
function explainCursor({ attempt }: Refused): Explanation | undefined {
  if (!attempt || 'cursor' in attempt.input) return undefined;
  return {
    what: 'The list is incomplete: the platform does not accept the cursor of the next page, which it gave out before.',
    next: ['run the command again, which starts at the first page'],
  };
}

function explainNotFound({ error, attempt, ownTenant }: Refused): Explanation | undefined {
  if (!attempt) return undefined;
  const tenant = attempt.path.tenant_id ?? (operations[attempt.name].tenant === 'own' ? ownTenant : undefined);
  const [, field, index] = /^body\/(\w+)(?:\/(\d+))?$/.exec(error.details[0]?.location ?? '') ?? [];
  if (field === 'vendors') {
    const vendor = [attempt.input.vendors].flat()[Number(index)];
    // A tenant may be limited to some vendors.
    const isOfTenant = !attempt.name.startsWith('tenants.');
    return {
      what: isOfTenant ? `Tenant ${tenant} cannot use the vendor ${vendor}.` : `There is no vendor ${vendor}.`,
      next: [ownTenant === 'platform' ? 'topctl vendors list' : 'topctl catalog get'],
    };
  }
  const object = objectOf(attempt, field);
  if (object === undefined) return { what: `There is no tenant ${tenant}.`, next: ['topctl tenants list'] };
  const { named, list } = object;
  if (tenant === undefined) return { what: `There is no ${named}.`, next: list ? [list] : [] };
  const isForeign = tenant !== ownTenant;
  return {
    what: `Tenant ${tenant} has no ${named}${isForeign ? ', or there is no such tenant' : ''}.`,
    next: list ? [`${list}${isForeign ? ` --tenant ${tenant}` : ''}`] : [],
  };
}

function explainUnauthenticated({ error, session, ownTenant }: Refused): Explanation | undefined {
  const received = error.metadata.string_to_sign;
  const sent = session.lastRequest();
  if (typeof received !== 'string' || !sent) return undefined;
  const { client_id: clientId, base_url: baseUrl } = session.profile;
  const differences = signatureDifference(sent, baseUrl, received);
  if (differences.length > 0) {
    return {
      what: 'Something between topctl and the platform changed the request, so its signature is wrong.',
      facts: differences,
      next: ['let the proxies pass method, path, query, headers and body unchanged'],
    };
  }
  const tenant = ownTenant ? ` --tenant ${ownTenant}` : '';
  return {
    what: `The platform does not accept the credential ${clientId}. The request arrived as it was signed, so the client_id or the secret is wrong, or the credential is disabled, expired or deleted.`,
    next: ['topctl login', `an administrator sees its status with: topctl credentials get ${clientId}${tenant}`],
  };
}

/** The address comes from the platform that the profile names: the user decides whether to trust it. */
function explainMoved({ error, session }: Refused): Explanation | undefined {
  const url = error.metadata.base_url;
  if (typeof url !== 'string') return undefined;
  const name = savedName(session.source);
  return {
    what: `The operator has moved the tenant to ${url}. Nothing was changed.`,
    next: [name === undefined ? `set the base_url ${url}` : `topctl profile move ${name} ${url}`],
  };
}

function explainForbidden({ error, session, attempt, ownTenant }: Refused): Explanation | undefined {
  const { required_scope: scope, granted_by_roles: roles } = error.metadata;
  const clientId = session.profile.client_id;
  const tenant = attempt?.path.tenant_id;
  const isAdministrator = ownTenant === 'platform';
  if (ownTenant !== undefined && !isAdministrator) {
    if (tenant !== undefined && tenant !== ownTenant) {
      const what = `${clientId} belongs to tenant ${ownTenant} and may not act on tenant ${tenant}.`;
      return { what, next: [`use a credential of tenant ${tenant} or of tenant platform: --profile NAME`] };
    }
    if (tenantOf(error.operation) === 'platform') {
      const what = `Only credentials of tenant platform may do this; ${clientId} belongs to tenant ${ownTenant}.`;
      return { what, next: ['use a credential of tenant platform: --profile NAME'] };
    }
  }
  if (typeof scope !== 'string') return undefined;
  if (isAdministrator && tenantOf(error.operation) === 'own') {
    const what = `${clientId} administers tenants and lacks the scope ${scope}, which is for work in one tenant.`;
    const whole = error.operation === 'catalog.get' ? ['topctl vendors list', 'topctl command-types list VENDOR'] : [];
    return { what, next: [...whole, 'as a tenant, use a credential of that tenant: --profile NAME'] };
  }
  const given = (Array.isArray(roles) ? roles : []).filter((name) => name !== 'platform_admin' || isAdministrator);
  const [only, more] = grantCommands({ clientId, scope, roles: given, tenant: ownTenant });
  return {
    what: `${clientId} lacks the scope ${scope}.`,
    next: [`an administrator grants it with: ${only}`, ...(more ? [`or a role, which grants more: ${more}`] : [])],
  };
}

/** Whose tenant an operation acts on. */
const tenantOf = (name: string | undefined) =>
  Object.entries(operations).find(([operation]) => operation === name)?.[1].tenant;

function explainRoleInUse({ attempt, ownTenant, profile }: Refused): Explanation | undefined {
  if (!attempt) return undefined;
  const { role, tenant_id: tenant } = attempt.path;
  const flags = `${tenant === ownTenant ? '' : ` --tenant ${tenant}`}${profile}`;
  return {
    what: `Credentials are bound to the role ${role}. First delete its bindings.`,
    next: [`topctl role-bindings list --role ${role}${flags}`],
  };
}

async function explainVendor({ session, attempt, ownTenant, profile }: Refused): Promise<Explanation | undefined> {
  if (!attempt) return undefined;
  const { vendor } = attempt.input;
  const catalog = await catalogOf(session);
  const similar = didYouMean(
    String(vendor),
    (catalog ?? []).map((known) => known.vendor),
  );
  const tenant = ownTenant ?? 'TENANT';
  return {
    what: `Tenant ${ownTenant ?? 'of your credential'} cannot use the vendor ${vendor}.${similar}`,
    next: [
      // Without the scope for it, this would be refused, too.
      ...(catalog ? [`topctl catalog get${profile}, which lists the vendors that it can use`] : []),
      `a platform administrator sees the vendors of the tenant with: topctl tenants get ${tenant}. To change them, name all of them: topctl tenants update ${tenant} --vendors LIST`,
    ],
  };
}

async function explainCommandType({ session, attempt, profile }: Refused): Promise<Explanation | undefined> {
  if (!attempt) return undefined;
  const { vendor, command_type: type } = attempt.input;
  const known = (await catalogOf(session))?.find((entry) => entry.vendor === vendor)?.command_types ?? [];
  const types = known.map(({ command_type }) => command_type);
  const what = `The vendor ${vendor} has no command type ${type}.${didYouMean(String(type), types)}`;
  return { what, next: [`topctl catalog get${profile}`] };
}

function explainPayload({ error, attempt, profile }: Refused): Explanation | undefined {
  if (!attempt) return undefined;
  const { vendor, command_type: type } = attempt.input;
  return {
    what: `The payload does not fit the schema of ${type} of ${vendor}.`,
    facts: error.details.map(({ location, message }) => `${placeOf(location, attempt)}: ${message}`),
    next: [`topctl catalog get${profile} -o json, which shows the schemas`],
  };
}

/** For a hint only: without it, the message is still right. */
const catalogOf = async ({ client }: Session) =>
  (await client.catalog.get({ timeoutMs: 3_000, maxRetries: 0 }).catch(() => undefined))?.vendors;
