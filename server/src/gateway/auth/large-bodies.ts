import { unavailable } from '../../foundation/api-error.js';
import type { Upload } from '../http/exchange.js';

/** Large bodies of unknown senders that are in memory at a time: 10,000 connections could otherwise take 10 GB. */
const MOST = 256;
const MOST_OF_A_NETWORK = 16;

type Place = { network: string; since: number; bytes: number; isComplete: boolean; giveUp: () => void };

const perMs = ({ bytes, since }: Place) => bytes / Math.max(1, performance.now() - since);

/**
 * The places of large bodies whose senders are not known yet. A body takes its place when it has grown larger than an
 * ordinary one may be, so a sender that only announces a large body takes none. If all places are taken, the slowest
 * incomplete body makes room: a sender who goes slowly on purpose loses its place first.
 */
export function createLargeBodies({ most = MOST, mostOfNetwork = MOST_OF_A_NETWORK } = {}) {
  const places = new Set<Place>();

  function makeRoom(taken: Place[], limit: number): boolean {
    if (taken.length < limit) return true;
    const [slowest] = taken.filter(({ isComplete }) => !isComplete).sort((one, other) => perMs(one) - perMs(other));
    slowest?.giveUp();
    return slowest !== undefined;
  }

  return {
    /** A body that may become large: it takes its place when `ordinary` bytes of it have come. */
    expect(network: string, ordinary: number): Upload & { end(): void } {
      const place: Place = { network, since: performance.now(), bytes: 0, isComplete: false, giveUp() {} };
      return {
        received(bytes, fail) {
          place.bytes = bytes;
          if (places.has(place) || bytes <= ordinary) return;
          place.giveUp = () => {
            places.delete(place);
            fail(unavailable('Too many large bodies at a time. Repeat the request.', 1));
          };
          const ofNetwork = [...places].filter((other) => other.network === network);
          if (!makeRoom(ofNetwork, mostOfNetwork) || !makeRoom([...places], most)) return place.giveUp();
          places.add(place);
        },
        complete() {
          place.isComplete = true;
        },
        end: () => void places.delete(place),
      };
    },
  };
}
