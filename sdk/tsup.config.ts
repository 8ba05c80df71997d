import { readFile } from 'node:fs/promises';
import { defineConfig, type Options } from 'tsup';

/**
 * Classes keep their names, for stack traces and console output. esbuild's own keepNames keeps those of functions too,
 * for 500 bytes more. Those of core are never seen.
 */
const classNames: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'class-names',
  setup(build) {
    build.onLoad({ filter: /(src|resources|objects)[\\/][^\\/]*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const named = `$& static { Object.defineProperty(this, 'name', { value: '$1' }); }`;
      return { loader: 'ts', contents: source.replace(/^export class (\w+)[^{]*\{/gm, named) };
    });
  },
};

const shared: Options = {
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'neutral',
  dts: { resolve: true },
  splitting: false,
  minify: true,
  sourcemap: true,
  esbuildPlugins: [classNames],
  // The signature is shared with the server and bundled, so that the package has no dependency.
  noExternal: [/^@tenant-open-platform\/contract/],
  esbuildOptions(options) {
    options.conditions = ['@tenant-open-platform/source'];
  },
};

export default defineConfig([
  { ...shared, entry: { index: 'src/index.ts' } },
  // Imports the client, whose errors it throws, instead of having a copy.
  { ...shared, entry: { objects: 'src/objects/index.ts' }, external: ['@tenant-open-platform/sdk'] },
  { ...shared, entry: { sign: 'src/sign.ts' } },
]);
