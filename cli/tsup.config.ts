import { defineConfig } from 'tsup';

export default defineConfig({
  // tsup bundles everything but `dependencies`: topctl starts faster, and npm installs less. The package of the completion
  // has no licence text, so it stays outside. The tests run `app`: what they prove holds for what npm gets.
  entry: { bin: 'src/bin.ts', app: 'src/app.ts' },
  metafile: true,
  // Bundled CommonJS calls require().
  banner: {
    js: "import { createRequire as createRequireOf } from 'node:module'; const require = createRequireOf(import.meta.url);",
  },
  format: 'esm',
  platform: 'node',
  target: 'node20',
  splitting: true,
  clean: true,
});
