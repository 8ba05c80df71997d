import type { Database } from '../../foundation/database/database.js';
import type { Signals } from '../../foundation/signals/signals.js';
import type { Handler } from '../../gateway/operation/call.js';
import { readBacklog } from '../../pipeline/backlog.js';
import { readPlatformState } from '../../pipeline/platform-state.js';

export const getPlatform =
  (database: Database, signals: Signals): Handler<'platform.get'> =>
  async (_request, { requestId }) => {
    const [backlog, { vendors, ...state }] = await Promise.all([
      readBacklog(database),
      readPlatformState(database, signals),
    ]);
    const body = {
      outbox: { waiting: backlog.rows, oldest_seconds: backlog.rows > 0 ? backlog.oldestSeconds : null },
      events: { waiting: backlog.events, oldest_seconds: backlog.events > 0 ? backlog.oldestEventSeconds : null },
      ...state,
      vendors: vendors.map(({ last_read_at, ...vendor }) => ({
        ...vendor,
        last_read_at: last_read_at && new Date(last_read_at).toISOString(),
      })),
      request_id: requestId,
    };
    return { status: 200, body };
  };
