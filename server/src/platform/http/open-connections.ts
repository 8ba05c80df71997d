import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { networkOf, peerAddress } from './address.js';
import { Connection } from './connection.js';

export type ConnectionLimits = { maxConnections: number; maxConnectionsPerNetwork: number };

/** A limit was reached: the new connection was refused, or an idle one was evicted for it. */
export type AtLimit = { outcome: 'REFUSED' | 'EVICTED'; limit: 'total' | 'address'; address: string };

/**
 * The open connections, in total and of each network, in the order of their last activity. At a limit the one that has
 * been idle longest makes room for a new one: idle connections keep no caller out. Connections without an admitted
 * request go first. A connection with a request in progress is never cut.
 */
export function openConnections(limits: ConnectionLimits, report: (atLimit: AtLimit) => void) {
  const all = new Map<Duplex, Connection>();
  const networks = new Map<string, Map<Duplex, Connection>>();

  function hasRoom(open: Map<Duplex, Connection>, most: number, limit: AtLimit['limit'], address: string): boolean {
    if (open.size < most) return true;
    const idle = idleLongest(open);
    report({ outcome: idle ? 'EVICTED' : 'REFUSED', limit, address });
    if (!idle) return false;
    forget(idle);
    idle.destroy();
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

function idleLongest(open: Map<Duplex, Connection>): Duplex | null {
  let admitted: Duplex | null = null;
  for (const [socket, connection] of open) {
    if (!connection.isIdle) continue;
    if (!connection.isAdmitted) return socket;
    admitted ??= socket;
  }
  return admitted;
}
