import { defineElements } from './elements.js';
import { type Document, prepareExamples, renewKeys, useIdsOf } from './examples.js';
import { createApiReference } from './scalar/standalone.esm.js';
import { createSignedFetch } from './signed-fetch.js';

/** Wherever a proxy serves it, the page is beside openapi.json and above api/v1. */
const baseUrl = new URL('.', location.href).href;
const signedFetch = createSignedFetch(baseUrl);

/** As the platform serves it. */
let original: Document = { paths: {} };

/** The document for this page: it names the platform that serves it, and the page signs in place of the reader. */
async function loadDocument(url: string): Promise<Response> {
  const response = await fetch(url);
  if (!response.ok) return response;
  const { security, ...document } = await response.json();
  const { securitySchemes, ...components } = document.components;
  original = structuredClone(document);
  prepareExamples(document);
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

createApiReference('#reference', {
  url: `${baseUrl}openapi.json`,
  customFetch: (input: RequestInfo | URL, init?: RequestInit) =>
    String(input) === `${baseUrl}openapi.json` ? loadDocument(String(input)) : signedFetch(input, init),
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
  persistAuth: false,
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
});
