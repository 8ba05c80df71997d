import { setInterval } from 'node:timers/promises';
import { type Answer, createTenant, type Profile, platform, signedRequest } from '@tenant-open-platform/testing';
import { beforeEach, expect, test } from 'vitest';

const REQUESTS = 1_000;
const INTERVAL_MS = 5;
const REQUESTS_PER_ROTATION = 100;

let reader: Profile;
let admin: Profile;

beforeEach(async () => {
  ({ reader, admin } = await createTenant());
});

const read = (profile: Profile, node: string | undefined) => signedRequest(profile, 'GET', '/api/v1/open/me', { node });

const rotate = (fields: object, node: string | undefined) => {
  const target = `/api/v1/platform/tenants/${reader.tenant_id}/credentials/${reader.client_id}`;
  return signedRequest(admin, 'PUT', target, { body: { rotate_secret: true, ...fields }, node });
};

/**
 * 200 requests a second, alternating between the nodes, with a rotation every half second. Returns the answers of
 * requests that were sent while a rotation was under way, and the others.
 */
async function underLoad(fields: object, rotated: (old: Profile) => Promise<void>) {
  const { nodes } = platform();
  const asked: Promise<Answer>[] = [];
  const duringRotation = new Set<number>();
  let isRotating = false;
  let rotation: Promise<void> = Promise.resolve();
  for await (const _ of setInterval(INTERVAL_MS)) {
    if (asked.length % REQUESTS_PER_ROTATION === REQUESTS_PER_ROTATION / 2) {
      rotation = rotation
        // Only one previous secret is valid. So all requests that were signed before the last rotation must be answered,
        // also those that were sent while it was under way.
        .then(() => {
          isRotating = true;
          return Promise.all(asked);
        })
        .then(() => rotate(fields, nodes[asked.length % 2]))
        .then(({ body }) => {
          const old = reader;
          reader = { ...old, secret: body.secret };
          isRotating = false;
          return rotated(old);
        });
    }
    if (isRotating) duringRotation.add(asked.length);
    asked.push(read(reader, nodes[asked.length % 2]));
    if (asked.length === REQUESTS) break;
  }
  await rotation;
  const answers = await Promise.all(asked);
  return {
    during: answers.filter((_, index) => duringRotation.has(index)),
    others: answers.filter((_, index) => !duringRotation.has(index)),
  };
}

const failuresOf = (answers: Answer[]) => answers.filter(({ status }) => status !== 200);

test('a rotation with overlap fails no request of 200 a second on two nodes', async () => {
  let rotations = 0;
  const { during, others } = await underLoad({ previous_secret_ttl_seconds: 60 }, async () => {
    rotations++;
  });
  expect(rotations).toBe(REQUESTS / REQUESTS_PER_ROTATION);
  expect(failuresOf([...during, ...others])).toEqual([]);
});

test('without overlap the first request signed with the old secret after the commit fails, on both nodes', async () => {
  const afterwards: string[] = [];
  const { during, others } = await underLoad({}, async (old) => {
    const late = await Promise.all(platform().nodes.map((node) => read(old, node)));
    afterwards.push(...late.map(({ status, body }) => `${status} ${body.code}`));
  });
  expect(afterwards).toEqual(Array((2 * REQUESTS) / REQUESTS_PER_ROTATION).fill('401 UNAUTHENTICATED'));
  // Requests with the old secret may arrive before or after the commit; no other request may fail.
  expect(failuresOf(during).filter(({ body }) => body.code !== 'UNAUTHENTICATED')).toEqual([]);
  expect(failuresOf(others)).toEqual([]);
});
