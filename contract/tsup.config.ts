import { defineConfig } from 'tsup';

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    bus: 'src/bus/index.ts',
    'bus-access': 'src/bus/access.ts',
    signature: 'src/signature/index.ts',
    'strict-json': 'src/strict-json/index.ts',
  },
  format: 'esm',
  target: 'node20',
  // The SDK bundles strict-json, and knows Node's modules by this prefix.
  removeNodeProtocol: false,
  sourcemap: true,
  clean: true,
});
