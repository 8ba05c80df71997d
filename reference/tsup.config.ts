import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/page.ts', 'src/search.ts', 'src/copy.ts'],
  format: 'esm',
  target: 'es2022',
  platform: 'browser',
  minify: true,
  clean: true,
  noExternal: [/^@tenant-open-platform\//],
  external: [/^\.\/scalar\//],
});
