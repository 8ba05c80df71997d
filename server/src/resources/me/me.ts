import type { contract } from '@tenant-open-platform/contract';
import { and, eq } from 'drizzle-orm';
import type { z } from 'zod';
import { credentialGone } from '../../foundation/api-error.js';
import { credentials, tenants } from '../../foundation/tables.js';
import type { Handler } from '../../gateway/operation/call.js';
import { grantsOf } from '../roles/granting.js';

type Limits = z.infer<(typeof contract.me.get.responses)[200]>['limits'];

export const getMe =
  (platformVersion: string, limits: Limits): Handler<'me.get'> =>
  async (_request, { caller: { tenantId, clientId }, admittedAt, requestId, asTenant }) => {
    const { found, grants } = await asTenant(async (tx) => {
      const [found] = await tx
        .select({ row: credentials, tenant: tenants })
        .from(credentials)
        .innerJoin(tenants, eq(tenants.tenantId, credentials.tenantId))
        .where(and(eq(credentials.tenantId, tenantId), eq(credentials.clientId, clientId)));
      return { found, grants: await grantsOf(tx, tenantId, clientId) };
    });
    if (!found) throw credentialGone();
    const { row, tenant } = found;
    const ofTenant = tenant.requestsPerMinute ?? limits.requests_per_minute_per_tenant;
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
        limits: {
          ...limits,
          requests_per_minute: Math.min(row.requestsPerMinute ?? limits.requests_per_minute, ofTenant),
          requests_per_minute_per_tenant: ofTenant,
        },
        server_time: admittedAt.toISOString(),
        platform_version: platformVersion,
        request_id: requestId,
      },
    };
  };
