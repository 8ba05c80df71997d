import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorCode } from '@tenant-open-platform/contract';
import type { Logger } from 'pino';
import type { Config } from './config.js';
import { ApiError, refuse } from './foundation/api-error.js';
import { onePerTick } from './foundation/concurrency/turns.js';
import type { Database } from './foundation/database/database.js';
import { asTenant } from './foundation/database/row-level-security.js';
import type { Peers } from './foundation/peers.js';
import type { Keyring } from './foundation/secrets/keyring.js';
import type { LogRefusal } from './foundation/telemetry/logger.js';
import type { Metrics } from './foundation/telemetry/metrics.js';
import { createDenialRecorder } from './gateway/audit/audit.js';
import { authorize, createAdmit } from './gateway/auth/admission.js';
import { createAuthenticate } from './gateway/auth/authenticate.js';
import type { LastUses } from './gateway/auth/last-uses.js';
import { addressOf } from './gateway/http/connections.js';
import { createCors } from './gateway/http/cors.js';
import { createEndpoints } from './gateway/http/endpoints.js';
import {
  type Answer,
  answerJson,
  commonHeaders,
  createAnswerError,
  type Incoming,
  observe,
  parseBody,
  type Reply,
  requestIdOf,
} from './gateway/http/exchange.js';
import { framingProblem } from './gateway/http/http-server.js';
import { addDocuments, addProbes, createSite, type Probes } from './gateway/http/site.js';
import { createRateLimits } from './gateway/limits/rate-limits.js';
import type { CallOf } from './gateway/operation/call.js';
import { findOperation, pathOf } from './gateway/operation/find-operation.js';
import type { Router } from './router.js';

export type AppDependencies = {
  peers: Peers;
  config: Config;
  database: Database;
  keyring: Keyring;
  lastUses: LastUses;
  router: Router;
  logger: Logger;
  logRefusal: LogRefusal;
  metrics: Metrics;
  probes: Probes;
};

/** The path of a request through the gates, in order. */
export function createApp(dependencies: AppDependencies) {
  const { peers, config, database, keyring, lastUses, router, logger, logRefusal, metrics, probes } = dependencies;
  const { handlers, shortcuts } = router;
  const basePath = config.BASE_PATH ?? '';
  const quotas = {
    requestsPerMinute: config.REQUESTS_PER_MINUTE,
    requestsPerMinutePerTenant: config.REQUESTS_PER_MINUTE_PER_TENANT,
    failedAuthenticationsPerMinute: config.FAILED_AUTHENTICATIONS_PER_MINUTE,
  };
  const limits = createRateLimits(quotas, peers);
  const bodyLimitBytes = config.BODY_LIMIT_BYTES;
  const authenticate = createAuthenticate({ database, keyring, limits, logger, bodyLimitBytes });
  const admit = createAdmit(database, limits, lastUses);
  const recordDenial = createDenialRecorder();
  const answerError = createAnswerError(logger);
  const endpoints = createEndpoints(handlers, keyring);

  /** Throws to refuse a request. The gates come first: a request that a shortcut carries out needs no endpoint. */
  async function answerOf(req: Incoming, reply: Reply): Promise<Answer> {
    const { locals } = reply;
    const sender = await authenticate(req, locals.address);
    const { tenantId, clientId } = sender;
    locals.tenantId = tenantId;
    const match = findOperation(req.method, req.url);
    const name = match.operation?.name ?? 'none';
    if (match.operation) locals.operation = name;
    const parse = () => parseBody(req.headers['content-type'], sender.body, match.operation?.largeBody?.depth);
    const { requestId, traceparent } = locals;
    const shortcutOf = match.operation && shortcuts[match.operation.name];
    // Only a shortcut needs the body before admission: a replayed request must not have a large one parsed.
    const early = shortcutOf && parse();
    const request = early && !early.problem && { target: req.url, tenantId, requestId, traceparent, body: early.value };
    const shortcut = (request && shortcutOf(request)) || null;
    const { verdict, answer: ofShortcut } = await admit(sender, match, shortcut, locals);
    const ofTenant = match.params.tenant_id ?? tenantId;
    const call: CallOf<ErrorCode> = {
      operation: name,
      requestId,
      traceparent,
      path: pathOf(req.url).slice('/api/v1/'.length),
      caller: { tenantId, clientId },
      sourceAddress: locals.address || null,
      tenantId: ofTenant,
      admittedAt: new Date(verdict.now_ms),
      asTenant: (work, id = ofTenant) => asTenant(database, id, work),
      onClosed: (stop) => void (reply.destroyed ? stop() : reply.once('close', stop)),
      countRequest: () => limits.countRequest(sender, verdict),
      changeBytesPerDay: config.CHANGE_BYTES_PER_DAY_PER_TENANT,
      refuse,
    };
    locals.call = call;
    limits.countBytes(sender, sender.body.length);
    reply.once('close', () => limits.countBytes(sender, reply.locals.answerBytes ?? 0));
    const operation = authorize(verdict, match, tenantId);
    const { problem, value: body } = early ?? parse();
    if (problem) throw problem;
    if (ofShortcut instanceof ApiError) throw ofShortcut;
    locals.mayHaveChanged = req.method !== 'GET';
    return ofShortcut ?? endpoints[operation.name](req, reply, { params: match.params, body }, call);
  }

  const cors = createCors(config.CORS_ORIGINS);
  const hasOwnProbes = config.PROBES_PORT !== undefined;
  const site = createSite((app) => {
    if (!hasOwnProbes) addProbes(app, probes, metrics);
    addDocuments(app, { basePath, referencePage: config.REFERENCE_PAGE, consolePage: config.CONSOLE });
  });
  /** Queues requests that cost their sender nothing: unsigned requests, and refusals before admission. */
  const perTick = onePerTick();
  /** A queue of its own: a flood at the API's address must not delay the probes at another address. */
  const probesPerTick = onePerTick();
  const probesSite = createSite((app) => addProbes(app, probes, metrics));

  /** The first step of every request: observes it and refuses bad framing. Null if it was refused. */
  function receive(request: IncomingMessage, response: ServerResponse) {
    const req = request as Incoming;
    const { requestId, problem } = requestIdOf(req);
    const address = addressOf(req, config.TRUST_PROXY);
    const reply: Reply = Object.assign(response, { locals: { requestId, address } });
    observe(req, reply, { logger, logRefusal, metrics });
    const fail = (error: unknown): void => {
      const answer = () => {
        try {
          answerError(error, reply);
        } catch {
          reply.destroy();
        }
      };
      void recordDenial(error, reply.locals.call)
        .catch((err: unknown) =>
          logger.error({ err, request_id: requestId }, 'a denial was not written to the audit log'),
        )
        .then(() => (reply.locals.call ? answer() : perTick(answer)));
    };
    const refusal = framingProblem(req) ?? problem;
    if (!refusal) return { req, reply, fail };
    fail(refusal);
    return null;
  }

  return {
    serve(request: IncomingMessage, response: ServerResponse): void {
      if (basePath && request.url?.startsWith(`${basePath}/`)) request.url = request.url.slice(basePath.length);
      const isPreflight = isForPages(request.url ?? '') && cors(request, response);
      const received = receive(request, response);
      if (!received) return;
      const { req, reply, fail } = received;
      if (isPreflight) perTick(() => reply.writeHead(204, commonHeaders(reply.locals.requestId)).end());
      else if (isOutsideApi(req.url)) perTick(() => site(req, reply, fail));
      else if (config.ROLE === 'worker') fail(noApiHere());
      else {
        answerOf(req, reply)
          .then((answer) => answerJson(reply, answer))
          .catch(fail);
      }
    },
    /** Serves probes and metrics on a separate address. */
    serveProbes(request: IncomingMessage, response: ServerResponse): void {
      const received = receive(request, response);
      if (!received) return;
      const { req, reply, fail } = received;
      probesPerTick(() => probesSite(req, reply, fail));
    },
  };
}

/** An absolute URL, `*`, `//host` and `/API` are not outside the API: the grammar of targets refuses them. */
const isOutsideApi = (target: string) => /^\/(?!\/|api(\/|\?|$))/i.test(target);

/** Pages of other origins may read the API and its descriptions, never probes and metrics. */
const isForPages = (target: string) => !isOutsideApi(target) || /^\/(openapi|asyncapi)\./.test(target);

const noApiHere = () =>
  new ApiError('SERVICE_UNAVAILABLE', {
    message: 'This process is a worker and answers no requests. Ask one whose ROLE is api or all.',
  });
