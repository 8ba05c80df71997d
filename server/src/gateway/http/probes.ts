import type { Express } from 'express';
import { shared } from '../../foundation/concurrency/shared-reads.js';
import type { Metrics } from '../../foundation/telemetry/metrics.js';

export type Probes = {
  /** Why the process cannot serve; null if it can. */
  unreadyReason(): Promise<string | null>;
};

/** Anyone may call the probes at any rate: the database is asked at most once a second. */
export function addProbes(app: Express, probes: Probes, metrics: Metrics): void {
  const unreadyReason = shared(() => probes.unreadyReason(), { forMs: 1_000 });
  const renderMetrics = shared(() => metrics.render(), { forMs: 1_000 });
  app.get('/livez', (_req, res) => {
    res.json({ status: 'live' });
  });
  app.get('/readyz', async (_req, res) => {
    const reason = await unreadyReason();
    res.status(reason ? 503 : 200).json(reason ? { status: 'unready', reason } : { status: 'ready' });
  });
  app.get('/metrics', async (_req, res) => {
    res.type(metrics.contentType).send(await renderMetrics());
  });
}
