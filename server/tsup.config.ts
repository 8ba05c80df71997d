import { defineConfig } from 'tsup';

export default defineConfig({
  entry: {
    main: 'src/main.ts',
    'embedded-worker': 'src/platform/database/embedded-worker.ts',
    'prepare-embedded': 'src/platform/database/prepare-embedded.ts',
  },
  // A package does not carry pnpm's patches of these drivers; a bundle does.
  noExternal: ['postgres', /^drizzle-orm/, /^@nats-io\//],
  // The code of @nats-io calls require().
  banner: {
    js: "import { createRequire as createRequireOf } from 'node:module'; const require = createRequireOf(import.meta.url);",
  },
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  clean: true,
});
