import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Metrics } from '../telemetry/metrics.js';
import { expressApp } from './express-app.js';

export type Probes = {
  /** Why the process cannot serve, or null if it can. */
  unreadyReason(): Promise<string | null>;
};

const contractFile = (name: string) =>
  readFileSync(createRequire(import.meta.url).resolve(`@tenant-open-platform/contract/${name}`));
const openApi = contractFile('openapi.json');
const asyncApi = contractFile('asyncapi.json');

/** What lies outside /api/v1 and is not signed: probes, metrics and the descriptions of API and bus. */
export const publicRoutes = (probes: Probes, metrics: Metrics) =>
  expressApp((app) => {
    app.get('/', (_req, res) => {
      res.json({
        name: 'Tenant Open Platform',
        api: '/api/v1',
        openapi: '/openapi.json',
        asyncapi: '/asyncapi.json',
        health: '/readyz',
      });
    });
    app.get('/livez', (_req, res) => {
      res.json({ status: 'live' });
    });
    app.get('/readyz', async (_req, res) => {
      const reason = await probes.unreadyReason();
      res.status(reason ? 503 : 200).json(reason ? { status: 'unready', reason } : { status: 'ready' });
    });
    app.get('/metrics', async (_req, res) => {
      res.type(metrics.contentType).send(await metrics.render());
    });
    app.get('/openapi.json', (_req, res) => {
      res.type('application/json').send(openApi);
    });
    app.get('/asyncapi.json', (_req, res) => {
      res.type('application/json').send(asyncApi);
    });
  });
