import express, { type Express, type Request, type Response } from 'express';
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
