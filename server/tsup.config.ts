import { defineConfig } from 'tsup';

export default defineConfig({
  entry: {
    main: 'src/main.ts',
    'embedded-worker': 'src/platform/database/embedded-worker.ts',
    'prepare-embedded': 'src/platform/database/prepare-embedded.ts',
  },
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  clean: true,
});
