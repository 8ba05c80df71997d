import { and, eq } from 'drizzle-orm';
import { changeOf, withAudit } from '../../platform/audit/with-audit.js';
import type { Transaction } from '../../platform/database/database.js';
import { takenNames } from '../../platform/database/names.table.js';
import { newId } from '../../platform/new-id.js';
import { notFoundIn } from '../../platform/operation/api-error.js';
import type { CallOf } from '../../platform/operation/call.js';
import type { Handler } from '../../platform/operation/handler.js';
import { insertRow } from '../../platform/operation/rows.js';
import { type Signals, topics } from '../../platform/signals/signals.js';
import { lockCredential } from '../credentials/lock-credential.js';
import { refuseBeyondLimit } from '../tenants/refuse-beyond-limit.js';
import { refuseForeignVendors } from '../vendors/vendors.js';
import { busPrincipals } from './bus-principals.table.js';
import { beginsAsSeed, holdsSeed, isPublicKey } from './nkey.js';
import { presentBusPrincipal } from './present-bus-principal.js';

type Keys = { bus_account_public_key: string; bus_user_public_key: string };

export const createBusPrincipal =
  (signals: Signals, limit: number): Handler<'busPrincipals.create'> =>
  async ({ body }, call) => {
    refuseSeeds(call, body);
    refuseInvalidKeys(call, body);
    const { tenantId, admittedAt } = call;
    const { client_id: clientId } = body;
    // The same instant as created_at, so that the order of ids is the order of creation.
    const principalId = newId(admittedAt.getTime());
    const created = await withAudit(call, { fields: body, created: principalId }, async (tx) => {
      await refuseBeyondLimit(tx, call, busPrincipals, limit);
      if (clientId !== undefined && !(await lockCredential(tx, call, clientId))) {
        throw notFoundIn('body/client_id');
      }
      await refuseForeignVendors(tx, tenantId, body.vendors);
      if (!(await takeKeys(tx, tenantId, body))) throw call.refuse('BUS_PRINCIPAL_ALREADY_EXISTS');
      const row = await insertRow(tx, busPrincipals, {
        tenantId,
        principalId,
        busUser: body.bus_user,
        busAccountPublicKey: body.bus_account_public_key,
        busUserPublicKey: body.bus_user_public_key,
        principalType: body.principal_type,
        clientId,
        serviceName: body.service_name,
        vendors: body.vendors,
        status: body.status ?? 'ACTIVE',
        expiresAt: body.expires_at ? new Date(body.expires_at) : null,
        createdAt: admittedAt,
        updatedAt: admittedAt,
      });
      return changeOf(call, presentBusPrincipal, null, row);
    });
    signals.send([topics.busAccess]);
    return { status: 201, body: created };
  };

type Code = 'BUS_SEED_NOT_ALLOWED' | 'BUS_KEY_INVALID';

function refuseSeeds(call: CallOf<Code>, body: Keys): void {
  const found = Object.entries(body).filter(
    ([field, value]) => typeof value === 'string' && (isKeyField(field) ? beginsAsSeed : holdsSeed)(value),
  );
  refuseAny(
    call,
    'BUS_SEED_NOT_ALLOWED',
    found.map(([field]) => [field, 'holds a private seed']),
  );
}

const isKeyField = (field: string) => field === 'bus_account_public_key' || field === 'bus_user_public_key';

function refuseInvalidKeys(
  call: CallOf<Code>,
  { bus_account_public_key: account, bus_user_public_key: user }: Keys,
): void {
  const wrong: [string, string][] = [];
  if (!isPublicKey('A', account)) wrong.push(['bus_account_public_key', 'is not the public nkey of an account (A…)']);
  if (!isPublicKey('U', user)) wrong.push(['bus_user_public_key', 'is not the public nkey of a user (U…)']);
  refuseAny(call, 'BUS_KEY_INVALID', wrong);
}

function refuseAny({ refuse }: CallOf<Code>, code: Code, wrong: [field: string, message: string][]): void {
  if (wrong.length === 0) return;
  throw refuse(code, {
    details: wrong.map(([field, message]) => ({ location: `body/${field}`, code, message })),
  });
}

/** Registers both keys for good. False if anyone has the user key, or another tenant has the account key. */
async function takeKeys(tx: Transaction, tenantId: string, keys: Keys): Promise<boolean> {
  const account = { kind: 'BUS_ACCOUNT_KEY', name: keys.bus_account_public_key } as const;
  const user = { kind: 'BUS_USER_KEY', name: keys.bus_user_public_key } as const;
  const taken = await tx
    .insert(takenNames)
    .values([
      { ...account, tenantId },
      { ...user, tenantId },
    ])
    .onConflictDoNothing()
    .returning();
  if (!taken.some(({ kind }) => kind === user.kind)) return false;
  if (taken.some(({ kind }) => kind === account.kind)) return true;
  // A separate statement: the insert may have waited for the owner's commit, which its own snapshot does not show.
  const [owner] = await tx
    .select()
    .from(takenNames)
    .where(and(eq(takenNames.kind, account.kind), eq(takenNames.name, account.name)));
  return owner?.tenantId === tenantId;
}
