import { fromPublic } from '@nats-io/nkeys';
import { and, eq } from 'drizzle-orm';
import { invalidValue, notFoundIn } from '../../foundation/api-error.js';
import type { Transaction } from '../../foundation/database/database.js';
import { type Signals, topics } from '../../foundation/signals/signals.js';
import { busPrincipals, takenNames } from '../../foundation/tables.js';
import { changeOf, withAudit } from '../../gateway/audit/audit.js';
import type { CallOf, Handler } from '../../gateway/operation/call.js';
import type { PrincipalKey } from '../../pipeline/provision-durables.js';
import { lockCredential } from '../credentials/credentials.js';
import { getHandler, listHandler } from '../handlers.js';
import { columnsOf, insertRow, newIdOf, ownRow, presenter, readRow, refuseBeyondLimit, updateRow } from '../rows.js';
import { refuseForeignVendors } from '../vendors/vendors.js';

const presentBusPrincipal = presenter(busPrincipals);

type Keys = { bus_account_public_key: string; bus_user_public_key: string };

type Options = {
  signals: Signals;
  ownPublicKey: string | null;
  limit: number;
  /** Creates on the bus what the principal reads. Resolves to what the bus refuses, or null. */
  provide: (key: PrincipalKey) => Promise<string | null>;
};

export const createBusPrincipal =
  ({ signals, ownPublicKey, limit, provide }: Options): Handler<'busPrincipals.create'> =>
  async ({ body }, call) => {
    refuseSeeds(call, body);
    refuseInvalidKeys(call, body);
    const { tenantId, admittedAt } = call;
    const { client_id: clientId } = body;
    const principalId = newIdOf(call);
    const created = await withAudit(call, { fields: body, created: principalId }, async (tx) => {
      await refuseBeyondLimit(tx, call, busPrincipals, limit);
      if (clientId && !(await lockCredential(tx, call, clientId))) throw notFoundIn('body/client_id');
      await refuseForeignVendors(tx, tenantId, body.vendors);
      // nats-server would refuse the accounts of all tenants if the platform's own key were in them twice.
      const isFree = body.bus_user_public_key !== ownPublicKey && (await takeKeys(tx, tenantId, body));
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

type Code = 'BUS_SEED_NOT_ALLOWED' | 'BUS_KEY_INVALID';

function refuseSeeds(call: CallOf<Code>, body: Keys): void {
  const found = Object.entries(body).filter(
    ([field, value]) => typeof value === 'string' && (isKeyField(field) ? beginsAsSeed : holdsSeed)(value),
  );
  const wrong = found.map(([field]): [string, string] => [field, 'holds a private seed']);
  refuseAny(call, 'BUS_SEED_NOT_ALLOWED', wrong);
}

const isKeyField = (field: string) => field === 'bus_account_public_key' || field === 'bus_user_public_key';

function refuseInvalidKeys(call: CallOf<Code>, keys: Keys): void {
  const { bus_account_public_key: account, bus_user_public_key: user } = keys;
  const wrong: [string, string][] = [];
  if (!isPublicKey('A', account)) wrong.push(['bus_account_public_key', 'is not the public nkey of an account (A…)']);
  if (!isPublicKey('U', user)) wrong.push(['bus_user_public_key', 'is not the public nkey of a user (U…)']);
  refuseAny(call, 'BUS_KEY_INVALID', wrong);
}

function refuseAny({ refuse }: CallOf<Code>, code: Code, wrong: [field: string, message: string][]): void {
  if (wrong.length === 0) return;
  throw refuse(code, { details: wrong.map(([field, message]) => ({ location: `body/${field}`, code, message })) });
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

export const listBusPrincipals = listHandler({
  table: busPrincipals,
  order: ['principalId'],
  filteredBy: ['clientId', 'status'],
  present: presentBusPrincipal,
});

export const getBusPrincipal = getHandler(busPrincipals, presentBusPrincipal);

export const updateBusPrincipal =
  ({ signals, provide }: Pick<Options, 'signals' | 'provide'>): Handler<'busPrincipals.update'> =>
  async ({ params, body }, call) => {
    const own = ownRow(busPrincipals, call, params);
    const updated = await withAudit(call, { fields: body }, async (tx) => {
      const locked = await readRow(tx, call, busPrincipals, own, 'update');
      if (locked.status === 'DELETED') throw call.refuse('BUS_PRINCIPAL_DELETED');
      if (body.vendors && locked.principalType !== 'SERVICE') {
        throw invalidValue('body/vendors', 'is allowed only for a SERVICE principal');
      }
      await refuseForeignVendors(tx, call.tenantId, body.vendors);
      const row = await updateRow(tx, busPrincipals, own, columnsOf(busPrincipals, body));
      return changeOf(call, presentBusPrincipal, locked, row);
    });
    signals.send([topics.busAccess]);
    const problem = await provide({ tenantId: call.tenantId, principalId: params.principal_id });
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
