import { contract } from '@tenant-open-platform/contract';
import { and, eq } from 'drizzle-orm';
import type { z } from 'zod';
import { credentialGone } from '../../foundation/api-error.js';
import { pipelined } from '../../foundation/database/pipelined.js';
import { credentials, tenants } from '../../foundation/tables.js';
import type { Handler } from '../handlers.js';
import { grantsOf } from '../roles/granting.js';
import { presenter } from '../rows.js';

const answer = contract.me.get.responses[200];

const presentCaller = presenter(credentials, answer);

export const getMe =
  (platformVersion: string, limits: z.infer<typeof answer>['limits']): Handler<'me.get'> =>
  async (_request, call) => {
    const { tenantId, clientId } = call.caller;
    const [[found], grants] = await call.asTenant((tx) =>
      pipelined(
        () =>
          tx
            .select({ row: credentials, tenant: tenants })
            .from(credentials)
            .innerJoin(tenants, eq(tenants.tenantId, credentials.tenantId))
            .where(and(eq(credentials.tenantId, tenantId), eq(credentials.clientId, clientId))),
        () => grantsOf(tx, tenantId, clientId),
      ),
    );
    if (!found) throw credentialGone();
    const { row, tenant } = found;
    const ofTenant = tenant.requestsPerMinute ?? limits.requests_per_minute_per_tenant;
    return {
      status: 200,
      body: {
        ...presentCaller(row, call),
        ...grants,
        limits: {
          ...limits,
          requests_per_minute: Math.min(row.requestsPerMinute ?? limits.requests_per_minute, ofTenant),
          requests_per_minute_per_tenant: ofTenant,
        },
        server_time: call.admittedAt.toISOString(),
        platform_version: platformVersion,
      },
    };
  };
