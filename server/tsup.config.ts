import { defineConfig } from 'tsup';

export default defineConfig({
  entry: {
    main: 'src/main.ts',
    program: 'src/program.ts',
    'embedded-worker': 'src/foundation/database/embedded-worker.ts',
    'prepare-embedded': 'scripts/prepare-embedded.ts',
  },
  // tsup bundles everything but `dependencies`. The package carries neither this workspace nor pnpm's patches; a bundle
  // has both. The embedded database stays outside: it loads files beside its code.
  metafile: true,
  // Bundled CommonJS calls require().
  banner: {
    js: "import { createRequire as createRequireOf } from 'node:module'; const require = createRequireOf(import.meta.url);",
  },
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  clean: true,
});
