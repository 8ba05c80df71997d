import { databaseFolder, type Profile, signedRequest, startNode } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';

test('credentials.get and credentials.list show when each secret was last used, also after a restart', async () => {
  const DATA_DIR = databaseFolder();
  let server = await startNode({ DATA_DIR });
  const { admin, demo } = server;
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
  server = await startNode({ DATA_DIR });

  const shown = await send(admin, 'GET', `${credentials}/${demo.client_id}`);
  expect(shown).toMatchObject({
    last_used_at: shown.secret_last_used_at,
    secret_last_used_at: second,
    previous_secret_last_used_at: first,
  });
  const [listed] = await send(admin, 'GET', credentials);
  expect(listed).toEqual({ ...shown, request_id: listed.request_id });
});
