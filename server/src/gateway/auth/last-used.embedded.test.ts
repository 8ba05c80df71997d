import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Profile, signedRequest, temporaryFolder } from '@tenant-open-platform/testing';
import { type RunningServer, startServer } from '@tenant-open-platform/testing/start-server';
import { expect, onTestFinished, test } from 'vitest';

test('credentials.get and credentials.list show when each secret was last used, also after a restart', async () => {
  const folder = temporaryFolder();
  let server: RunningServer = await startServer({ DATA_DIR: folder });
  onTestFinished(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const profile = (file: string): Profile => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const [admin, demo] = [profile('platform-admin.json'), profile('demo.json')];
  const credentials = '/api/v1/platform/tenants/demo/credentials';
  const send = async (caller: Profile, method: string, target: string, body?: object) => {
    const answer = await signedRequest(caller, method, target, { node: server.baseUrl, ...(body && { body }) });
    expect(answer.status, answer.raw).toBe(200);
    return answer.body;
  };
  const rotation = { rotate_secret: true, previous_secret_ttl_seconds: 600 };
  const { secret } = await send(admin, 'PUT', `${credentials}/${demo.client_id}`, rotation);
  const { server_time: first } = await send(demo, 'GET', '/api/v1/open/me');
  const { server_time: second } = await send({ ...demo, secret }, 'GET', '/api/v1/open/me');
  await server.stop();
  server = await startServer({ DATA_DIR: folder });

  const shown = await send(admin, 'GET', `${credentials}/${demo.client_id}`);
  expect(shown).toMatchObject({
    last_used_at: shown.secret_last_used_at,
    secret_last_used_at: second,
    previous_secret_last_used_at: first,
  });
  const [listed] = await send(admin, 'GET', credentials);
  expect(listed).toEqual({ ...shown, request_id: listed.request_id });
}, 60_000);
