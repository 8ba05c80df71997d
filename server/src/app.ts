import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Config } from './config.js';
import { ApiError, unavailable } from './foundation/api-error.js';
import { createPlaces } from './foundation/concurrency/limits-per-key.js';
import { onePerTick } from './foundation/concurrency/turns.js';
import type { Database } from './foundation/database/database.js';
import type { Peers } from './foundation/peers.js';
import type { Keyring } from './foundation/secrets/keyring.js';
import type { LogRefusal } from './foundation/telemetry/logger.js';
import type { Metrics } from './foundation/telemetry/metrics.js';
import { createDenialRecorder } from './gateway/audit/audit.js';
import { createAdmit } from './gateway/auth/admission.js';
import { createAuthenticate } from './gateway/auth/authenticate.js';
import type { LastUses } from './gateway/auth/last-uses.js';
import { addressOf } from './gateway/http/connections.js';
import { createCors } from './gateway/http/cors.js';
import {
  type Answer,
  answerJson,
  commonHeaders,
  createAnswerError,
  type Incoming,
  observe,
  type Reply,
  requestIdOf,
} from './gateway/http/exchange.js';
import { framingProblem } from './gateway/http/http-server.js';
import { addDocuments, addProbes, createSite, type Probes } from './gateway/http/site.js';
import { createRateLimits } from './gateway/limits/rate-limits.js';
import { findOperation } from './gateway/operation/find-operation.js';
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
  readiness: Probes;
};

/** Bytes of answers of a tenant that a process keeps until its clients read them. */
const MOST_UNREAD = 32 * 1_048_576;

/** The path of a request through the gates, in order. */
export function createApp(dependencies: AppDependencies) {
  const { peers, config, database, keyring, lastUses, router, logger, logRefusal, metrics, readiness } = dependencies;
  const { callHandler, createCommand } = router;
  const basePath = config.BASE_PATH ?? '';
  const limits = createRateLimits(config, peers);
  const bodyLimitBytes = config.BODY_LIMIT_BYTES;
  const authenticate = createAuthenticate({ database, keyring, limits, logger, bodyLimitBytes });
  const changeBytesPerDay = config.CHANGE_BYTES_PER_DAY_PER_TENANT;
  const admit = createAdmit({ database, limits, lastUses, changeBytesPerDay });
  const recordDenial = createDenialRecorder();
  const unread = createPlaces();
  const answerError = createAnswerError(logger);

  /** Throws to refuse a request. */
  async function answerOf(req: Incoming, reply: Reply): Promise<Answer> {
    const sender = await authenticate(req, reply.locals.address);
    reply.locals.tenantId = sender.tenantId;
    const match = findOperation(req.method, req.url);
    const signed = { req, reply, sender, match };
    if (match.operation) reply.locals.operation = match.operation.name;
    if (match.operation?.name === 'commands.create') return createCommand(signed, admit);
    const { operation, call } = await admit(signed);
    const requireWanted = () => {
      if (reply.destroyed) throw unavailable('The client has gone. Nothing was done.', 1);
      if (unread.countOf(sender.tenantId) > MOST_UNREAD) throw tooMuchUnread();
    };
    requireWanted();
    // A replayed request must not have a large body parsed.
    return callHandler(operation, { req, reply, params: match.params, body: sender.body, requireWanted }, call);
  }

  const cors = createCors(config.CORS_ORIGINS);
  const site = createSite((app) => {
    if (config.PROBES_PORT === undefined) addProbes(app, readiness, metrics);
    addDocuments(app, { basePath, referencePage: config.REFERENCE_PAGE, consolePage: config.CONSOLE });
  });
  /** Queues requests that cost their sender nothing: unsigned requests, and refusals before admission. */
  const perTick = onePerTick();
  /** A queue of its own: a flood at the API's address must not delay the probes at another address. */
  const probesPerTick = onePerTick();
  const probesSite = createSite((app) => addProbes(app, readiness, metrics));

  type Serve = (req: Incoming, reply: Reply, fail: (error: unknown) => void) => void;

  /** The first step of every request: observes it and refuses bad framing. */
  function receive(request: IncomingMessage, response: ServerResponse, serve: Serve): void {
    const req = request as Incoming;
    const ids = requestIdOf(req);
    const { requestId } = ids;
    const address = addressOf(req, config.TRUST_PROXY);
    const reply: Reply = Object.assign(response, { locals: { ...ids, address } });
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
    const refusal = framingProblem(req);
    if (refusal) fail(refusal);
    else serve(req, reply, fail);
  }

  return {
    serve(request: IncomingMessage, response: ServerResponse): void {
      if (basePath && request.url?.startsWith(`${basePath}/`)) request.url = request.url.slice(basePath.length);
      const isPreflight = isForPages(request.url ?? '') && cors(request, response);
      receive(request, response, (req, reply, fail) => {
        if (isPreflight) perTick(() => reply.writeHead(204, commonHeaders(reply.locals.requestId)).end());
        else if (isOutsideApi(req.url)) perTick(() => site(req, reply, fail));
        else if (config.ROLE === 'worker') fail(noApiHere());
        else {
          answerOf(req, reply)
            .then((answer) => {
              answerJson(reply, answer);
              if (reply.writableLength === 0) return;
              const giveBack = unread.take(reply.locals.tenantId ?? '', reply.writableLength);
              if (giveBack) reply.once('close', giveBack);
            })
            .catch(fail);
        }
      });
    },
    /** Serves probes and metrics on a separate address. */
    serveProbes: (request: IncomingMessage, response: ServerResponse) =>
      receive(request, response, (...received) => probesPerTick(() => probesSite(...received))),
  };
}

/** An absolute URL, `*`, `//host` and `/API` are not outside the API: the grammar of targets refuses them. */
const isOutsideApi = (target: string) => /^\/(?!\/|api(\/|\?|$))/i.test(target);

/** Pages of other origins may read the API and its descriptions, never probes and metrics. */
const isForPages = (target: string) => !isOutsideApi(target) || /^\/(openapi|asyncapi)\./.test(target);

const tooMuchUnread = () =>
  new ApiError('RATE_LIMITED', {
    message:
      '32 MiB of responses of this node wait for clients of the tenant that do not receive them. Receive them first.',
    metadata: { quota: 'unread', limit: MOST_UNREAD },
    headers: { 'Retry-After': '1' },
  });

const noApiHere = () =>
  new ApiError('SERVICE_UNAVAILABLE', {
    message: 'This process is a worker and answers no requests. Ask one whose ROLE is api or all.',
  });
