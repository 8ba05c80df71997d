import { isUndecided } from '@tenant-open-platform/contract/facts';
import { kinds } from './kinds.js';
import type { PlatformAccess, Step } from './plan.js';
import { hasSecret, type SecretFolder } from './secret-folder.js';

/** Carries out one step. Returns what to say about it besides. */
export async function carryOut({ session, clients, secrets }: PlatformAccess, step: Step): Promise<string> {
  const { action, thing, body } = step;
  const kind = kinds[thing.list];
  const scope = `${kind.ownScopes}:${action === 'CREATE' || action === 'RECOVER' ? 'create' : 'update'}`;
  const client = kind.ownScopes ? await clients(thing.tenant, scope) : session.client;
  if (!client) {
    throw new Error(
      `no credential of tenant ${thing.tenant} in ${secrets?.path ?? '--secrets-dir'} has the scope ${scope}`,
    );
  }
  const place = { client, parent: thing.parent?.found ?? {} };
  if (action === 'CREATE' || action === 'RECOVER') {
    if (secrets && hasSecret(thing.list)) {
      return createWithSecret(secrets, step, async (sent, idempotencyKey) =>
        kind.create(place, sent, { idempotencyKey }),
      );
    }
    thing.found = { ...(await kind.create(place, { ...body, ...(await accessKeyOf(secrets, step)) })) };
    return '';
  }
  await kind.change?.(place, thing.found ?? {}, { ...body, ...(await accessKeyOf(secrets, step)) });
  return '';
}

type Create = (body: Step['body'], idempotencyKey: string) => Promise<object>;

async function createWithSecret(secrets: SecretFolder, { action, thing, body }: Step, create: Create): Promise<string> {
  const named = { list: thing.list, tenant: thing.tenant, fields: { ...body, ...thing.found } };
  const sent = action === 'RECOVER' ? await secrets.unanswered(named) : undefined;
  const request = sent ?? (await secrets.prepare(named, body));
  const { secret, ...created } = (await create(request.body, request.idempotency_key).catch(async (error: unknown) => {
    if (await isRefusal(error)) await secrets.discard(named);
    throw error;
  })) as { secret: string };
  await secrets.keep(named, secret);
  thing.found = created;
  return `; its secret is in ${secrets.fileOf(named)}`;
}

/** Whether the platform refused the request. After any other error it may have carried it out, so the file keeps the request. */
async function isRefusal(error: unknown): Promise<boolean> {
  const { isApiError } = await import('@tenant-open-platform/sdk');
  if (!isApiError(error)) return false;
  const { status, code, attempts = 1 } = error;
  return !isUndecided(status, code) && attempts === 1;
}

/** A new access key goes with its secret, which a person has put into the folder. */
async function accessKeyOf(secrets: SecretFolder | undefined, { thing, body }: Step): Promise<object> {
  if (thing.list !== 'object_credentials' || body.access_key_id === undefined) return {};
  const secret_access_key = await secrets?.given({ list: thing.list, tenant: thing.tenant, fields: body });
  return { secret_access_key };
}
