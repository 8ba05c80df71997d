import { createRequire } from 'node:module';
import { defineConfig } from 'vitest/config';

/** The workspace's packages are tested from their sources. Only the server runs as built, in separate processes. */
const conditions = ['@tenant-open-platform/source', 'module', 'node', 'development|production'];

const globalSetup = './testing/src/global-setup.ts';
const outside = ['**/node_modules/**', '**/dist/**', '.tools/**'];
const all = '**/*.test.ts';
const unit = ['**/*.unit.test.ts', 'sdk/src/**/*.test.ts'];
const e2e = '**/*.e2e.test.ts';
const hostile = '**/*.hostile.test.ts';
/** Breaks one machine after the other of a whole cluster. Needs haproxy. */
const cluster = '**/*.cluster.test.ts';
/** Installs other JavaScript runtimes and runs the SDK in them. */
const runtimes = '**/*.runtimes.test.ts';
/** Installs Schemathesis from PyPI and sends generated requests to every operation. */
const schemathesis = '**/*.schemathesis.test.ts';
/** Compiles and runs the signing code and the generated clients of other languages. */
const clients = '**/*.clients.test.ts';
/** Packs all packages as a release does, and installs them from npm in an empty folder. */
const release = '**/*.release.test.ts';
/** Sends every operation from the reference page in a browser: 5 s of CPU for each. */
const page = '**/*.page.test.ts';
/** Builds and runs the image, and checks the files of `deploy`. */
const image = '**/*.image.test.ts';
/** What may depend on the version of Node: sockets, HTTP, crypto, fetch, terminals, processes and packages. */
export const dependsOnNode = [
  'contract/src/signature/*.test.ts',
  'server/src/foundation/secrets/*.test.ts',
  'server/src/gateway/http/*.test.ts',
  'server/src/gateway/auth/golden-vectors.test.ts',
  'sdk/**/*.test.ts',
  'cli/src/*.embedded.test.ts',
  'cli/src/input/*.test.ts',
  'cli/src/output/*.test.ts',
  'cli/src/session/*.test.ts',
  'examples/**/*.embedded.test.ts',
  'testing/src/start.embedded.test.ts',
];
/** Needs several processes, a real Postgres or NATS, or programs of Debian. */
const full = '**/*.full.test.ts';
/** The promises of a seam, the database or the bus, which each engine must keep: in `local` and in `full`. */
const conformance = '**/*.conformance.test.ts';
/** The suffix of a file says what its tests need. */
const otherProjects = [...outside, full, hostile, cluster, runtimes, schemathesis, clients, release, page, image];

export default defineConfig({
  resolve: {
    conditions,
    // The files of its `module` build have no suffix in their imports: Node cannot load them.
    alias: { '@opentelemetry/api': createRequire(new URL('server/', import.meta.url)).resolve('@opentelemetry/api') },
  },
  ssr: { resolve: { conditions } },
  test: {
    // They end what hangs. Nothing else depends on them.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    // Most files wait for the server, not for a core: with vitest's default of one worker on two cores they took 3
    // times as long, and with three workers a quarter of the two cores was idle.
    maxWorkers: 4,
    projects: [
      // The contract takes half a second to import: once for each worker instead of once for each of 66 files.
      { extends: true, test: { name: 'unit', isolate: false, include: unit, exclude: [...outside, e2e] } },
      {
        extends: true,
        test: {
          name: 'local',
          // The tests of topctl run what npm gets: see cli/test/topctl.ts.
          env: { TESTED_TOPCTL: 'built' },
          isolate: false,
          globalSetup,
          include: [all],
          exclude: [...otherProjects, '**/*.unit.test.ts', 'sdk/src/**/!(*.e2e).test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'node',
          env: { TESTED_TOPCTL: 'built' },
          isolate: false,
          globalSetup,
          include: dependsOnNode,
          exclude: otherProjects,
        },
      },
      { extends: true, test: { name: 'full', globalSetup, include: [full, conformance], exclude: outside } },
      { extends: true, test: { name: 'hostile', include: [hostile], exclude: outside } },
      { extends: true, test: { name: 'cluster', include: [cluster], exclude: outside } },
      {
        extends: true,
        test: {
          name: 'runtimes',
          globalSetup,
          include: [runtimes],
          exclude: outside,
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      { extends: true, test: { name: 'schemathesis', globalSetup, include: [schemathesis], exclude: outside } },
      { extends: true, test: { name: 'clients', globalSetup, include: [clients], exclude: outside } },
      { extends: true, test: { name: 'release', include: [release], exclude: outside, hookTimeout: 300_000 } },
      { extends: true, test: { name: 'page', globalSetup, include: [page], exclude: outside } },
      {
        extends: true,
        test: { name: 'image', include: [image], exclude: outside, testTimeout: 300_000, hookTimeout: 900_000 },
      },
    ],
  },
});
