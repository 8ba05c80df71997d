import { hash } from 'node:crypto';
import { contract } from '@tenant-open-platform/contract';
import { EMPTY_BODY_SHA256, stringToSign, targetProblem } from '@tenant-open-platform/contract/signature';
import { createExpressEndpoints } from '@ts-rest/express';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { Logger } from 'pino';
import type { Config } from './config.js';
import { admission, hashNonce } from './platform/auth/admission.js';
import { readAuthHeaders } from './platform/auth/auth-headers.js';
import { refuseUnlessFresh, refuseUnlessPermitted, unauthenticated } from './platform/auth/judge.js';
import { rateLimits } from './platform/auth/rate-limits.js';
import { signatureVerifier } from './platform/auth/signing-keys.js';
import type { Database } from './platform/database/database.js';
import { answerError } from './platform/http/answer-error.js';
import { ApiError } from './platform/http/api-error.js';
import { parseBody, readBody } from './platform/http/body.js';
import { findOperation } from './platform/http/find-operation.js';
import { type Handlers, toTsRestRouter } from './platform/http/handler.js';
import { type Probes, publicRoutes } from './platform/http/public-routes.js';
import { requestIdOf } from './platform/http/request-id.js';
import type { Keyring } from './platform/secrets/keyring.js';
import type { Metrics } from './platform/telemetry/metrics.js';
import { observe } from './platform/telemetry/observe.js';

export type AppDependencies = {
  config: Config;
  database: Database;
  keyring: Keyring;
  handlers: Handlers;
  logger: Logger;
  metrics: Metrics;
  probes: Probes;
};

/** The whole way of a request, in order. */
export function createApp({ config, database, keyring, handlers, logger, metrics, probes }: AppDependencies): Express {
  const limits = rateLimits({
    requestsPerMinute: config.REQUESTS_PER_MINUTE,
    failedAuthenticationsPerMinute: config.FAILED_AUTHENTICATIONS_PER_MINUTE,
  });
  const basePath = config.BASE_PATH;
  const verifySignature = signatureVerifier(database, keyring);
  const admit = admission(database);

  /** Refuses by throwing. What passes is authentic, fresh and permitted, and its body is one unambiguous value. */
  async function passGates(req: Request, res: Response): Promise<void> {
    const problem = targetProblem(req.url);
    if (problem) throw new ApiError('INVALID_TARGET', { message: `The request target is not valid: ${problem}.` });
    const headers = readAuthHeaders(req);
    const address = req.ip ?? '';
    await limits.refuseGuessing(address, headers.clientId);

    const body = await readBody(req, config.BODY_LIMIT_BYTES);
    const signed = stringToSign({
      method: req.method,
      target: req.url,
      clientId: headers.clientId,
      timestamp: headers.timestamp,
      nonce: headers.nonce,
      bodySha256: body.length === 0 ? EMPTY_BODY_SHA256 : hash('sha256', body),
    });
    const verified = await verifySignature(headers.clientId, signed, headers.signature);
    if (!verified) {
      await limits.countFailure(address);
      throw unauthenticated(signed);
    }

    const match = findOperation(req.method, req.path);
    const operation = match.found === 'operation' ? match.operation : null;
    const pathTenantId = match.found === 'operation' ? match.pathTenantId : null;
    res.locals.operation = operation?.name ?? 'none';
    const verdict = await admit({
      ...verified,
      clientId: headers.clientId,
      timestamp: headers.timestamp,
      nonceHash: hashNonce(headers.nonce),
      grantingRoles: operation?.grantingRoles ?? [],
      pathTenantId,
    });
    if (!verdict.isLive) {
      await limits.countFailure(address);
      throw unauthenticated(signed);
    }
    refuseUnlessFresh(verdict);
    // Only now: whoever replays a request, or holds a dead secret, must not spend what is the credential's own.
    limits.rememberVerified(address, headers.clientId);
    await limits.countRequest(headers.clientId);
    refuseUnlessPermitted(verdict, match, verified.tenantId);

    req.body = parseBody(req.headers['content-type'], body);
    res.locals.call = {
      operation: operation?.name,
      requestId: res.getHeader('X-Request-Id'),
      caller: { tenantId: verified.tenantId, clientId: headers.clientId },
      tenantId: pathTenantId ?? verified.tenantId,
      admittedAt: verdict.now,
    };
  }

  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').enable('strict routing');
  app.set('query parser', 'simple').set('trust proxy', config.TRUST_PROXY);

  app.use((req: Request, res: Response, next: NextFunction) => {
    if (basePath && req.url.startsWith(`${basePath}/`)) req.url = req.url.slice(basePath.length);
    const { requestId, problem } = requestIdOf(req);
    res.setHeader('X-Request-Id', requestId);
    res.setHeader('Cache-Control', 'no-store');
    res.setHeader('X-Content-Type-Options', 'nosniff');
    observe(req, res, { logger, metrics });
    next(problem ?? undefined);
  });
  app.use(publicRoutes(probes, metrics));
  app.use(async (req: Request, res: Response, next: NextFunction) => {
    await passGates(req, res);
    next();
  });
  createExpressEndpoints(contract, toTsRestRouter(handlers), app, {
    responseValidation: true,
    requestValidationErrorHandler: (error, _req, _res, next) => next(error),
  });
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => answerError(error, req, res, logger));
  return app;
}
