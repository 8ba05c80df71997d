import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { readinessOf } from '@tenant-open-platform/contract';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { ApiError } from '../../foundation/api-error.js';
import { shared } from '../../foundation/concurrency/shared-reads.js';
import type { Metrics } from '../../foundation/telemetry/metrics.js';
import { answerJson, commonHeaders, type Incoming, type Reply, UNREAD_MS } from './exchange.js';

/** What is outside /api/v1, for everybody and not signed. Express routes it by exact path. */
export function createSite(addRoutes: (app: Express) => void) {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').enable('strict routing');
  addRoutes(app);
  return (req: Incoming, reply: Reply, fail: (error: unknown) => void): void => {
    reply.socket?.setTimeout(UNREAD_MS);
    for (const [name, value] of Object.entries(commonHeaders(reply.locals.requestId))) reply.setHeader(name, value);
    app(req as Request, reply as unknown as Response, (error?: unknown) => fail(problemOfPath(error)));
  };
}

/** Without an error no route matched. Express throws, for example, where a path cannot be percent-decoded. */
function problemOfPath(error: unknown): unknown {
  const { status = error === undefined ? 404 : 500 } = (error ?? {}) as { status?: number };
  if (status === 400) return new ApiError('INVALID_TARGET', { message: 'The path is not validly percent-encoded.' });
  if (status > 400 && status < 500) {
    return new ApiError('NOT_FOUND', { message: 'There is no such path. The API is below /api/v1.' });
  }
  return error;
}

/** Not by Express, which would answer If-None-Match: * with a 304 without a body. */
const sendJson = (res: Response, body: object, status = 200) => answerJson(res as unknown as Reply, { status, body });

export type Probes = {
  /** Why the process cannot serve; null if it can. */
  unreadyReason(): Promise<string | null>;
};

/** Anyone may call the probes at any rate: the database is asked at most once a second. */
export function addProbes(app: Express, probes: Probes, metrics: Metrics): void {
  const unreadyReason = shared(() => probes.unreadyReason(), { forMs: 1_000 });
  const renderMetrics = shared(() => metrics.render(), { forMs: 1_000 });
  app.get('/livez', (_req, res) => sendJson(res, { status: 'live' }));
  app.get('/readyz', async (_req, res) => {
    const reason = await unreadyReason();
    sendJson(res, readinessOf(reason), reason === null ? 200 : 503);
  });
  app.get('/metrics', async (_req, res) => {
    res.type(metrics.contentType).end(await renderMetrics());
  });
}

/** The build puts them here, so that they are part of the package. */
const documents = fileURLToPath(new URL('./documents', import.meta.url));

/** Of a missing path that has a page: 16,000 slashes would make a page of 2 MB. */
const DEEPEST_PAGE = 10;

type Documents = { basePath: string; referencePage: boolean; consolePage: boolean };

/** The descriptions of API and bus, the console, and the reference page with the guides, or only the page of errors. */
export function addDocuments(app: Express, { basePath, referencePage, consolePage }: Documents): void {
  app.get('/', (_req, res) =>
    sendJson(res, {
      name: 'Tenant Open Platform',
      api: '/api/v1',
      openapi: '/openapi.json',
      asyncapi: '/asyncapi.json',
      ...(referencePage && { docs: '/docs' }),
      ...(consolePage && { console: '/console' }),
    }),
  );
  const files = new Map<string, RequestHandler>([
    ...publicFiles('descriptions', basePath),
    ...publicFiles(referencePage ? 'pages' : 'errors-page', basePath),
    ...(consolePage ? publicFiles('console', basePath) : []),
  ]);
  app.get('/*path', (req, res, next) => {
    const serve = files.get(req.path);
    return serve ? serve(req, res, next) : next();
  });
  if (consolePage) app.get('/console/', (_req, res) => res.redirect('../console'));
  if (!referencePage) return;
  app.get('/docs/', (_req, res) => res.redirect('../docs'));
  app.get('/docs/guides/:guide', ({ params: { guide } }, res, next) =>
    /^[a-z-]+$/.test(guide) && files.has(`/docs/${guide}`) ? res.redirect(`../${guide}`) : next(),
  );
  const notFound = readFileSync(join(documents, 'not-found.html'), 'utf8');
  app.get('/*path', (req, res, next) => {
    // Its links are relative, as on the guides: a proxy may serve the platform below a path.
    const depth = req.path.split('/').length - 2;
    if (depth > DEEPEST_PAGE || req.accepts(['json', 'html']) !== 'html') return next();
    const up = '../'.repeat(depth);
    res.status(404).set(headersOfPage(policyOfGuides)).type('html');
    res.send(notFound.replace(/(href|src)="/g, `$1="${up}docs/`));
  });
}

/** Each file by its path. The build has compressed every public file, and nothing else. */
const publicFiles = (folder: string, basePath: string) =>
  readdirSync(join(documents, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.br'))
    .map((name) => name.slice(0, -'.br'.length))
    .map((name) => [`/${name.replace(/\.html$/, '')}`, publicFile(join(documents, folder, name), basePath)] as const);

/** Every other file is a program of the guides, which nothing runs here: for Express, `.ts` is a video. */
const OF_PAGES = new Set(['.css', '.html', '.jpg', '.js', '.json', '.svg', '.txt']);

/** Read at the first request. */
function publicFile(file: string, basePath: string): RequestHandler {
  const type = extname(file) === '.yaml' ? 'application/yaml' : OF_PAGES.has(extname(file)) ? extname(file) : '.txt';
  const policy = policies[basename(file)] ?? policyOfGuides;
  const headers = { 'Cache-Control': 'no-cache', ...(type === '.html' && headersOfPage(policy)) };
  let content: { forms: Forms; etag: string } | undefined;
  return (req, res) => {
    content ??= read(file, basePath);
    const { forms, etag } = content;
    res.set({ ...headers, ETag: etag }).vary('Accept-Encoding');
    if (req.fresh) return void res.status(304).end();
    const encoding = (req.acceptsEncodings(Object.keys(forms)) || 'identity') as keyof Forms;
    if (encoding !== 'identity') res.set('Content-Encoding', encoding);
    res.type(type).send(forms[encoding]);
  };
}

type Forms = { br?: Buffer; gzip: Buffer; identity: Buffer };

/** In JSON and in YAML. */
const SERVER_URL = /("servers":\[\{"url":"|^servers:\n {2}- url: )\//m;

function read(file: string, basePath: string) {
  const forms = formsOf(file, basePath);
  // Weak: one tag for all encodings.
  return { forms, etag: `W/"${hash('sha256', forms.identity, 'base64url')}"` };
}

/** As built, but OpenAPI names the path prefix of the platform. */
function formsOf(file: string, basePath: string): Forms {
  if (basePath && /\/openapi\.\w+$/.test(file)) {
    const identity = Buffer.from(readFileSync(file, 'utf8').replace(SERVER_URL, (_, before) => before + basePath));
    return { gzip: gzipSync(identity), identity };
  }
  return { br: readFileSync(`${file}.br`), gzip: readFileSync(`${file}.gz`), identity: readFileSync(file) };
}

const onlyFromHere = "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self' data:";
const nothingElse = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const policyOfGuides = `${onlyFromHere}; style-src 'self'; ${nothingElse}`;
/**
 * Nothing but this platform is loaded or called. Scalar writes its styles into the page, so they cannot be listed here;
 * without a foreign address to load from, a style leaks nothing.
 */
const policyOfReference = `${onlyFromHere}; font-src 'self'; style-src 'self' 'unsafe-inline'; ${nothingElse}`;
/** Nothing turns a text into markup or into a program: see the errors of the browser where something tries. */
const policyOfConsole = `${policyOfGuides}; require-trusted-types-for 'script'; trusted-types 'none'`;
const policies: Record<string, string> = { 'docs.html': policyOfReference, 'console.html': policyOfConsole };

const headersOfPage = (policy: string) => ({
  'Content-Security-Policy': policy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
});
