import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapi from '@tenant-open-platform/contract/openapi.json' with { type: 'json' };
import { defineConfig, type Plugin } from 'vite';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** Says whose code is in the files: the server's build adds the licences. */
const listOfSources: Plugin = {
  name: 'list-of-sources',
  generateBundle(_options, bundle) {
    const sources = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
    const source = JSON.stringify(sources.map((path) => relative(folder, path)));
    this.emitFile({ type: 'asset', fileName: 'sources.json', source });
  },
};

const operationIds = Object.values(openapi.paths).flatMap((path) =>
  Object.values(path).flatMap(({ operationId }) => operationId ?? []),
);

export default defineConfig({
  define: { OPERATION_IDS: JSON.stringify(operationIds) },
  // A proxy may serve the platform below a path.
  base: './',
  resolve: {
    conditions: ['@tenant-open-platform/source', 'module', 'browser', 'development|production'],
    alias: { 'markdown-to-jsx/react': fileURLToPath(new URL('src/send/no-markdown.ts', import.meta.url)) },
  },
  plugins: [listOfSources],
  build: {
    target: 'es2023',
    // The server serves `console.html` as /console, so the page loads its files from /console/….
    assetsDir: 'console',
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: fileURLToPath(new URL('console.html', import.meta.url)),
      // "use client" means nothing here.
      onLog: (level, log, handle) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && handle(level, log),
    },
  },
});
