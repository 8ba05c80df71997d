import { defineConfig, type Options } from 'tsup';

const shared: Options = {
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'neutral',
  dts: { resolve: true },
  splitting: false,
  minify: true,
  sourcemap: true,
  // The signature is shared with the server and bundled, so that the package has no dependency.
  noExternal: [/^@tenant-open-platform\/contract/],
  esbuildOptions(options) {
    options.conditions = ['@tenant-open-platform/source'];
  },
};

export default defineConfig([
  // Classes keep their names, for stack traces and console output.
  { ...shared, entry: { index: 'src/index.ts' }, keepNames: true },
  { ...shared, entry: { sign: 'src/sign.ts' } },
]);
