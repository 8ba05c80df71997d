import type { contract } from '@tenant-open-platform/contract';
import { and, eq } from 'drizzle-orm';
import type { z } from 'zod';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { credentials } from '../../platform/identity/credentials.table.js';
import { credentialGone } from '../../platform/operation/api-error.js';
import type { Handler } from '../../platform/operation/handler.js';
import { grantsOf } from '../roles/granting.js';

type Limits = z.infer<(typeof contract.me.get.responses)[200]>['limits'];

export const getMe =
  (database: Database, limits: Limits): Handler<typeof contract.me.get> =>
  async (_request, { caller: { tenantId, clientId }, admittedAt, requestId }) => {
    const { row, grants } = await asTenant(database, tenantId, async (tx) => {
      const [row] = await tx
        .select()
        .from(credentials)
        .where(and(eq(credentials.tenantId, tenantId), eq(credentials.clientId, clientId)));
      return { row, grants: await grantsOf(tx, tenantId, clientId) };
    });
    if (!row) throw credentialGone();
    return {
      status: 200,
      body: {
        tenant_id: tenantId,
        client_id: clientId,
        name: row.name,
        ...grants,
        allowed_clock_skew_seconds: row.allowedClockSkewSeconds,
        replay_window_seconds: row.replayWindowSeconds,
        expires_at: row.expiresAt?.toISOString() ?? null,
        limits,
        server_time: admittedAt.toISOString(),
        request_id: requestId,
      },
    };
  };
