import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type RequestHandler, Router } from 'express';
import type { Metrics } from '../telemetry/metrics.js';

export type Probes = {
  /** Why the process cannot serve, or null if it can. */
  unreadyReason(): Promise<string | null>;
};

const openApi = readFileSync(createRequire(import.meta.url).resolve('@tenant-open-platform/contract/openapi.json'));

/** What lies outside /api/v1 and is not signed: probes, metrics and the description of the API. */
export function publicRoutes(probes: Probes, metrics: Metrics): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/', (_req, res) => {
    res.json({ name: 'Tenant Open Platform', api: '/api/v1', openapi: '/openapi.json', health: '/readyz' });
  });
  router.get('/livez', (_req, res) => {
    res.json({ status: 'live' });
  });
  router.get('/readyz', async (_req, res) => {
    const reason = await probes.unreadyReason();
    res.status(reason ? 503 : 200).json(reason ? { status: 'unready', reason } : { status: 'ready' });
  });
  router.get('/metrics', async (_req, res) => {
    res.type(metrics.contentType).send(await metrics.render());
  });
  router.get('/openapi.json', (_req, res) => {
    res.type('application/json').send(openApi);
  });
  // A signed request need not be matched against each of them.
  return (req, res, next) => (req.url.startsWith('/api/') ? next() : router(req, res, next));
}
