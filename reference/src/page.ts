import { makeAccessible } from './accessible.js';
import { defineElements } from './elements.js';
import { type Document, prepareExamples, renewKeys, useIdsOf } from './examples.js';
import { createSignedFetch } from './signed-fetch.js';
import { addSnippets, type SigningCode } from './snippets.js';

/** Wherever a proxy serves it, the page is beside openapi.json and above api/v1. */
const baseUrl = new URL('.', location.href).href;
const signedFetch = createSignedFetch(baseUrl);

/** As the platform serves it. */
let original: Document = { paths: {} };

async function read(url: string) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return response.json();
}

/** Scalar says that it has loaded a document even if it has not. */
let hasDocument = false;
const loading = document.querySelector<HTMLElement>('.top-loading');

/** The script of the reference, or its document, did not arrive. */
function sayNoAnswer(): void {
  if (loading) loading.textContent = 'The platform does not answer. Reload this page when it runs again.';
}

/** The document for this page: it names the platform that serves it, and the page signs in place of the reader. */
async function loadDocument(url: string): Promise<Response> {
  const [{ security, ...document }, code] = await Promise.all([read(url), read(`${baseUrl}docs/signing-code.json`)]);
  const { securitySchemes, ...components } = document.components;
  original = structuredClone(document);
  addSnippets(document, code as SigningCode);
  prepareExamples(document);
  hasDocument = true;
  return Response.json({ ...document, components, servers: [{ url: baseUrl.slice(0, -1) }] });
}

type Received = { response: Response; document: Document; operation: Document['paths'][string][string] };

/** `document` is what the page shows, so these changes show in its fields. */
async function updateExamples({ response, document, operation }: Received): Promise<void> {
  if (!response.ok) return;
  renewKeys(operation);
  // It names the caller, whose own credential no example should change.
  if (operation.operationId === 'me.get') return;
  useIdsOf(await response.json(), operation, response.status, original, document);
}

defineElements();
makeAccessible(document.body);

const documentFor = (url: string) =>
  loadDocument(url).catch((error) => {
    sayNoAnswer();
    throw error;
  });

const configuration = {
  url: `${baseUrl}openapi.json`,
  customFetch: (input: RequestInfo | URL, init?: RequestInit) =>
    String(input) === `${baseUrl}openapi.json` ? documentFor(String(input)) : signedFetch(input, init),
  // The search of the bar finds the guides, too.
  hideSearch: true,
  documentDownloadType: 'direct',
  plugins: [
    () => ({
      name: 'signature',
      extensions: [],
      views: { 'content.start': [{ component: 'top-credential' }] },
      apiClientPlugins: [
        {
          hooks: { responseReceived: updateExamples },
          components: { request: { component: 'top-credential' }, response: { component: 'top-signed-request' } },
        },
      ],
    }),
  ],
  hiddenClients: true,
  hideClientButton: true,
  showDeveloperTools: 'never',
  onLoaded: () => hasDocument && loading?.remove(),
  persistAuth: false,
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
};

/** Nothing of Scalar is there before its script: until then, the page says that it loads. */
import('./scalar/standalone.esm.js').then(
  ({ createApiReference }) => createApiReference('#reference', configuration),
  sayNoAnswer,
);

/** Its address is that of an operation, so the link moves the focus alone. */
document.querySelector('.skip-link')?.addEventListener('click', (event) => {
  const content = document.querySelector<HTMLElement>('#reference main');
  if (!content) return;
  event.preventDefault();
  content.tabIndex = -1;
  content.focus();
});
