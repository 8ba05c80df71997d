import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import type { Express } from 'express';
import { stringify } from 'yaml';
import { servedFile } from './served-file.js';

const { resolve } = createRequire(import.meta.url);
const contractFile = (name: string) => resolve(`@tenant-open-platform/contract/${name}`);
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

/** Descriptions of API and bus, and the reference page. Like the probes they are outside /api/v1 and not signed. */
export function addPublicDocuments(app: Express, options: { basePath: string; referencePage: boolean }): void {
  const { basePath, referencePage } = options;
  app.get('/', (_req, res) => {
    res.json({
      name: 'Tenant Open Platform',
      api: '/api/v1',
      openapi: '/openapi.json',
      asyncapi: '/asyncapi.json',
      ...(referencePage && { docs: '/docs' }),
    });
  });
  const openApi = () => {
    const document = readJson(contractFile('openapi.json'));
    return { ...document, servers: [{ ...document.servers[0], url: basePath || '/' }] };
  };
  addDocument(app, 'openapi', openApi);
  addDocument(app, 'asyncapi', () => readJson(contractFile('asyncapi.json')));
  app.get(
    '/llms.txt',
    servedFile('text/plain', () => readFileSync(contractFile('llms.txt'))),
  );
  addErrorsPage(app);
  if (referencePage) addReferencePage(app);
}

/** A description as JSON and as YAML. */
function addDocument(app: Express, name: string, read: () => object): void {
  app.get(
    `/${name}.json`,
    servedFile('application/json', () => JSON.stringify(read())),
  );
  app.get(
    `/${name}.yaml`,
    servedFile('application/yaml', () => stringify(read(), { aliasDuplicateObjects: false })),
  );
}

/** The page that the SDK's errors link to. It is there without the reference page, too. */
function addErrorsPage(app: Express): void {
  const serve = servedFile('text/html', () => readFileSync(resolve('@tenant-open-platform/reference/errors.html')));
  app.get('/docs/errors', (req, res) => {
    res.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
    return serve(req, res);
  });
}

/**
 * Nothing but this platform is loaded or called. Scalar writes its styles into the page, so they cannot be listed here;
 * without a foreign address to load from, a style leaks nothing.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const contentTypes: Record<string, string> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};

/** The page at /docs, and below it the files that it loads. */
function addReferencePage(app: Express): void {
  const page = resolve('@tenant-open-platform/reference/page.html');
  const folder = dirname(page);
  const isFile = (path: string) => extname(path) in contentTypes;
  const fileOf = (path: string) =>
    servedFile(contentTypes[extname(path)] ?? '', () => readFileSync(join(folder, path)));
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isFile);
  const files = new Map(paths.map((path) => [path, fileOf(path)]));
  const servePage = servedFile('text/html', () => readFileSync(page));

  app.get('/docs', (req, res) => {
    res.set({ 'Content-Security-Policy': contentSecurityPolicy, 'Referrer-Policy': 'no-referrer' });
    return servePage(req, res);
  });
  app.get('/docs/', (_req, res) => res.redirect('../docs'));
  app.get('/docs/*path', (req, res, next) => {
    const serve = files.get(req.path.slice('/docs/'.length));
    return serve ? serve(req, res) : next();
  });
}
