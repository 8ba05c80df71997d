import { readBacklog } from '../../pipeline/backlog.js';
import { readPlatformState } from '../../pipeline/platform-state.js';
import type { Handler } from '../handlers.js';

export const get: Handler<'platform.get'> = async (_request, { requestId }, { database, signals }) => {
  const [backlog, { vendors, ...state }] = await Promise.all([
    readBacklog(database),
    readPlatformState(database, signals),
  ]);
  const body = {
    outbox: waiting(backlog.rows, backlog.oldestSeconds),
    events: waiting(backlog.events, backlog.oldestEventSeconds),
    ...state,
    vendors: vendors.map(({ last_read_at, ...vendor }) => ({
      ...vendor,
      last_read_at: last_read_at && new Date(last_read_at).toISOString(),
    })),
    request_id: requestId,
  };
  return { status: 200, body };
};

const waiting = (number: number, oldest: number) => ({ waiting: number, oldest_seconds: number > 0 ? oldest : null });
