import {
  CredentialStatus,
  objectAndAction,
  PrincipalStatus,
  PrincipalType,
  type Scope,
  TenantStatus,
} from '@tenant-open-platform/contract';
import { and, eq, sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  customType,
  foreignKey,
  index,
  integer,
  jsonb,
  type PgColumn,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';

/** Milliseconds, as in answers: the stored instant is exactly the one that was answered. */
export const instant = <Name extends string>(name: Name) =>
  timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });

/** A text column takes the values of an enum of the contract. */
export const oneOf = <Value extends string>({ options }: { options: Value[] }) => options as [Value, ...Value[]];

export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/** A transaction of Postgres. */
const xid = customType<{ data: string }>({ dataType: () => 'xid' });

/** Always empty. `/readyz` writes a row that fills a page and rolls it back: see readiness.ts. */
export const writeProbe = pgTable('write_probe', { page: text() });

/**
 * The histories of the database. A new one begins when a copy is restored or a standby that lagged is promoted: what came
 * after the copy is gone. See docs/internals/generations.md.
 */
export const databaseGenerations = pgTable(
  'database_generations',
  {
    /** Cursors and the witness on the bus carry it. Nobody can guess it, so two histories never have the same. */
    id: uuid().primaryKey(),
    /** In whole seconds. Requests that were signed before are refused: their nonces may be gone. */
    beganAt: instant('began_at').notNull(),
    /** IDENTITY: Postgres shows that it is another one. OPERATOR: `declare-restored`. WITNESS, LOST: the bus knows it. */
    cause: text({ enum: ['FIRST', 'IDENTITY', 'OPERATOR', 'WITNESS', 'LOST'] }).notNull(),
    /** The last number of the event log that it shares with the current generation; null for that one. */
    sharedUntil: bigint('shared_until', { mode: 'number' }),
    /** Grows while the platform runs. The bus has it too, and a later one if the database went back. */
    number: bigint({ mode: 'number' }).notNull().default(0),
    /** Whether it was compared with the bus since the last start of Postgres. */
    isCompared: boolean('is_compared').notNull().default(false),
    /** The numbers of cluster, database and table, and the timeline. Null where Postgres hides them. */
    identity: text(),
    timeline: text(),
    /** The last start of Postgres that was seen, with the end of the event log and the transaction at that time. */
    startedAt: timestamp('started_at', { withTimezone: true }),
    logEndAtStart: bigint('log_end_at_start', { mode: 'number' }).notNull().default(0),
    xidAtStart: xid('xid_at_start'),
  },
  ({ sharedUntil }) => [
    uniqueIndex('database_generations_current').on(sql`(${sharedUntil} is null)`).where(sql`${sharedUntil} is null`),
  ],
);

/** One random key sealed with each master key: a wrong keyring is noticed at start, not at the first signature. */
export const keyringCanaries = pgTable('keyring_canaries', {
  keyId: text('key_id').primaryKey(),
  sealed: bytes().notNull(),
});

/** The deletion of a tenant, or of what a tenant that moved away has left. `work`: until it is finished. */
export type Deletion = {
  requested_at: string;
  rows_deleted: number;
  finished_at: string | null;
  /** Where the deletion continues, for example after a crash or on another node. */
  work?: {
    /** The table, by its place in the list of steps, and the key of the last row that was read there. */
    step: number;
    after: string[] | null;
    /** How many rows this pass over all tables has deleted so far. The last pass finds none. */
    rows_in_pass: number;
    /** A pass begins when all transactions with lower numbers have ended: they could still write rows of the tenant. */
    transaction: string;
    since: string;
  };
};

/** The move of a tenant between two platforms: see docs/internals/cells.md. */
export type Move = {
  id: string;
  /**
   * CLOSING: no request is admitted; open commands end. COPYING, UNDOING, ARRIVING (on the platform that it moves to):
   * nothing changes rows of the tenant but the move. SWITCHING: it can no longer be undone. MOVED: the tenant is at `to`.
   */
  step: 'CLOSING' | 'COPYING' | 'SWITCHING' | 'UNDOING' | 'MOVED' | 'ARRIVING';
  /** The address of the platform that it moves or has moved to. An ARRIVING tenant has one if it was here before. */
  to?: string | undefined;
  /** The status before the move, and after it on the other platform. Both platforms have it. */
  status?: 'ACTIVE' | 'DISABLED' | undefined;
  closed_at?: string | undefined;
  /** The last number of the event log when the tenant was closed. */
  log_end?: string | undefined;
  /** Of an ARRIVING tenant: see eventLogOrigins. */
  shift?: string | undefined;
  /** Of an ARRIVING tenant: which platform it comes from. */
  from?: string | undefined;
  moved_at?: string | undefined;
};

export const tenants = pgTable(
  'tenants',
  {
    tenantId: text('tenant_id').primaryKey(),
    name: text().notNull(),
    status: text({ enum: oneOf(TenantStatus) })
      .notNull()
      .default('ACTIVE'),
    /** The only vendors of the tenant; null: all. */
    vendors: text().array(),
    /** Null: REQUESTS_PER_MINUTE_PER_TENANT. */
    requestsPerMinute: integer('requests_per_minute'),
    /** When its adapters last read commands, by vendor. */
    adapterReads: jsonb('adapter_reads').$type<Record<string, string>>(),
    /** Null before tenants.delete, and before the tenant has moved away. */
    deletion: jsonb().$type<Deletion>(),
    /** Null unless the tenant is moving or has moved away. */
    move: jsonb().$type<Move>(),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    index('tenants_in_order').on(table.createdAt, table.tenantId),
    index('tenants_deleting').on(table.tenantId).where(sql`status = 'DELETING'`),
    index('tenants_moving').on(table.tenantId).where(sql`status = 'MOVING'`),
    index('tenants_to_empty').on(table.tenantId).where(sql`deletion -> 'work' is not null`),
  ],
);

export const credentials = pgTable(
  'credentials',
  {
    tenantId: text('tenant_id').notNull(),
    clientId: text('client_id').notNull(),
    /** Replaces the credential in the nonce table: 8 bytes a row instead of two texts. */
    number: bigint({ mode: 'bigint' }).notNull().generatedAlwaysAsIdentity(),
    name: text().notNull(),
    status: text({ enum: oneOf(CredentialStatus) }).notNull(),
    allowedClockSkewSeconds: integer('allowed_clock_skew_seconds').notNull(),
    replayWindowSeconds: integer('replay_window_seconds').notNull(),
    /** Null: REQUESTS_PER_MINUTE. */
    requestsPerMinute: integer('requests_per_minute'),
    secretVersion: integer('secret_version').notNull(),
    secretSealed: bytes('secret_sealed').notNull(),
    previousSecretSealed: bytes('previous_secret_sealed'),
    previousSecretExpiresAt: instant('previous_secret_expires_at'),
    expiresAt: instant('expires_at'),
    /** When a request was last admitted: with any secret, with the current one, with the previous one. */
    lastUsedAt: instant('last_used_at'),
    secretLastUsedAt: instant('secret_last_used_at'),
    previousSecretLastUsedAt: instant('previous_secret_last_used_at'),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.clientId] }),
    index('credentials_in_order').on(table.tenantId, table.createdAt, table.clientId),
    foreignKey({ name: 'credentials_tenant', columns: [table.tenantId], foreignColumns: [tenants.tenantId] }),
  ],
);

const toCredential = (name: string, { tenantId, clientId }: Record<'tenantId' | 'clientId', PgColumn>) =>
  foreignKey({ name, columns: [tenantId, clientId], foreignColumns: [credentials.tenantId, credentials.clientId] });

/** A tenant's custom roles. The built-in roles are in the contract. */
export const roles = pgTable(
  'roles',
  {
    tenantId: text('tenant_id').notNull(),
    role: text().notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.role] }),
    foreignKey({ name: 'roles_tenant', columns: [table.tenantId], foreignColumns: [tenants.tenantId] }),
  ],
);

export const roleBindings = pgTable(
  'role_bindings',
  {
    tenantId: text('tenant_id').notNull(),
    clientId: text('client_id').notNull(),
    role: text().notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.clientId, table.role] }),
    index('role_bindings_in_order').on(table.tenantId, table.createdAt, table.clientId, table.role),
    toCredential('role_bindings_credential', table),
  ],
);

/** A permission in a tenant: object and action. The subject is a credential (a direct policy) or a custom role. */
export const policies = pgTable(
  'policies',
  {
    tenantId: text('tenant_id').notNull(),
    policyId: uuid('policy_id').notNull(),
    clientId: text('client_id'),
    role: text(),
    object: text().notNull(),
    action: text().notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.policyId] }),
    uniqueIndex('policies_of_client')
      .on(table.tenantId, table.clientId, table.object, table.action)
      .where(sql`client_id is not null`),
    uniqueIndex('policies_of_role')
      .on(table.tenantId, table.role, table.object, table.action)
      .where(sql`role is not null`),
    index('policies_in_order').on(table.tenantId, table.policyId).where(sql`client_id is not null`),
    toCredential('policies_credential', table),
    foreignKey({
      name: 'policies_role',
      columns: [table.tenantId, table.role],
      foreignColumns: [roles.tenantId, roles.role],
    }).onDelete('cascade'),
    check('policies_subject', sql`(client_id is null) <> (role is null)`),
  ],
);

export function isOfScope(scope: Scope) {
  const { object, action } = objectAndAction(scope);
  return and(eq(policies.object, object), eq(policies.action, action));
}

export const busPrincipals = pgTable(
  'bus_principals',
  {
    tenantId: text('tenant_id').notNull(),
    principalId: uuid('principal_id').notNull(),
    busUser: text('bus_user').notNull(),
    busAccountPublicKey: text('bus_account_public_key').notNull(),
    busUserPublicKey: text('bus_user_public_key').notNull(),
    principalType: text('principal_type', { enum: oneOf(PrincipalType) }).notNull(),
    clientId: text('client_id'),
    serviceName: text('service_name'),
    /** The only vendors of a SERVICE principal; null: all of its tenant. */
    vendors: text().array(),
    status: text({ enum: oneOf(PrincipalStatus) }).notNull(),
    expiresAt: instant('expires_at'),
    /** What is wrong with it on the bus: see provision-durables.ts. */
    problem: text(),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.principalId] }),
    // For each event the relay asks whether its tenant has such a principal.
    index('bus_principals_reading_events')
      .on(table.tenantId)
      .where(sql`principal_type = 'CLIENT' and status <> 'DELETED'`),
    foreignKey({ name: 'bus_principals_tenant', columns: [table.tenantId], foreignColumns: [tenants.tenantId] }),
    toCredential('bus_principals_credential', table),
  ],
);

/** Nonces of authentic requests. The table is logged, so that a crash of the database does not allow a replay. */
export const nonces = pgTable(
  'nonces',
  {
    credentialNumber: bigint('credential_number', { mode: 'bigint' }).notNull(),
    /** The first 16 bytes of SHA-256(nonce). */
    nonceHash: bytes('nonce_hash').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.credentialNumber, table.nonceHash] }),
    index('nonces_by_expiry').on(table.expiresAt),
  ],
);

/** Names that are unique on the platform, and their owners. Deleting a tenant frees its bus keys, but no client id. */
export const takenNames = pgTable(
  'taken_names',
  {
    kind: text({ enum: ['CLIENT_ID', 'BUS_ACCOUNT_KEY', 'BUS_USER_KEY'] }).notNull(),
    name: text().notNull(),
    tenantId: text('tenant_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.name] }),
    // nginx ignores the case of client ids. "C": in every language of a database, the same letters are one.
    uniqueIndex('taken_names_ignoring_case').on(table.kind, sql`lower(${table.name} collate "C")`),
  ],
);
