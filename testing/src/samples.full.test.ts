import { execFileSync } from 'node:child_process';
import document from '@tenant-open-platform/contract/openapi.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { createTenant } from './index.js';
import { expectMismatchIsSaid } from './mismatch.js';

type Described = { operationId: string; 'x-codeSamples': { label: string; source: string }[] };

const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods) as Described[]);

const sampleOf = (name: string, wanted: string) =>
  operations.find(({ operationId }) => operationId === name)?.['x-codeSamples'].find(({ label }) => label === wanted)
    ?.source ?? '';

/** One operation with a body and two without. */
const cases = ['commands.create', 'me.get', 'catalog.get'].flatMap((name) => [
  [name, 'curl and openssl', 'bash', '-c'] as const,
  [name, 'Python', 'python3', '-c'] as const,
]);

test.each(cases)('the sample of %s for %s runs as it is', async (name, label, program, flag) => {
  const { operator } = await createTenant();
  const { base_url: TOP_BASE_URL, client_id: TOP_CLIENT_ID, secret: TOP_SECRET } = operator;
  const env = { ...process.env, TOP_BASE_URL, TOP_CLIENT_ID, TOP_SECRET };
  const answer = JSON.parse(execFileSync(program, [flag, sampleOf(name, label)], { env, encoding: 'utf8' }));
  expect(answer).not.toHaveProperty('code');
  expect(answer).toHaveProperty('request_id');
});

test.each([
  // curl prints the body before the sample looks at the headers.
  ['curl and openssl', 'bash', expect.stringContaining('ACCEPTED')],
  ['Python', 'python3', ''],
])('the sample of commands.create for %s says that its key belongs to another command', (label, program, stdout) =>
  expectMismatchIsSaid([program, '-c', sampleOf('commands.create', label)], { stdout }),
);
