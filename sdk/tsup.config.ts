import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { defineConfig, type Options } from 'tsup';

type EsbuildPlugin = NonNullable<Options['esbuildPlugins']>[number];
type Plugin = NonNullable<Options['plugins']>[number];

/**
 * Classes keep their names, for stack traces and console output. esbuild's own keepNames keeps those of functions too,
 * for 500 bytes more. Those of core are never seen.
 */
const classNames: EsbuildPlugin = {
  name: 'class-names',
  setup({ onLoad }) {
    onLoad({ filter: /(src|resources)[\\/][^\\/]*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const named = `$& static { Object.defineProperty(this, 'name', { value: '$1' }); }`;
      return { loader: 'ts', contents: source.replace(/^export class (\w+)[^{]*\{/gm, named) };
    });
  },
};

/** The client loads its transfers from a file beside its own, and they import it from there: neither has a copy. */
const besideEachOther: EsbuildPlugin = {
  name: 'beside-each-other',
  setup({ initialOptions, onResolve }) {
    const extension = initialOptions.outExtension?.['.js'];
    onResolve({ filter: /^\.\.\/index\.js$/ }, () => ({ path: `./index${extension}`, external: true }));
    onResolve({ filter: /^\.\.\/objects\/index\.js$/ }, () => ({ path: `./objects${extension}`, external: true }));
  },
};

/** Not everything that runs CommonJS can import: Jest cannot. */
const requireInCommonJs: Plugin = {
  name: 'require-in-common-js',
  renderChunk(code) {
    if (this.format !== 'cjs') return;
    return { code: code.replace(/\bimport\((".+?")\)/g, 'Promise.resolve().then(() => require($1))') };
  },
};

/** What Rollup and terser write themselves is mapped to the file they read, by its path on this machine. */
const relativeSources: Plugin = {
  name: 'relative-sources',
  async buildEnd({ writtenFiles }) {
    for (const { name } of writtenFiles.filter(({ name }) => name.endsWith('.map'))) {
      const map = await readFile(name, 'utf8');
      await writeFile(name, map.replaceAll(`${path.resolve(path.dirname(name))}/`, ''));
    }
  },
};

export default defineConfig({
  entry: { index: 'src/index.ts', objects: 'src/objects/index.ts', sign: 'src/sign.ts' },
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'neutral',
  dts: { entry: { index: 'src/index.ts', sign: 'src/sign.ts' }, resolve: true },
  splitting: false,
  clean: true,
  // Rollup makes smaller CommonJS than esbuild, and terser leaves less of both formats.
  treeshake: true,
  minify: 'terser',
  sourcemap: true,
  terserOptions: { ecma: 2020, sourceMap: true },
  plugins: [requireInCommonJs, relativeSources],
  esbuildPlugins: [classNames, besideEachOther],
  // The signature is shared with the server and bundled, so that the package has no dependency.
  noExternal: [/^@tenant-open-platform\/contract/],
  esbuildOptions(options) {
    options.conditions = ['@tenant-open-platform/source'];
  },
});
