import { defineConfig } from 'tsup';

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    bus: 'src/bus/index.ts',
    'bus-access': 'src/bus/access.ts',
    facts: 'src/facts.ts',
    'payload-schema': 'src/payload-schema/index.ts',
    signature: 'src/signature/index.ts',
    'strict-json': 'src/strict-json/index.ts',
  },
  // For the server, which bundles the library with its licence. Not published.
  external: [/^@hyperjump\//, 're2js'],
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  clean: true,
});
