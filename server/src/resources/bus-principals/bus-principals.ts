import { fromPublic } from '@nats-io/nkeys';
import { contract } from '@tenant-open-platform/contract';
import { and, eq } from 'drizzle-orm';
import { invalidValue, notFoundIn } from '../../foundation/api-error.js';
import type { Transaction } from '../../foundation/database/database.js';
import { topics } from '../../foundation/signals/signals.js';
import { busPrincipals, takenNames } from '../../foundation/tables.js';
import { changeOf, withAudit } from '../../gateway/audit/audit.js';
import type { CallOf } from '../../gateway/operation/call.js';
import { lockCredential } from '../credentials/credentials.js';
import { getHandler, type Handler, listHandler } from '../handlers.js';
import { columnsOf, insertRow, newIdOf, presenter, readRow, refuseBeyondLimit, updateRow } from '../rows.js';
import { refuseUnknownVendors } from '../vendors/vendors.js';

const presentBusPrincipal = presenter(busPrincipals, contract.busPrincipals.get.responses[200]);

type Keys = { bus_account_public_key: string; bus_user_public_key: string };

export const create: Handler<'busPrincipals.create'> = async ({ body }, call, { bus, signals, limits, provide }) => {
  refuseKeys(call, body);
  const { tenantId, admittedAt } = call;
  const { client_id: clientId } = body;
  const principalId = newIdOf(call);
  const created = await withAudit(call, { fields: body, created: principalId }, async (tx) => {
    await refuseBeyondLimit(tx, call, busPrincipals, limits);
    if (clientId && !(await lockCredential(tx, call, clientId))) throw notFoundIn('body/client_id');
    await refuseUnknownVendors(tx, body.vendors, tenantId);
    // nats-server would refuse the accounts of all tenants if the platform's own key were in them twice.
    const isFree = body.bus_user_public_key !== bus.ownPublicKey && (await takeKeys(tx, tenantId, body));
    if (!isFree) throw call.refuse('BUS_PRINCIPAL_ALREADY_EXISTS');
    const row = await insertRow(tx, busPrincipals, {
      status: 'ACTIVE',
      ...columnsOf(busPrincipals, body),
      tenantId,
      principalId,
      createdAt: admittedAt,
      updatedAt: admittedAt,
    });
    return changeOf(call, presentBusPrincipal, null, row);
  });
  signals.send([topics.busAccess]);
  return { status: 201, body: { ...created, problem: await provide({ tenantId, principalId }) } };
};

const keyFields = {
  bus_account_public_key: { kind: 'A', message: 'is not the public nkey of an account (A…)' },
  bus_user_public_key: { kind: 'U', message: 'is not the public nkey of a user (U…)' },
} as const;

function refuseKeys({ refuse }: CallOf<'BUS_SEED_NOT_ALLOWED' | 'BUS_KEY_INVALID'>, body: Keys): void {
  const seeds = Object.entries(body).flatMap(([field, value]) => {
    const isSeed = Object.hasOwn(keyFields, field) ? beginsAsSeed : holdsSeed;
    if (typeof value !== 'string' || !isSeed(value)) return [];
    return { location: `body/${field}`, code: 'BUS_SEED_NOT_ALLOWED', message: 'holds a private seed' };
  });
  if (seeds.length > 0) throw refuse('BUS_SEED_NOT_ALLOWED', { details: seeds });
  const invalid = Object.entries(keyFields).flatMap(([field, { kind, message }]) =>
    isPublicKey(kind, body[field as keyof Keys]) ? [] : { location: `body/${field}`, code: 'BUS_KEY_INVALID', message },
  );
  if (invalid.length > 0) throw refuse('BUS_KEY_INVALID', { details: invalid });
}

/** Registers both keys for good. False if anyone has the user key, or another tenant has the account key. */
async function takeKeys(tx: Transaction, tenantId: string, keys: Keys): Promise<boolean> {
  const account = { kind: 'BUS_ACCOUNT_KEY', name: keys.bus_account_public_key } as const;
  const user = { kind: 'BUS_USER_KEY', name: keys.bus_user_public_key } as const;
  const names = [account, user].map((name) => ({ ...name, tenantId }));
  const taken = await tx.insert(takenNames).values(names).onConflictDoNothing().returning();
  if (!taken.some(({ kind }) => kind === user.kind)) return false;
  if (taken.some(({ kind }) => kind === account.kind)) return true;
  // A separate statement: the insert may have waited for the owner's commit, which its own snapshot does not show.
  const isAccount = and(eq(takenNames.kind, account.kind), eq(takenNames.name, account.name));
  const [owner] = await tx.select().from(takenNames).where(isAccount);
  return owner?.tenantId === tenantId;
}

export const list = listHandler({
  table: busPrincipals,
  order: ['principalId'],
  filteredBy: ['clientId', 'status'],
  present: presentBusPrincipal,
});

export const get = getHandler(busPrincipals, presentBusPrincipal);

export const update: Handler<'busPrincipals.update'> = async ({ params, body }, call, { signals, provide }) => {
  const { tenantId } = call;
  const updated = await withAudit(call, { fields: body }, async (tx) => {
    const locked = await readRow(tx, call, busPrincipals, params, 'update');
    if (locked.status === 'DELETED') throw call.refuse('BUS_PRINCIPAL_DELETED');
    if (body.vendors && locked.principalType !== 'SERVICE') {
      throw invalidValue('body/vendors', 'is allowed only for a SERVICE principal');
    }
    await refuseUnknownVendors(tx, body.vendors, tenantId);
    const row = await updateRow(tx, call, busPrincipals, params, columnsOf(busPrincipals, body));
    return changeOf(call, presentBusPrincipal, locked, row);
  });
  signals.send([topics.busAccess]);
  const problem = await provide({ tenantId, principalId: params.principal_id });
  return { status: 200, body: { ...updated, problem } };
};

/** The first characters of the public nkeys of an account and of a user. */
export type KeyKind = 'A' | 'U';

/** Exactly 35 bytes. The decoder drops the rest of a longer text, which would be a second name of the key. */
const PUBLIC_KEY = /^[A-Z2-7]{56}$/;

export function isPublicKey(kind: KeyKind, text: string): boolean {
  if (!PUBLIC_KEY.test(text) || !text.startsWith(kind)) return false;
  try {
    fromPublic(text);
    return true;
  } catch {
    return false;
  }
}

export const beginsAsSeed = (text: string) => /^\s*(S|s[acnoux][a-z2-7]{56})/.test(text);

/** Whether a text contains a private seed. A seed in lower case counts as disclosed too. */
export const holdsSeed = (text: string) => /S[ACNOUX][A-Z2-7]{56}/i.test(text);
