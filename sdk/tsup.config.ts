import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/index.ts', 'src/adapter.ts', 'src/sign.ts', 'src/testing.ts', 'src/webhooks.ts'],
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'neutral',
  dts: { resolve: true, compilerOptions: { stripInternal: true } },
  clean: true,
  // The signature code is shared with the server. Bundling it keeps the package free of dependencies.
  noExternal: ['@tenant-open-platform/contract'],
  // Only the adapter kit, which runs in Node.
  external: [/^node:/],
  removeNodeProtocol: false,
});
