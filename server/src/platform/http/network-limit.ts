import type { Socket } from 'node:net';
import { networkOf, peerAddress } from './address.js';

/**
 * Counts the open connections of each network. Returns false for a connection above the limit: one network must not use
 * up all connections.
 */
export function createNetworkLimit(limit: number): (socket: Socket) => boolean {
  const open = new Map<string, number>();
  return (socket) => {
    const network = networkOf(peerAddress(socket));
    const count = open.get(network) ?? 0;
    if (count >= limit) return false;
    open.set(network, count + 1);
    socket.once('close', () => {
      const left = (open.get(network) ?? 0) - 1;
      if (left > 0) open.set(network, left);
      else open.delete(network);
    });
    return true;
  };
}
