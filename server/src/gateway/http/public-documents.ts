import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Express } from 'express';
import { stringify } from 'yaml';
import { type ServedFile, servedFile } from './served-file.js';

/** Copied here by the build, so that they are part of the package. */
const documents = fileURLToPath(new URL('./documents', import.meta.url));
const readDocument = (name: string) => readFileSync(join(documents, name), 'utf8');

/** Descriptions of API and bus, the reference page and the guides. Like the probes they are outside /api/v1 and not signed. */
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
    const document = JSON.parse(readDocument('openapi.json'));
    return { ...document, servers: [{ ...document.servers[0], url: basePath || '/' }] };
  };
  addDocument(app, 'openapi', openApi);
  addDocument(app, 'asyncapi', () => JSON.parse(readDocument('asyncapi.json')));
  app.get(
    '/llms.txt',
    servedFile('text/plain', () => readDocument('llms.txt')),
  );
  if (referencePage) addPages(app);
  else addErrorsPage(app);
}

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

const onlyFromHere = ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "img-src 'self' data:"];
const nothingElse = ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];
const policyOfGuides = [...onlyFromHere, "style-src 'self'", ...nothingElse].join('; ');
/**
 * Nothing but this platform is loaded or called. Scalar writes its styles into the page, so they cannot be listed here;
 * without a foreign address to load from, a style leaks nothing.
 */
const policyOfReference = [...onlyFromHere, "font-src 'self'", "style-src 'self' 'unsafe-inline'", ...nothingElse].join(
  '; ',
);

const contentTypes: Record<string, string> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

/** Of a missing path that has a page: 16,000 slashes would make a page of 2 MB. */
const DEEPEST_PAGE = 10;

/** The pages and the files that they load, as built. */
const built = join(documents, 'pages');

const headersOfPage = (policy: string) => ({ 'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer' });

function builtPage(file: string, policy: string): ServedFile {
  const serve = builtFile(file, 'text/html');
  return (req, res) => {
    res.set(headersOfPage(policy));
    return serve(req, res);
  };
}

const builtFile = (file: string, contentType = contentTypes[extname(file)] ?? '') =>
  servedFile(contentType, () => readFileSync(join(built, file)));

/** The reference at /docs; below it the guides, and the files that these pages load. */
function addPages(app: Express): void {
  const files = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter(
    (path) => extname(path) in contentTypes,
  );
  const guides = readdirSync(join(built, 'guides')).map((file) => parse(file).name);
  const below = new Map([
    ...files.map((path) => [path, builtFile(path)] as const),
    ...guides.map((name) => [name, builtPage(`guides/${name}.html`, policyOfGuides)] as const),
  ]);
  app.get('/docs', builtPage('page.html', policyOfReference));
  app.get('/docs/', (_req, res) => res.redirect('../docs'));
  app.get('/docs/*path', (req, res, next) => {
    const serve = below.get(req.path.slice('/docs/'.length));
    return serve ? serve(req, res) : next();
  });
  const notFound = readFileSync(join(built, 'not-found.html'), 'utf8');
  app.get('/*path', (req, res, next) => {
    // Its links are relative, as on the guides: a proxy may serve the platform below a path.
    const depth = req.path.split('/').length - 2;
    if (depth > DEEPEST_PAGE || req.accepts(['json', 'html']) !== 'html') return next();
    const up = '../'.repeat(depth);
    res.status(404).set(headersOfPage(policyOfGuides)).type('html');
    res.send(notFound.replace(/(href|src)="/g, `$1="${up}docs/`));
  });
}

/** Without the reference page there are only the errors, because the SDK links to them. */
function addErrorsPage(app: Express): void {
  app.get('/docs/errors', builtPage('errors.html', policyOfGuides));
  app.get('/docs/guides.css', builtFile('guides.css'));
  app.get('/docs/icon.svg', builtFile('icon.svg'));
}
