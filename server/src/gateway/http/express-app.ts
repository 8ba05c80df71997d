import express, { type Express, type Request, type Response } from 'express';
import { ApiError } from '../../foundation/api-error.js';
import { commonHeaders, type Incoming, type Reply } from './exchange.js';

/** A part of the API that Express routes by exact path. */
export function expressApp(addRoutes: (app: Express) => void) {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').enable('strict routing');
  app.set('query parser', 'simple');
  // Every answer is `no-store`. Without this, If-None-Match: * would turn one into a 304 without a body.
  Object.defineProperty(app.request, 'fresh', { value: false });
  addRoutes(app);
  /** `otherwise` is called with the error that a route threw, or with nothing if no route matches. */
  return (req: Incoming, reply: Reply, otherwise: (error: unknown) => void): void => {
    for (const [name, value] of Object.entries(commonHeaders(reply.locals.requestId))) reply.setHeader(name, value);
    app(req as Request, reply as unknown as Response, otherwise);
  };
}

/** What the caller of a public path gets: Express throws, for example, where a path cannot be percent-decoded. */
export function problemOfPath(error: unknown): unknown {
  const { status = error === undefined ? 404 : 500 } = (error ?? {}) as { status?: number };
  if (status === 400) return new ApiError('INVALID_TARGET', { message: 'The path is not validly percent-encoded.' });
  if (status > 400 && status < 500) {
    return new ApiError('NOT_FOUND', { message: 'There is no such path. The API is below /api/v1.' });
  }
  return error;
}
