import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { networkOf, peerAddress } from './address.js';
import { Connection } from './connection.js';

export type ConnectionLimits = { maxConnections: number; maxConnectionsPerNetwork: number };

/** A limit was reached: the new connection was refused, or another one was evicted for it. */
export type AtLimit = { outcome: 'REFUSED' | 'EVICTED'; limit: 'total' | 'address'; address: string };

/** The share of the places for connections that never carried an admitted request: verifying a first one takes time. */
const SHARE_OF_NEW = 1 / 10;

/**
 * The open connections, in total and of each network, in the order of their last activity. At a limit one makes room
 * for a new one: the oldest of those that never carried an admitted request, even while it has a request in progress,
 * because anyone can open those. If at most a tenth of the places are theirs, the admitted one that has been idle
 * longest. An admitted request is never cut.
 */
export function openConnections(limits: ConnectionLimits, report: (atLimit: AtLimit) => void) {
  const all = new Map<Duplex, Connection>();
  const networks = new Map<string, Map<Duplex, Connection>>();

  function hasRoom(open: Map<Duplex, Connection>, most: number, limit: AtLimit['limit'], address: string): boolean {
    if (open.size < most) return true;
    const evicted = firstToEvict(open, most * SHARE_OF_NEW);
    report({ outcome: evicted ? 'EVICTED' : 'REFUSED', limit, address });
    if (!evicted) return false;
    forget(evicted);
    evicted.destroy();
    return true;
  }

  function forget(socket: Duplex): void {
    const network = all.get(socket)?.network ?? '';
    all.delete(socket);
    const ofNetwork = networks.get(network);
    ofNetwork?.delete(socket);
    if (ofNetwork?.size === 0) networks.delete(network);
  }

  return {
    all: all as ReadonlyMap<Duplex, Connection>,

    /** Destroys the socket if there is no room for it. */
    add(socket: Socket): void {
      const address = peerAddress(socket);
      const network = networkOf(address);
      const ofNetwork = networks.get(network) ?? new Map<Duplex, Connection>();
      const isAdded =
        hasRoom(ofNetwork, limits.maxConnectionsPerNetwork, 'address', address) &&
        hasRoom(all, limits.maxConnections, 'total', address);
      if (!isAdded) {
        socket.destroy();
        return;
      }
      const connection = new Connection(socket, network, () => {
        for (const open of [all, ofNetwork]) if (open.delete(socket)) open.set(socket, connection);
      });
      networks.set(network, ofNetwork.set(socket, connection));
      all.set(socket, connection);
      socket.once('close', () => forget(socket));
    },
  };
}

function firstToEvict(open: Map<Duplex, Connection>, few: number): Duplex | null {
  let idle: Duplex | undefined;
  const unadmitted: Duplex[] = [];
  for (const [socket, connection] of open) {
    if (!connection.isAdmitted) unadmitted.push(socket);
    else if (connection.isIdle) idle ??= socket;
    if (unadmitted.length > few) return unadmitted[0] ?? null;
  }
  return idle ?? unadmitted[0] ?? null;
}
