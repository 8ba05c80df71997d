import type { Database, Transaction } from '../../foundation/database/database.js';
import { asAllTenants, asAllTenantsStatement } from '../../foundation/database/row-level-security.js';
import { sql, statement } from '../../foundation/database/statement.js';
import { FURTHEST_END_SECONDS, LEASE_SECONDS } from '../tables.js';

export type Lease = { holder: string; epoch: string; publishedSeq: string };
type Taken = Lease & { hasRows: boolean };

/**
 * Tells whether rows wait, too: an idle leader then needs no transaction to look. Takes or renews the lease; returns no row if another node holds it. A node that can publish takes it from one that
 * cannot. A lease whose end lies further ahead than its length was written while the database's clock was ahead: it has
 * expired. A follower must not lock the leader's row, so the statement writes only if it may win.
 */
const take = statement(
  'relay: take the lease',
  (holder: string, canPublish: boolean) => sql`
    insert into relay_lease (name, holder, epoch, expires_at, can_publish)
    select 'outbox', ${holder}, 1, now() + make_interval(secs => ${LEASE_SECONDS}), ${canPublish}
    where not exists (
      select from relay_lease
      where name = 'outbox' and holder <> ${holder} and (can_publish or not ${canPublish})
        and expires_at between now() and now() + make_interval(secs => ${FURTHEST_END_SECONDS})
    )
    on conflict (name) do update set
      holder = excluded.holder, expires_at = excluded.expires_at, can_publish = excluded.can_publish,
      epoch = relay_lease.epoch + case when relay_lease.holder = excluded.holder then 0 else 1 end
    where relay_lease.holder = excluded.holder
      or relay_lease.expires_at not between now() and now() + make_interval(secs => ${FURTHEST_END_SECONDS})
      or (excluded.can_publish and not relay_lease.can_publish)
    returning holder, epoch::text, published_seq::text as "publishedSeq", exists (select from outbox) as "hasRows"`,
);

export async function takeLease(database: Database, holder: string, canPublish: boolean): Promise<Taken | null> {
  const [lease] = await asAllTenantsStatement<Taken>(database, take(holder, canPublish));
  return lease ?? null;
}

const release = statement(
  'relay: release the lease',
  (holder: string) => sql`
    update relay_lease set expires_at = now() - interval '1 second' where holder = ${holder}`,
);

/** Releases the lease, so that the next leader need not wait until it expires. */
export const releaseLease = (database: Database, holder: string) =>
  asAllTenantsStatement(database, release(holder)).catch(() => {});

/** Thrown when another node has become the leader. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

const lock = statement(
  'relay: lock the lease',
  ({ holder, epoch }: Lease) => sql`
    select from relay_lease where name = 'outbox' and holder = ${holder} and epoch = ${epoch}::bigint
    for no key update`,
);

/** A transaction of the leader. It locks the lease row first, so a former leader changes nothing. */
export function asLeader<Result>(database: Database, lease: Lease, work: (tx: Transaction) => Promise<Result>) {
  const workIfHeld = async (tx: Transaction, held: readonly object[]) => {
    if (held.length === 0) throw new LeaseLost();
    return work(tx);
  };
  return asAllTenants(database, workIfHeld, lock(lease));
}

const publishedUntil = statement(
  'relay: events are published up to',
  (seq: string) => sql`update relay_lease set published_seq = ${seq}::bigint where name = 'outbox'`,
);

/** The bus has acknowledged the event log up to this number. */
export const storePublished = (database: Database, lease: Lease, seq: string) =>
  asLeader(database, lease, (tx) => tx.execute(publishedUntil(seq)));
