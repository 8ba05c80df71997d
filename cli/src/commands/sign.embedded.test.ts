import { createTenant } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { environmentOf, topctl } from '../../test/topctl.js';

const { operator } = await createTenant();
const env = environmentOf(operator);

test('the headers are accepted by the platform', async () => {
  const { stdout, stderr } = await topctl(['sign', 'GET', '/api/v1/open/me'], { env });
  expect(stderr).toBe('');
  const answer = await fetch(`${operator.base_url}/api/v1/open/me`, { headers: JSON.parse(stdout) });
  expect(answer.status).toBe(200);
});

test('--explain shows the seven lines, and the secret nowhere', async () => {
  const fixed = ['--timestamp', '1769851800', '--nonce', 'n-12345678'];
  const argv = ['sign', 'post', '/api/v1/open/downlink/commands', '--body', '-', '--explain', ...fixed];
  const { exitCode, stdout, stderr } = await topctl(argv, { env, stdin: '{}' });
  expect(exitCode).toBe(0);
  const lines = stderr.split('\n').filter((line) => line.startsWith('  '));
  expect(lines.map((line) => line.slice(23))).toEqual([
    'HMAC-SHA256-V1',
    'POST',
    '/api/v1/open/downlink/commands',
    operator.client_id,
    '1769851800',
    'n-12345678',
    '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
  ]);
  expect(stdout + stderr).not.toContain(operator.secret);
});

test('a target that the platform would refuse is wrong usage', async () => {
  const { exitCode, stderr } = await topctl(['sign', 'GET', '/api/v1/../x'], { env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('Cannot sign this target') });
});
