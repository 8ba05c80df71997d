import { expect, test, vi } from 'vitest';
import { createLargeBodies } from './large-bodies.js';

const ORDINARY = 65_536;

/** A body of which so much has come; `refused` is called once it loses its place. */
function upload(bodies: ReturnType<typeof createLargeBodies>, bytes: number, network = 'one') {
  const refused = vi.fn();
  const place = bodies.expect(network, ORDINARY);
  place.received(bytes, refused);
  return { ...place, refused };
}

test('a body takes no place before more of it has come than of an ordinary one', () => {
  const bodies = createLargeBodies({ most: 1, mostOfNetwork: 1 });
  const announced = Array.from({ length: 100 }, () => upload(bodies, ORDINARY));
  const first = upload(bodies, ORDINARY + 1);
  for (const { refused } of [...announced, first]) expect(refused).not.toHaveBeenCalled();
});

test('if all places are taken, the slowest unfinished body makes room', () => {
  const bodies = createLargeBodies({ most: 3, mostOfNetwork: 3 });
  const [quick, slow, complete] = [900_000, 70_000, 66_000].map((bytes) => upload(bodies, bytes));
  complete?.complete();
  const last = upload(bodies, 80_000);
  expect(slow?.refused).toHaveBeenCalledOnce();
  expect(slow?.refused.mock.calls[0]?.[0]).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  for (const other of [quick, complete, last]) expect(other?.refused).not.toHaveBeenCalled();
});

test('a body that began slowly keeps its place once it has become quicker than another one', () => {
  const bodies = createLargeBodies({ most: 2 });
  const slow = upload(bodies, 500_000);
  const quickened = upload(bodies, 66_000);
  quickened.received(900_000, quickened.refused);
  upload(bodies, 80_000);
  expect([quickened.refused.mock.calls.length, slow.refused.mock.calls.length]).toEqual([0, 1]);
});

test('a network makes room within itself, and other networks keep their places', () => {
  const bodies = createLargeBodies({ most: 10, mostOfNetwork: 1 });
  const other = upload(bodies, 66_000, 'two');
  const slow = upload(bodies, 70_000);
  upload(bodies, 80_000);
  expect([other.refused.mock.calls.length, slow.refused.mock.calls.length]).toEqual([0, 1]);
});

test('a body is refused if every other one is complete, until one of them ends', () => {
  const bodies = createLargeBodies({ most: 1, mostOfNetwork: 1 });
  const complete = upload(bodies, 70_000);
  complete.complete();
  expect(upload(bodies, 80_000).refused).toHaveBeenCalledOnce();
  complete.end();
  expect(upload(bodies, 80_000).refused).not.toHaveBeenCalled();
});
