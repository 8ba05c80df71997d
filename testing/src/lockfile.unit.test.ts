import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** `pnpm install` can drop the native packages of other systems from the lockfile. They cannot install it then. */
test('the lockfile has every native package for macOS, Windows and Linux, on both processors', () => {
  const lockfile = readFileSync(new URL('../../pnpm-lock.yaml', import.meta.url), 'utf8');
  const systemsOf = new Map<string, Set<string>>();
  const nativePackage = /^ {2}'?([^\s']*?)((?:linux|darwin|win32)-(?:x64|arm64))\b[^@\s]*(@[^\s']+)'?:$/gm;
  for (const [, start, system = '', version] of lockfile.matchAll(nativePackage)) {
    const tool = `${start}*${version}`;
    systemsOf.set(tool, (systemsOf.get(tool) ?? new Set()).add(system));
  }
  expect(systemsOf.size).toBeGreaterThan(5);
  for (const [tool, systems] of systemsOf) {
    expect([...systems].sort(), tool).toEqual([
      'darwin-arm64',
      'darwin-x64',
      'linux-arm64',
      'linux-x64',
      'win32-arm64',
      'win32-x64',
    ]);
  }
});
