import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { contract } from '@tenant-open-platform/contract';
import { EMPTY_BODY_SHA256, stringToSign, targetProblem } from '@tenant-open-platform/contract/signature';
import { createExpressEndpoints } from '@ts-rest/express';
import type { Logger } from 'pino';
import type { Config } from './config.js';
import { denialRecorder } from './platform/audit/denials.js';
import { admission, hashNonce } from './platform/auth/admission.js';
import { readAuthHeaders } from './platform/auth/auth-headers.js';
import { refuseUnlessFresh, refuseUnlessPermitted, unauthenticated } from './platform/auth/judge.js';
import { rateLimits } from './platform/auth/rate-limits.js';
import { signatureVerifier } from './platform/auth/signing-keys.js';
import type { Database } from './platform/database/database.js';
import { addressOf } from './platform/http/address.js';
import { answerError } from './platform/http/answer-error.js';
import { ApiError } from './platform/http/api-error.js';
import { parseBody, readBody } from './platform/http/body.js';
import { answerJson, type Incoming, type Reply } from './platform/http/exchange.js';
import { expressApp } from './platform/http/express-app.js';
import { findOperation, pathOf } from './platform/http/find-operation.js';
import { toTsRestRouter } from './platform/http/handler.js';
import { type Probes, publicRoutes } from './platform/http/public-routes.js';
import { requestIdOf } from './platform/http/request-id.js';
import type { Keyring } from './platform/secrets/keyring.js';
import type { Metrics } from './platform/telemetry/metrics.js';
import { observe } from './platform/telemetry/observe.js';
import type { Router } from './router.js';

export type AppDependencies = {
  config: Config;
  database: Database;
  keyring: Keyring;
  router: Router;
  logger: Logger;
  metrics: Metrics;
  probes: Probes;
};

/** The whole way of a request, in order. */
export function createApp({ config, database, keyring, router, logger, metrics, probes }: AppDependencies) {
  const { handlers, fastCommands } = router;
  const limits = rateLimits({
    requestsPerMinute: config.REQUESTS_PER_MINUTE,
    failedAuthenticationsPerMinute: config.FAILED_AUTHENTICATIONS_PER_MINUTE,
  });
  const basePath = config.BASE_PATH;
  const verifySignature = signatureVerifier(database, keyring);
  const admit = admission(database);
  const recordDenial = denialRecorder(database);

  /**
   * Refuses by throwing. What passes is authentic, fresh and permitted, and its body is one unambiguous value. Answers
   * what the admission itself carried out.
   */
  async function passGates(req: Incoming, reply: Reply) {
    const { requestId } = reply.locals;
    const problem = targetProblem(req.url);
    if (problem) throw new ApiError('INVALID_TARGET', { message: `The request target is not valid: ${problem}.` });
    const headers = readAuthHeaders(req);
    const address = addressOf(req, config.TRUST_PROXY);
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

    const match = findOperation(req.method, req.url);
    const operation = match.found === 'operation' ? match.operation : null;
    const pathTenantId = match.found === 'operation' ? match.pathTenantId : null;
    if (operation) reply.locals.operation = operation.name;
    const applicant = {
      ...verified,
      clientId: headers.clientId,
      timestamp: headers.timestamp,
      nonceHash: hashNonce(headers.nonce),
      scope: operation?.scope ?? null,
      grantingRoles: operation?.grantingRoles ?? [],
      pathTenantId,
    };
    const parsed = parseBody(req.headers['content-type'], body);
    const command =
      operation?.name === 'commands.create' && !parsed.problem
        ? fastCommands.prepare(req.url, parsed.value, requestId)
        : null;
    const release = command && (await limits.reserve(headers.clientId));
    try {
      reply.locals.mayHaveChanged = release !== null;
      const { verdict, answer } =
        command && release
          ? await fastCommands.admit(applicant, command)
          : { verdict: await admit(applicant), answer: null };
      if (!verdict.isLive) {
        await limits.countFailure(address);
        throw unauthenticated(signed);
      }
      refuseUnlessFresh(verdict);
      // Only now: whoever replays a request, or holds a dead secret, must not spend what is the credential's own.
      limits.rememberVerified(address, headers.clientId);
      await limits.countRequest(headers.clientId, { refuse: answer === null });
      reply.locals.call = {
        operation: operation?.name ?? 'none',
        requestId,
        path: pathOf(req.url).slice('/api/v1/'.length),
        caller: { tenantId: verified.tenantId, clientId: headers.clientId },
        tenantId: pathTenantId ?? verified.tenantId,
        admittedAt: verdict.now,
      };
      refuseUnlessPermitted(verdict, match, verified.tenantId);

      if (parsed.problem) throw parsed.problem;
      req.body = parsed.value;
      reply.locals.mayHaveChanged = req.method !== 'GET';
      return answer;
    } finally {
      release?.();
    }
  }

  const site = publicRoutes(probes, metrics);
  const endpoints = expressApp((app) =>
    createExpressEndpoints(contract, toTsRestRouter(handlers), app, {
      responseValidation: true,
      requestValidationErrorHandler: (error, _req, _res, next) => next(error),
    }),
  );

  /** The gates come before Express: what admission itself carries out never pays for routing. */
  return function serve(request: IncomingMessage, response: ServerResponse): void {
    const req = request as Incoming;
    const { requestId, problem } = requestIdOf(req);
    const reply: Reply = Object.assign(response, { locals: { requestId } });
    observe(req, reply, logger, metrics);
    const refuse = (error: unknown): void => {
      void recordDenial(error, reply.locals.call)
        .catch((err: unknown) => logger.error({ err, request_id: requestId }, 'a denial was not entered in the log'))
        .then(() => answerError(error, reply, logger))
        .catch(() => reply.destroy());
    };
    if (problem) return refuse(problem);
    if (basePath && req.url.startsWith(`${basePath}/`)) req.url = req.url.slice(basePath.length);

    const serveSigned = async (): Promise<void> => {
      if (config.ROLE === 'worker') return refuse(noApiHere());
      await passGates(req, reply)
        .then((answer) => (answer ? answerJson(reply, answer) : endpoints(req, reply, refuse)))
        .catch(refuse);
    };
    if (req.url.startsWith('/api/')) void serveSigned();
    else site(req, reply, (error) => (error ? refuse(error) : void serveSigned()));
  };
}

const noApiHere = () =>
  new ApiError('SERVICE_UNAVAILABLE', {
    message: 'This process carries commands and answers no requests. Ask one whose ROLE is api or all.',
  });
