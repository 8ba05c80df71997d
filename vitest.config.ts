import { defineConfig } from 'vitest/config';

/** The workspace's packages are tested from their sources; only the server runs as built, in processes of its own. */
const conditions = ['@tenant-open-platform/source', 'module', 'node', 'development|production'];

const outside = ['**/node_modules/**', '**/dist/**', '.tools/**'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    globalSetup: './testing/src/global-setup.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Most files wait for the server, not for a core: with vitest's default of one worker on two cores they took 3 times as long.
    maxWorkers: 3,
    include: ['**/*.test.ts'],
    projects: [
      { extends: true, test: { name: 'local', exclude: [...outside, '**/*.full.test.ts'] } },
      { extends: true, test: { name: 'full', exclude: outside } },
    ],
  },
});
